// How many jobs all asked job managers have in each state, and how long a job waited. Values in, text out.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/managers/questions.hpp"

namespace dmm {

struct JobTotals {
  std::size_t managers = 0;  ///< that were counted
  std::map<std::string, std::uint64_t> by_state;

  /// Adds a job manager's answer to "counts".
  void add(const nlohmann::ordered_json& counts);
  std::uint64_t of(const std::string& state) const;
  std::uint64_t open() const;  ///< jobs that wait or run
  std::uint64_t ended() const;
};

nlohmann::ordered_json to_json(const JobTotals& totals);

/// "3 jobs shown. In all 3 waiting, 0 starting, 457 running, 12 ended". `selected`: options changed which jobs are
/// shown.
std::string totals_text(const JobTotals& totals, std::size_t shown, bool selected);

/// How long the job waited before its last attempt ran; or how long it has waited for the next one.
double waited_seconds(const ToldJob& job, double now);

}  // namespace dmm
