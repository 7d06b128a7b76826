// One job of a recorded workload. Its fields are the columns of the Standard Workload Format that this program reads,
// with the format's meaning; the Grid Workloads Format names the same things. Times are trace seconds, before any
// speed-up.
// Source: Chapin et al. 1999 and the Parallel Workloads Archive's page on the format, version 2.2.
#pragma once

#include <cstdint>
#include <string>

namespace dmm {

/// Why a workload can't be used: names the file, and the line if one line is at fault.
struct WorkloadError {
  std::string text;
};

/// A job that can be replayed: run_seconds and processors are at least 1. In other fields -1 means that the log
/// doesn't say.
struct TraceJob {
  std::uint64_t number = 0;             ///< column 1; in some logs neither consecutive nor unique
  std::int64_t submit_seconds = 0;      ///< column 2, at least 0, counted from the start of the log
  std::int64_t wait_seconds = -1;       ///< column 3: how long it waited on the machine where it was recorded
  std::int64_t run_seconds = 0;         ///< column 4
  std::uint32_t processors = 0;         ///< column 5 (allocated), or column 8 (requested) where 5 is unknown
  std::int64_t requested_seconds = -1;  ///< column 9: the user's estimate of the run time
  std::int32_t status = -1;             ///< column 11: 1 completed, 0 failed, 5 cancelled; or exit codes
  std::int32_t user = -1;               ///< column 12
  std::int32_t partition = -1;          ///< column 16: in logs of several clusters, the cluster
  std::int32_t queue = -1;              ///< column 15
  std::int32_t site = -1;               ///< where it was submitted; only the Grid Workloads Format says it

  bool operator==(const TraceJob&) const = default;
};

}  // namespace dmm
