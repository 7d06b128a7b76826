// The clocks of the operating system; see clock.hpp.
#include "runtime/clock.hpp"

#include <cstdio>
#include <ctime>

#include "runtime/files.hpp"

namespace dmm {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec value{};
  clock_gettime(clock, &value);
  return static_cast<std::int64_t>(value.tv_sec) * 1'000'000 + value.tv_nsec / 1'000;
}

}  // namespace

Instant monotonic_now() { return {read_clock(CLOCK_MONOTONIC)}; }

std::int64_t wall_microseconds() { return read_clock(CLOCK_REALTIME); }

std::string utc_text(std::int64_t wall_microseconds) {
  const std::time_t second = static_cast<std::time_t>(wall_microseconds / 1'000'000);
  std::tm parts{};
  gmtime_r(&second, &parts);
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", parts.tm_year + 1900,
                                   parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                                   static_cast<int>(wall_microseconds % 1'000'000));
  return {text, static_cast<std::size_t>(length)};
}

std::string boot_name() {
  std::string name = read_head("/proc/sys/kernel/random/boot_id", 64);
  while (name.ends_with('\n')) name.pop_back();
  return name.empty() ? "unknown" : name;
}

}  // namespace dmm
