// When to tell the keeper that the resource manager lives. The keeper ends all tasks by itself if it isn't told for as
// long as the last KeepTasks said; it is told four times in that time, while anything runs.
#pragma once

#include <optional>

#include "manager/assert.hpp"
#include "protocol/time.hpp"

namespace dmm {

class KeepAlive {
 public:
  /// `keep`: tasks go on for so long without the resource manager; 0: for a term.
  explicit KeepAlive(Duration keep) : keep_(keep) { DMM_ASSERT(keep >= Duration{}); }

  /// For how long the keeper is to keep its tasks, if it is due to be told; `term` is the site's.
  std::optional<Duration> take_due(Instant now, Duration term) {
    if (now < due_) return std::nullopt;
    const Duration keep = keep_ > Duration{} ? keep_ : term;
    due_ = now + keep / 4;
    DMM_ASSERT(due_ >= now);
    return keep;
  }
  /// When it is due, if anything runs.
  Instant next_deadline() const { return due_; }

 private:
  Duration keep_;
  Instant due_{};
};

}  // namespace dmm
