// CleanWaits: the answers to Unassign that wait until nodes are clean. Nodes are clean when every task on them has
// ended; a task that the ledger didn't know (a stray) may be anywhere, so that every answer waits for all strays.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "resmgr/tasks.hpp"

namespace dmm {

/// An Unassign of nodes that aren't clean yet.
struct PendingClean {
  LeaseId lease;
  NodeSet nodes;
  std::size_t tasks = 0;  ///< how many tasks have to end first; all strays together count as one
};

class CleanWaits {
 public:
  /// Adds an answer that waits for this many tasks, and for the strays if there are any. Returns the answer's
  /// number.
  std::uint64_t add(const LeaseId& lease, const NodeSet& nodes, std::size_t tasks) {
    DMM_ASSERT(tasks > 0 || has_strays());
    waits_[++last_] = {lease, nodes, tasks + has_strays()};
    if (has_strays()) behind_strays_.push_back(last_);
    return last_;
  }
  /// A task that the answer waits for has ended, or the last stray. Returns the answer if it waits for nothing
  /// more.
  std::optional<PendingClean> count_down(std::uint64_t number) {
    const auto wait = waits_.find(number);
    DMM_ASSERT(wait != waits_.end() && wait->second.tasks > 0);
    if (--wait->second.tasks > 0) return std::nullopt;
    PendingClean clean = std::move(wait->second);
    waits_.erase(wait);
    return clean;
  }

  // ---- strays ----
  bool has_strays() const { return !strays_.empty(); }
  bool is_stray(const TaskId& task) const { return strays_.contains(task); }
  void add_stray(const TaskId& task) {
    DMM_ASSERT(waits_.empty());  // an answer that waits already wouldn't wait for it
    strays_.insert(task);
  }
  const std::set<TaskId>& strays() const { return strays_; }
  /// A stray has ended. If it was the last one, returns the answers that waited for strays.
  std::vector<std::uint64_t> end_stray(const TaskId& task) {
    DMM_ASSERT(behind_strays_.empty() || has_strays());
    strays_.erase(task);
    return has_strays() ? std::vector<std::uint64_t>{} : std::exchange(behind_strays_, {});
  }

  /// `tasks`: by answer, how many tasks say that it waits for them.
  void check(std::map<std::uint64_t, std::size_t> tasks) const {
    for (const std::uint64_t number : behind_strays_) ++tasks[number];
    DMM_ASSERT(behind_strays_.empty() || has_strays());
    DMM_ASSERT(tasks.size() == waits_.size());
    for (const auto& [number, clean] : waits_) DMM_ASSERT(tasks.at(number) == clean.tasks);
  }

 private:
  std::map<std::uint64_t, PendingClean> waits_;
  std::uint64_t last_ = 0;
  std::set<TaskId> strays_;  ///< living tasks that the ledger didn't know: they end before all else
  std::vector<std::uint64_t> behind_strays_;  ///< the answers that wait for them
};

}  // namespace dmm
