// Which job was on which processor, and when: a box for each job and range of processors. A browser shows some
// thousand boxes well, so only those with the most processor-time are kept. The drawing says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/origin.hpp"
#include "simulator/architectures/grid.hpp"
#include "simulator/results/processor_numbers.hpp"

namespace dmm {

class Gantt {
 public:
  static constexpr std::size_t boxes_max = 6000;

  /// `grid` must outlive it.
  explicit Gantt(const Grid& grid);

  void add(std::uint64_t job, std::span<const ProcessorRange> processors, double start_seconds, double end_seconds,
           Origin origin);
  /// A whole document; `title` heads it.
  std::string document(const std::string& title) const;

 private:
  struct Box {
    double start = 0;
    double end = 0;
    ProcessorRange processors;
    std::uint64_t job = 0;
    Origin origin = Origin::local;

    double area() const { return (end - start) * static_cast<double>(processors.last - processors.first + 1); }
  };
  static bool larger(const Box& a, const Box& b);

  const Grid& grid_;
  std::vector<Box> boxes_;  ///< a heap with the smallest in front, once it is full
  std::uint64_t seen_ = 0;
  double start_ = 0;
  double end_ = 0;
};

}  // namespace dmm
