// Stamps: readings of our own clock that our frames carry and the peer echoes. An echo tells how long ago its
// stamp was made, so no two clocks are ever compared.
#pragma once

#include <optional>

#include "protocol/messages.hpp"

namespace dmm {

/// Stamps are 2^16 .. 2^32-1, so that each takes as many bytes as the other, and come round after that.
constexpr std::int64_t first_stamp = 1 << 16;
constexpr std::int64_t stamps = 0xFFFFFFFF - first_stamp + 1;

inline Stamp stamp_at(Instant at) {
  const std::int64_t milliseconds = at.microseconds / 1'000;
  return static_cast<Stamp>((milliseconds % stamps + stamps) % stamps + first_stamp);
}

/// The stamp of the moment that is `held` later than that of `stamp`.
inline Stamp later(Stamp stamp, Duration held) {
  return static_cast<Stamp>((std::int64_t{stamp} - first_stamp + held.microseconds / 1'000) % stamps +
                            first_stamp);
}

/// How long ago the stamp was made; nothing if it can't be ours or is too old to mean anything. An echo may lie
/// ahead of our clock by a little: the peer counts by its own for how long it held the stamp, and that may be the
/// faster one.
inline std::optional<Duration> since(Stamp stamp, Instant now) {
  constexpr Duration longest = seconds(600), ahead_max = seconds(1);
  if (stamp < first_stamp) return std::nullopt;
  const std::int64_t passed = (std::int64_t{stamp_at(now)} - stamp + stamps) % stamps;
  const Duration length = milliseconds(passed), ahead = milliseconds(stamps - passed);
  if (ahead <= ahead_max) return Duration{};
  return length > longest ? std::nullopt : std::optional(length);
}

}  // namespace dmm
