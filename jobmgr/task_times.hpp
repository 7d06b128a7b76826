// When something is due of each component under way: each keeps its own time, which is found here without a walk.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "jobmgr/job.hpp"

namespace dmm {

class TaskTimes {
 public:
  /// Sets a component's time, which is kept in `field`; `never` takes it out.
  void set(Instant& field, TaskKey key, Instant due) {
    if (field == due) return;
    if (field != never) times_.erase({field, key});
    field = due;
    if (due != never) times_.emplace(due, key);
  }
  /// The first component that is due now; it stays until its time is set again.
  std::optional<TaskKey> due(Instant now) const {
    if (next_deadline() > now) return std::nullopt;
    return times_.begin()->second;
  }
  Instant next_deadline() const { return times_.empty() ? never : times_.begin()->first; }
  bool contains(Instant due, TaskKey key) const { return times_.contains({due, key}); }
  std::size_t size() const { return times_.size(); }

 private:
  std::set<std::pair<Instant, TaskKey>> times_;
};

}  // namespace dmm
