// The figures of a run by home: of the jobs that the users of one cluster submitted, and of those of a whole grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/results/wait_distribution.hpp"

namespace dmm {

struct HomeFigures {
  std::uint64_t jobs_submitted = 0;
  std::uint64_t jobs_finished = 0;
  double wait_seconds = 0;  ///< sum over finished jobs
  std::array<double, origin_count> goodput_processor_seconds{};

  void add(const JobOutcome& outcome);
  HomeFigures& operator+=(const HomeFigures& other);
  double average_wait_seconds() const {
    return jobs_finished == 0 ? 0 : wait_seconds / static_cast<double>(jobs_finished);
  }
  double goodput() const;
};

/// A grid of a federation: all clusters under one root.
struct GridGroup {
  std::string name;
  std::vector<std::uint32_t> clusters;
  std::uint64_t processors = 0;
};

/// The groups in the order of their first clusters. `root_names` is indexed by GridCluster::root; a root without a
/// name is called by its number.
std::vector<GridGroup> groups_of(const Grid& grid, const std::vector<std::string>& root_names);

}  // namespace dmm
