#include "simulator/architectures/profile.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::size_t forgotten_steps_max = 64;
constexpr std::size_t intervals_max = 16;

}  // namespace

void Intervals::add(Interval more) {
  if (more.from >= more.until) return;
  const auto begin = std::find_if(intervals_.begin(), intervals_.end(),
                                  [&](const Interval& interval) { return interval.until >= more.from; });
  auto end = begin;
  for (; end != intervals_.end() && end->from <= more.until; ++end)
    more = {std::min(more.from, end->from), std::max(more.until, end->until)};
  intervals_.insert(intervals_.erase(begin, end), more);
  if (intervals_.size() > intervals_max) intervals_ = {{intervals_.front().from, intervals_.back().until}};
}

void Intervals::forget_before(Instant now) {
  std::erase_if(intervals_, [=](const Interval& interval) { return interval.until <= now; });
  if (!intervals_.empty()) intervals_.front().from = std::max(intervals_.front().from, now);
}

// Index of the step that holds at this instant.
std::size_t Profile::step_of(Instant at) const {
  const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto after =
      std::upper_bound(begin, steps_.end(), at, [](Instant a, const Step& step) { return a < step.at; });
  return static_cast<std::size_t>(after - steps_.begin()) - 1;
}

Instant Profile::earliest(Instant from, Duration duration, std::uint32_t processors) const {
  std::size_t step = step_of(from);
  Instant start = from;
  bool is_open = steps_[step].free >= processors;
  while (++step < steps_.size()) {
    if (is_open && steps_[step].at >= start + duration) return start;
    const bool is_enough = steps_[step].free >= processors;
    if (is_enough && !is_open) start = steps_[step].at;
    is_open = is_enough;
  }
  DMM_ASSERT(is_open);
  return start;
}

void Profile::take(Instant from, Instant until, std::uint32_t processors) {
  change(from, until, [&](std::uint32_t& free) {
    DMM_ASSERT(free >= processors);
    free -= processors;
  });
}

void Profile::give(Instant from, Instant until, std::uint32_t processors) {
  change(from, until, [&](std::uint32_t& free) { free += processors; });
}

template <class Change>
void Profile::change(Instant from, Instant until, const Change& apply) {
  if (from >= until) return;
  const std::size_t begin = split_at(from);
  const std::size_t end = split_at(until);
  for (std::size_t step = begin; step < end; ++step) apply(steps_[step].free);
  join_at(end);
  join_at(begin);
}

// Index of the step that begins at this instant; inserts it if missing.
std::size_t Profile::split_at(Instant at) {
  const std::size_t step = step_of(at);
  if (steps_[step].at == at) return step;
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, {at, steps_[step].free});
  return step + 1;
}

// Joins a step to the one before it if both have as many free processors.
void Profile::join_at(std::size_t step) {
  if (step > first_ && step < steps_.size() && steps_[step].free == steps_[step - 1].free)
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(step));
}

std::optional<Instant> Profile::earlier(Instant from, Instant before, Instant own, Duration duration,
                                        std::uint32_t processors) const {
  if (from >= before) return std::nullopt;
  std::size_t step = step_of(from);
  Instant start = from;
  bool is_open = steps_[step].free >= processors;
  while (++step < steps_.size()) {
    const Instant at = steps_[step].at;
    if (is_open && (at >= start + duration || at >= own)) return start;
    if (!is_open && at >= before) return std::nullopt;
    const bool is_enough = steps_[step].free >= processors;
    if (is_enough && !is_open) start = at;
    is_open = is_enough;
  }
  return is_open ? std::optional(start) : std::nullopt;
}

void Profile::forget_before(Instant now) {
  first_ = step_of(now);
  if (first_ < forgotten_steps_max || 2 * first_ < steps_.size()) return;
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

}  // namespace dmm
