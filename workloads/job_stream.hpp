// A workload as everything that replays it sees it: one job after the other, by submit time. Where they come from (a
// log, several, a model) is hidden behind one function, so that ten million jobs need no more memory than ten.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "protocol/time.hpp"

namespace dmm {

/// A rigid job. `run` is at least one microsecond, `processors` at least 1.
struct StreamJob {
  std::uint64_t number = 0;  ///< from 1, in the order of the stream
  std::uint32_t home = 0;    ///< the cluster at whose site it is submitted
  std::uint32_t user = 0;    ///< of its home, from 0
  Instant submit{};          ///< never before that of the job ahead
  Duration run{};            ///< on processors of one cluster
  Duration estimate{};       ///< what its user says that it runs; the run time where the log doesn't tell
  std::uint32_t processors = 1;
};

/// The next job; nothing when there are no more.
using JobStream = std::function<std::optional<StreamJob>()>;

}  // namespace dmm
