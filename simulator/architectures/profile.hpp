// How many processors of one cluster are free from now on, as it is planned: a step function of time, in which
// what runs and what is reserved takes its part. Backfilling with reservations for all jobs asks it for the
// earliest hole.
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

/// Some stretches of time, in order and apart. When there are many they run together: what they tell is where
/// something may have changed, and more of that does no harm.
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
  /// All free, for ever.
  explicit Profile(std::uint32_t processors) : steps_{{Instant{INT64_MIN}, processors}} {}

  /// The earliest instant not before `from` at which so many processors are free for the whole duration; at the
  /// latest when all is over. `processors` must not exceed those of the cluster.
  Instant earliest(Instant from, Duration duration, std::uint32_t processors) const;
  /// They must be free.
  void take(Instant from, Instant until, std::uint32_t processors);
  /// The contrary of take.
  void give(Instant from, Instant until, std::uint32_t processors);
  /// The earliest start from `from` to before `before` of a job that has its place at `own` already, and would
  /// rather have an earlier one: what it has there it may use. `before` must not be later than `own`.
  std::optional<Instant> earlier(Instant from, Instant before, Instant own, Duration duration,
                                 std::uint32_t processors) const;
  /// What was before `now` won't be asked for again.
  void forget_before(Instant now);
  std::uint32_t free_at(Instant at) const { return steps_[step_of(at)].free; }
  /// How many steps it has: what it costs to ask.
  std::size_t size() const { return steps_.size() - first_; }

 private:
  /// From `at` to the next step so many processors are free; after the last one for ever.
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
