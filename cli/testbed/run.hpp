// One run from beginning to end: a testbed comes up, a workload goes through it, every node comes home, the
// figures are collected, and everything is stopped; also after Ctrl-C, and when anything fails half way.
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
  double timeout_seconds = 600;  ///< without a job that starts or ends, beyond the longest job's run time
  std::uint32_t dttl = 5;
  std::string output;  ///< the folder for logs and figures; empty: run_folder
  bool keep = false;   ///< leave the testbed up
  bool json = false;
};

/// Runs, and prints what came of it. The exit code.
int run_workload(RunOptions options);

}  // namespace dmm
