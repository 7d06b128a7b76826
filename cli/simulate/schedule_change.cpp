#include "cli/simulate/schedule_change.hpp"

#include <algorithm>

#include "cli/simulate/simulation.hpp"
#include "protocol/numbers.hpp"

namespace dmm {

OrFault<SchedulerChange, CommandFault> parse_change(const std::string& text) {
  const std::size_t equals = text.find('=');
  double at = -1;
  constexpr double latest = 1e11;
  if (equals == std::string::npos || !parse_number(std::string_view(text).substr(0, equals), at) ||
      !(at >= 0 && at <= latest))
    return CommandFault{"--change: expected seconds, '=' and an architecture, as in 3600=easy, got '" + text + "'",
                        2};
  SchedulerChange change{Instant{} + from_seconds(at), text.substr(equals + 1)};
  if (auto fault = fault_of_architecture(change.architecture, false))
    return CommandFault{"--change: " + fault->text, 2};
  return change;
}

void sort_changes(std::vector<SchedulerChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const SchedulerChange& a, const SchedulerChange& b) { return a.at < b.at; });
}

}  // namespace dmm
