// Ends of tasks by a signal that we didn't order, in a pilot. A batch system that ends a pilot signals all of the
// pilot's processes, the tasks among them. The resource manager hears of its own end at the same time or a little
// later. So such an end is held back for a moment: if the nodes are given back by then, that was its cause.
#pragma once

#include <csignal>
#include <utility>
#include <vector>

#include "resmgr/tasks.hpp"

namespace dmm {

class UnexplainedEnds {
 public:
  /// How long an end is held back.
  static constexpr Duration patience = seconds(1);

  /// The reports to pass on now: those that came, except the ends that are held back, and ends that were held back long
  /// enough.
  std::vector<TaskReport> pass(Instant now, std::vector<TaskReport> reports) {
    std::vector<TaskReport> told;
    std::erase_if(held_, [&](Held& one) {
      const bool is_over = now >= one.until;
      if (is_over) told.push_back(std::move(one.report));
      return is_over;
    });
    for (TaskReport& report : reports)
      if (is_unexplained(report))
        held_.push_back({std::move(report), now + patience});
      else
        told.push_back(std::move(report));
    return told;
  }
  /// All ends that are held back: their cause is known now.
  std::vector<TaskReport> release() {
    std::vector<TaskReport> told;
    for (Held& one : std::exchange(held_, {})) told.push_back(std::move(one.report));
    return told;
  }

 private:
  struct Held {
    TaskReport report;
    Instant until;
  };
  static bool is_unexplained(const TaskReport& report) {
    const auto* const ended = std::get_if<TaskEnded>(&report);
    if (!ended) return false;
    const bool is_signal = ended->code == SIGTERM || ended->code == SIGKILL;
    return ended->kind == EndKind::lost || (ended->kind == EndKind::signalled && is_signal);
  }
  std::vector<Held> held_;
};

}  // namespace dmm
