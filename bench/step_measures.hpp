// What steps of one site manager take, as the scale benches print it: processor time, the longest step, memory, and
// peers that were counted as dead. Processor time, so that other work on the machine has no influence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include <time.h>
#include <unistd.h>

#include "bench/role.hpp"

namespace dmm::bench {

/// Processor time of this program so far, in seconds.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Resident memory of this program, in kB.
inline double memory_kb() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) fail("no /proc/self/statm");
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// What the steps took since `begin`.
class StepMeasures {
 public:
  void begin() {
    steps_ = 0;
    seconds_ = longest_ = 0;
    lost_ = 0;
    memory_ = memory_kb();
  }
  /// A step took this many seconds, and counted `lost` peers as dead.
  void add(double seconds, std::size_t lost) {
    ++steps_;
    seconds_ += seconds;
    longest_ = std::max(longest_, seconds);
    lost_ += lost;
  }
  /// Prints what was measured since `begin`, in all and for each of `items`.
  void print(const char* what, double items) const {
    std::printf("%-52s %9.0f %8.3f %8.2f %7zu %8.2f %8.2f %5zu\n", what, items, seconds_, seconds_ * 1e6 / items,
                steps_, longest_ * 1e3, (memory_kb() - memory_) / items, lost_);
    std::fflush(stdout);
  }
  static void print_head() {
    std::printf("%-52s %9s %8s %8s %7s %8s %8s %5s\n", "", "things", "s", "us each", "steps", "max ms", "kB each",
                "dead");
  }

 private:
  std::size_t steps_ = 0, lost_ = 0;
  double seconds_ = 0, longest_ = 0, memory_ = 0;
};

}  // namespace dmm::bench
