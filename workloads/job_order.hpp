// Puts a log's jobs into the order of their submission. Most logs have that order, and some have a few lines out of
// it. Jobs therefore pass through a buffer of bounded size. A file that needs a larger buffer has to be loaded whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/log_reader.hpp"
#include "workloads/recorded_job.hpp"

namespace dmm {

/// A job on its way through the buffer.
struct OrderedJob {
  TraceJob job;
  std::uint32_t home = 0;
  std::uint64_t line = 0;  ///< in its file; orders jobs of equal time and home
};

/// Hands out the earliest of its jobs. Jobs of equal times come by home, then by line.
class OrderBuffer {
 public:
  void put(const OrderedJob& job);
  /// The buffer must not be empty.
  OrderedJob take();
  std::size_t size() const { return jobs_.size(); }

 private:
  std::vector<OrderedJob> jobs_;  ///< a heap
};

enum class LogOrder : std::uint8_t {
  sorted,        ///< each line is submitted no earlier than the line before
  nearly,        ///< a buffer of the given size can sort the lines
  out_of_order,  ///< the buffer is too small
};

/// Finds whether a log is in the order of submission, by reading it once. All records with a submit time count,
/// usable or not. A file that can't be read counts as sorted, because reading it later reports the error.
LogOrder order_of(const std::string& path, std::size_t buffer_jobs);

}  // namespace dmm
