// outcome.swf: the result of the workload in the Standard Workload Format. Submit times, sizes and estimates are
// those of the input; wait, run time and status are those of the simulation. Times are whole seconds, as the format
// demands. The partition is the cluster where a job was submitted, so that the file can be simulated again. The queue
// is the cluster where it ran.
//
// The format wants jobs by submit time, but jobs arrive in the order of their ends. A row therefore waits until all
// earlier jobs have ended. At most rows_held_max rows wait. Beyond that, a job that hasn't ended comes late in the
// file, which costs readers only the order.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/results/result_file.hpp"

namespace dmm {

class OutcomeSwf {
 public:
  static constexpr std::size_t rows_held_max = 1 << 20;

  /// `title` says what was simulated, in one line.
  OutcomeSwf(const std::string& path, const Grid& grid, const std::string& title);

  void add(const SimulatedOutcome& ended, double end_seconds);
  std::string close();

 private:
  struct Row {
    std::int64_t submit_seconds = 0;
    std::int64_t wait_seconds = -1;
    std::int64_t run_seconds = -1;
    std::int64_t estimate_seconds = -1;
    std::uint32_t processors = 0;
    std::uint32_t user = 0;
    std::uint32_t home = 0;
    std::int32_t ran = -1;
    std::int8_t status = -1;
    bool ended = false;
  };

  static Row row_of(const SimulatedOutcome& ended, double end_seconds);
  void write(std::uint64_t number, const Row& row);
  void write_first();

  ResultFile file_;
  std::deque<Row> rows_;     ///< of jobs from first_ on
  std::uint64_t first_ = 1;  ///< the number of the job that is written next
};

}  // namespace dmm
