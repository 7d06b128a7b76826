// jobs.csv: a row for each job, in the order in which jobs end. It has Batsim's columns, so that evalys and users'
// scripts read it. Times are in seconds. The column metadata holds what Batsim has no column for, as "key=value"
// separated by blanks: the job's home and state, the origin and clusters of its processors, its delegations and
// messages.
//
// A job that ran when the simulation was stopped counts as killed then; a job that never started counts as rejected.
// Both have state=unfinished in their metadata.
#pragma once

#include <span>
#include <string>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/results/processor_numbers.hpp"
#include "simulator/results/result_file.hpp"

namespace dmm {

class JobsCsv {
 public:
  /// `grid` must outlive it.
  JobsCsv(const std::string& path, const Grid& grid, std::string workload_name);

  /// `end_seconds`: when the simulation was stopped, for a job without an end.
  void add(const SimulatedOutcome& ended, double end_seconds, std::span<const ProcessorRange> processors);
  std::string close() { return file_.close(); }

 private:
  ResultFile file_;
  const Grid& grid_;
  std::string workload_name_;
};

}  // namespace dmm
