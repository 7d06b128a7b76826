// Questions to managers and their answers as JSON; and a job manager's jobs, which come in pages.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/managers.hpp"
#include "runtime/client.hpp"

namespace dmm {

/// What one manager said.
struct Answered {
  Manager manager;
  std::string fault;  ///< empty: answered
  nlohmann::ordered_json json;
};

/// Puts one question to all of them at once; answers in the order of the managers.
std::vector<Answered> ask_all(const std::vector<Manager>& managers, const std::string& verb,
                              const nlohmann::ordered_json& argument = nlohmann::ordered_json::object(),
                              Duration within = seconds(5));
/// Puts several questions to all of them at once, over one connection to each; the answers by question.
std::vector<std::vector<Answered>> ask_all(const std::vector<Manager>& managers, const std::vector<std::string>& verbs,
                                           const nlohmann::ordered_json& argument = nlohmann::ordered_json::object(),
                                           Duration within = seconds(5));
Answered ask_one(const Manager& manager, const std::string& verb,
                 const nlohmann::ordered_json& argument = nlohmann::ordered_json::object());

/// A job as its job manager tells it. Dates are seconds since 1970; nothing where it did not happen.
struct JobRecord {
  std::uint64_t number = 0;
  std::string name, state, request, origin, owner, text, output_path, error_path;
  std::uint32_t processors = 0, reruns = 0, hops = 0, tries = 0;
  double submitted = 0, wall_seconds = 0, overhead_seconds = 0;
  std::optional<double> granted, started, ended;
  std::vector<std::string> chain;  ///< the owner first, the home site last
  std::string exit_kind;           ///< empty: none ran
  std::int32_t exit_code = 0;
  std::string exit_fault;
  bool keep_output = true;

  bool over() const { return state == "finished" || state == "failed" || state == "cancelled" || state == "lost"; }
};
JobRecord job_from_json(const nlohmann::ordered_json& json);

/// All jobs of all these managers, page by page; `each` gets a manager's index and one of its jobs as JSON.
/// Faults, one a manager that did not answer.
std::vector<std::string> fetch_jobs(const std::vector<Manager>& managers, const std::vector<std::string>& states,
                                    const std::function<void(std::size_t, const nlohmann::ordered_json&)>& each,
                                    Duration silence = seconds(5));

}  // namespace dmm
