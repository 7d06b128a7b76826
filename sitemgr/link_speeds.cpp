// Timed frames and what they tell; see link_speeds.hpp.
#include "sitemgr/link_speeds.hpp"

#include <algorithm>
#include <array>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// A link is probed no more often.
constexpr Duration probe_interval = seconds(600);
/// What the Probes carry, by their numbers from 1. The longest is at most 420 bytes a second of probing.
constexpr std::array<std::size_t, 3> probe_bytes{0, 15'000, 240'000};
/// A Probe that took no longer than this beyond the way alone says little: the next one is longer.
constexpr Duration well_timed = milliseconds(20);
/// What can't be told from the noise of two processes at work: a link faster than 4.8 GB/s counts as that fast.
constexpr Duration shortest = microseconds(50);

static_assert(probe_bytes.back() <= probe_bytes_max);

}  // namespace

Probe LinkSpeeds::send(Instant now, Link& link, std::uint32_t number) {
  DMM_ASSERT(number > 0 && number <= probe_bytes.size());
  link.sent = now;
  link.out = number;
  return {number, std::string(probe_bytes[number - 1], '\0')};
}

std::optional<Probe> LinkSpeeds::begin(Instant now, std::size_t n) {
  DMM_ASSERT(n < links_.size());
  Link& link = links_[n];
  if (link.begun && now - *link.begun < probe_interval) return std::nullopt;
  link.begun = now;
  return send(now, link, 1);
}

std::optional<Probe> LinkSpeeds::hear(Instant now, std::size_t n, const Probed& answer) {
  DMM_ASSERT(n < links_.size());
  Link& link = links_[n];
  if (link.out == 0 || answer.number != link.out) return std::nullopt;  // of a probing that is over
  const std::uint32_t number = std::exchange(link.out, 0);
  const Duration took = std::max(now - link.sent, Duration{});
  if (number == 1) {
    link.way = took;
    return send(now, link, 2);
  }
  const Duration under_way = std::max(took - link.way, shortest);
  if (under_way < well_timed && number < probe_bytes.size()) return send(now, link, number + 1);
  link.bytes_per_second = probe_bytes[number - 1] * 1'000'000 / static_cast<std::uint64_t>(under_way.microseconds);
  DMM_ASSERT(link.bytes_per_second > 0 || under_way > seconds(1));
  return std::nullopt;
}

void LinkSpeeds::lose(std::size_t n) {
  DMM_ASSERT(n < links_.size());
  links_[n].out = 0;
}

std::uint64_t LinkSpeeds::of(std::size_t n) const {
  DMM_ASSERT(n < links_.size());
  return links_[n].bytes_per_second;
}

}  // namespace dmm
