// A task as the order for the keeper: its folder, its environment, and what stands before its program.
#pragma once

#include <cstdint>
#include <string>

#include "resmgr/backends/process/backend_settings.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/tasks.hpp"

namespace dmm::keeper {

/// The name of a task's directory: <site>_<user>_<job>.<attempt>.<component>
std::string directory_of(const TaskId& id);

/// The component of a task that fetches files for a planned job: no job has as many components.
constexpr std::uint32_t fetch_component = UINT32_MAX;
StartJob fetch_job_of(const TaskId& id, const InputFiles& files, std::uint64_t serial,
                      const ProcessBackendSettings& settings, const std::string& path, const Account& account);

/// The order for the keeper. `path`: where programs are looked up.
StartJob job_of(const StartTask& order, std::uint64_t serial, const ProcessBackendSettings& settings,
                const std::string& path, const Account& account);

}  // namespace dmm::keeper
