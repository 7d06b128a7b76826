// A workload as all code that replays it sees it: one job after the other, by submit time. The source (one log,
// several, a model) is behind one function, so memory doesn't grow with the number of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "protocol/time.hpp"

namespace dmm {

/// A rigid job. `run` is at least one microsecond, `processors` at least 1.
struct StreamJob {
  std::uint64_t number = 0;  ///< from 1, in the order of the stream
  std::uint32_t home = 0;    ///< the cluster of the site where it is submitted
  std::uint32_t user = 0;    ///< of its home, from 0
  Instant submit{};          ///< not before that of the previous job
  Duration run{};            ///< on processors of one cluster
  Duration estimate{};       ///< the user's estimate; the run time where the log has none
  std::uint32_t processors = 1;
};

/// The next job; nothing when there are no more.
using JobStream = std::function<std::optional<StreamJob>()>;

}  // namespace dmm
