// Which processors a job had, by number: the models and the managers only count processors, but readers of a schedule
// want to see them. Processors are numbered from 0 across all clusters, in the order of the clusters.
//
// Jobs come in the order of their ends. A job takes processors of its cluster that are free at its start: first those
// that became free last, then low numbers. This is the greedy rule for intervals on identical machines, so any
// schedule that is possible by count gets distinct numbers. A job that arrives after one with a later end may find
// too few; then it shares some, and shared() counts them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"

namespace dmm {

/// Processors from first to last, both included.
struct ProcessorRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  bool operator==(const ProcessorRange&) const = default;
};

class ProcessorNumbers {
 public:
  explicit ProcessorNumbers(const Grid& grid);

  /// The numbers for a job's pieces, ascending.
  std::vector<ProcessorRange> take(std::span<const ClusterShare> pieces, double start_seconds, double end_seconds);
  /// The number of a cluster's first processor.
  std::uint64_t first_of(std::uint32_t cluster) const { return first_[cluster]; }
  /// Processors that were given to two jobs at once.
  std::uint64_t shared() const { return shared_; }

 private:
  using Ranges = std::vector<ProcessorRange>;  ///< ascending, not touching
  using ByEnd = std::map<double, Ranges>;      ///< processors of a cluster by the end of their last job

  std::uint64_t take_from(ByEnd& ends, ByEnd::iterator group, std::uint64_t wanted, Ranges& taken);

  std::vector<std::uint64_t> first_;
  std::vector<ByEnd> ends_;  ///< by cluster
  std::uint64_t shared_ = 0;
};

/// "0-3 7".
std::string to_text(std::span<const ProcessorRange> ranges);

}  // namespace dmm
