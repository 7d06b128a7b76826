// A run from beginning to end: start a testbed, run a workload through it, wait until every node is home, collect the
// figures, and stop everything. Everything is also stopped after Ctrl-C, and when a step fails.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/testbed/run_report.hpp"
#include "cli/testbed/testbed.hpp"
#include "workloads/multicluster.hpp"

namespace dmm {

struct RunOptions {
  TestbedOptions testbed;
  WorkloadOptions workload;
  double timeout_seconds = 600;  ///< without a start or end of a job, beyond the longest job's run time
  std::uint32_t dttl = 5;
  std::string output;  ///< the folder for logs and figures; empty: run_folder
  bool keep = false;   ///< leave the testbed up
  bool json = false;
};

/// Runs, and prints the results. Returns the exit code.
int run_workload(RunOptions options);

}  // namespace dmm
