// When something is due of each component under way: each keeps its own time, which is found here without a walk.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "jobmgr/job.hpp"
#include "manager/assert.hpp"

namespace dmm {

class TaskTimes {
 public:
  /// Sets a component's time, which is kept in `field`; `never` takes it out.
  void set(Instant& field, TaskKey key, Instant due) {
    if (field == due) return;
    if (field != never) {
      const bool was_there = times_.erase({field, key}) == 1;
      DMM_ASSERT(was_there);
    }
    field = due;
    if (due == never) return;
    const bool is_new = times_.emplace(due, key).second;
    DMM_ASSERT(is_new);
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
