// The planned number of free processors of one cluster over time: a step function, reduced by running jobs and
// reservations. Backfilling with reservations for all jobs searches it for the earliest hole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

/// A stretch of time.
struct Interval {
  Instant from{};
  Instant until{};
};

/// Disjoint stretches of time, in order. They mark where something may have changed. When there are many, neighbours
/// are merged: marking too much does no harm.
class Intervals {
 public:
  void add(Interval more);
  void forget_before(Instant now);
  std::span<const Interval> all() const { return intervals_; }

 private:
  std::vector<Interval> intervals_;
};

class Profile {
 public:
  /// All processors free, for ever.
  explicit Profile(std::uint32_t processors) : steps_{{Instant{INT64_MIN}, processors}} {}

  /// The earliest instant from `from` on at which this many processors are free for the whole duration. There always
  /// is one after the last step, so `processors` must not exceed the cluster's.
  Instant earliest(Instant from, Duration duration, std::uint32_t processors) const;
  /// Plans a use. The processors must be free.
  void take(Instant from, Instant until, std::uint32_t processors);
  /// Undoes take.
  void give(Instant from, Instant until, std::uint32_t processors);
  /// The earliest start from `from` to before `before` for a job that is planned at `own` and is to move earlier. The
  /// processors of its present place count as free. `before` must not be later than `own`.
  std::optional<Instant> earlier(Instant from, Instant before, Instant own, Duration duration,
                                 std::uint32_t processors) const;
  /// Drops the steps before `now`, which won't be asked for again.
  void forget_before(Instant now);
  std::uint32_t free_at(Instant at) const { return steps_[step_of(at)].free; }
  /// Number of steps, which is the cost of a search.
  std::size_t size() const { return steps_.size() - first_; }

 private:
  /// This many processors are free from `at` to the next step; after the last step for ever.
  struct Step {
    Instant at{};
    std::uint32_t free = 0;
  };

  std::size_t step_of(Instant at) const;
  std::size_t split_at(Instant at);
  void join_at(std::size_t step);
  template <class Change>
  void change(Instant from, Instant until, const Change& apply);

  std::vector<Step> steps_;
  std::size_t first_ = 0;  ///< the steps before it are forgotten
};

}  // namespace dmm
