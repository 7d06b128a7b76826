// `migration-only` of Jones et al. 2004, section 4.1: a meta-scheduler that knows all clusters at once runs each job
// whole on one cluster. It takes the cluster with the best fit: fewest processors left idle, the lower number among
// equals. It has one queue for all, served by FCFS_SCAN (no_sharing.hpp).
//
// Messages a job: 2 job data exchange (user to meta-scheduler, on to the cluster), 2 match-claim-release.
#pragma once

#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

class MigrationOnly {
 public:
  MigrationOnly(const Floor&, const ModelParameters&) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

 private:
  WaitingQueue queue_;
};

}  // namespace dmm
