// Time as integers. There is no clock in this folder: an Instant is an argument, from a monotonic clock or from a
// simulation. Only Durations travel between hosts.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace dmm {

/// A length of time in microseconds.
struct Duration {
  std::int64_t microseconds = 0;

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const { return {microseconds + other.microseconds}; }
  constexpr Duration operator-(Duration other) const { return {microseconds - other.microseconds}; }
  constexpr Duration operator*(std::int64_t factor) const { return {microseconds * factor}; }
  constexpr Duration operator/(std::int64_t divisor) const { return {microseconds / divisor}; }
  constexpr Duration& operator+=(Duration other) { return microseconds += other.microseconds, *this; }
  constexpr double in_seconds() const { return static_cast<double>(microseconds) / 1e6; }
};

constexpr Duration microseconds(std::int64_t count) { return {count}; }
constexpr Duration milliseconds(std::int64_t count) { return {count * 1000}; }
constexpr Duration seconds(std::int64_t count) { return {count * 1'000'000}; }
/// The longest duration in a message, some 31 years: no sum of an instant and durations overflows.
constexpr Duration duration_max{1'000'000'000'000'000};
/// The longest promise for a lease at a time: a peer cuts a longer one.
constexpr Duration term_max = seconds(24 * 3600);
/// The longest round trip that is believed: sixteen hops of ten seconds each way, and the time that they spend on it.
constexpr Duration round_trip_max = seconds(400);
/// Rounded to the nearest microsecond.
constexpr Duration from_seconds(double count) {
  return {static_cast<std::int64_t>(count * 1e6 + (count < 0 ? -0.5 : 0.5))};
}

/// A point on one host's monotonic clock, in microseconds; never sent to another host.
struct Instant {
  std::int64_t microseconds = 0;

  constexpr auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Duration d) const { return {microseconds + d.microseconds}; }
  constexpr Instant operator-(Duration d) const { return {microseconds - d.microseconds}; }
  constexpr Duration operator-(Instant other) const { return {microseconds - other.microseconds}; }
};

/// Later than anything that happens.
constexpr Instant never{INT64_MAX};

/// An instant that may be missing, in half the size of a std::optional.
class MaybeInstant {
 public:
  constexpr MaybeInstant() = default;
  constexpr MaybeInstant(Instant at) : at_(at) {}
  constexpr MaybeInstant(std::optional<Instant> at) : at_(at.value_or(never)) {}
  constexpr explicit operator bool() const { return at_ != never; }
  constexpr Instant operator*() const { return at_; }
  constexpr operator std::optional<Instant>() const { return *this ? std::optional(at_) : std::nullopt; }
  constexpr void reset() { at_ = never; }

 private:
  Instant at_ = never;  ///< never: it is missing
};

}  // namespace dmm
