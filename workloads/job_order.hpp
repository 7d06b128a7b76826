// Puts a log's jobs into the order of their submission. Most logs have that order, some have a few lines out of
// it, and nothing keeps a file from being in none at all; so jobs pass through a buffer of bounded size, and a
// file that is out of order by more than the buffer has to be loaded whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/log_reader.hpp"
#include "workloads/workload.hpp"

namespace dmm {

/// A job on its way through the buffer.
struct OrderedJob {
  TraceJob job;
  std::uint32_t home = 0;
  std::uint64_t line = 0;  ///< in its file: the order among equals
};

/// Hands out the earliest of the jobs it holds; of equal times that of the lowest home, then of the first line.
class OrderBuffer {
 public:
  void put(const OrderedJob& job);
  /// There must be one.
  OrderedJob take();
  std::size_t size() const { return jobs_.size(); }

 private:
  std::vector<OrderedJob> jobs_;  ///< a heap
};

enum class LogOrder : std::uint8_t {
  sorted,        ///< no line is submitted before the line ahead
  nearly,        ///< some are, and a buffer of the size asked about puts them right
  out_of_order,  ///< it doesn't
};

/// How much of the order of submission a log has, by reading it once from end to end, only for that. All records
/// with a submit time count, usable or not. A file that can't be read counts as sorted: reading it will say why.
LogOrder order_of(const std::string& path, std::size_t buffer_jobs);

}  // namespace dmm
