// The start barrier: the tasks of a job that has several, or that a launcher starts, are made ready first. When
// the last one is, all are told to go. After a restart of the job manager each says again that it is ready. Then
// it is told again.
#pragma once

#include <string_view>
#include <vector>

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// All tasks of the attempt, as each of them is told.
std::vector<Part> parts_of(const Job& job);
/// A task that awaits its Go is ready, or runs already. Tells it to go, and the others too, if all are ready.
/// Whether the attempt begins by that.
bool task_ready(JobStep& s, Job& job, std::uint32_t task, std::string_view contact);
/// Tells all tasks that are left to go, if all are ready or over. Whether the attempt begins by that.
bool go_if_ready(JobStep& s, Job& job);
void on(JobStep& s, FromProvider from, const Began& began);

}  // namespace dmm::job_steps
