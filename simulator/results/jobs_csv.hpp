// jobs.csv: one row a job, in the order of their ends, with the columns of Batsim's, so that evalys and users'
// scripts read it. Times are in seconds. What Batsim has no word for is in the column metadata, as "key=value"
// with blanks between: the home of the job, whose processors it had, its delegations and messages, and what became
// of it.
//
// A job that ran when the simulation was stopped counts as killed then; one that never started as rejected. Both
// have state=unfinished in their metadata.
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

  /// `end_seconds`: of a job that has no end, when the simulation was stopped.
  void add(const SimulatedOutcome& ended, double end_seconds, std::span<const ProcessorRange> processors);
  std::string close() { return file_.close(); }

 private:
  ResultFile file_;
  const Grid& grid_;
  std::string workload_name_;
};

}  // namespace dmm
