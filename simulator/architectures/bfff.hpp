// `bfff` of Jones et al. 2004, section 4.1: a meta-scheduler that knows all clusters at once. It splits a job over
// several clusters where no single one has room (co-allocation). It has one queue for all, served by FCFS_SCAN
// (no_sharing.hpp): a job fits if the grid has enough idle processors in all.
//
// Best fit, in our reading ("the number of links is minimised"): a job that fits on a cluster goes to the one where
// it leaves the fewest idle. Else it gets as few clusters as possible: all idle processors of the cluster with the
// most, and so on, until best fit places the rest on another cluster. The lower number wins among equals. The floor
// decides how long a split job runs (SimulationOptions::execution).
//
// Messages a job: 1 job data exchange from its user; for each of its clusters 1 more, and 2 match-claim-release.
#pragma once

#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

class Bfff {
 public:
  Bfff(const Floor& floor, const ModelParameters&) : processors_(floor.grid().processors()) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

 private:
  void place(const Floor& floor, std::uint32_t processors);

  std::uint64_t processors_;  ///< of the grid
  WaitingQueue queue_;
  std::vector<std::uint32_t> idle_;   ///< what is left while a job is placed
  std::vector<ClusterShare> pieces_;  ///< where it is placed
};

}  // namespace dmm
