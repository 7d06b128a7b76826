// `no-sharing` of Jones et al. 2004, section 4.1: each job runs whole on its home cluster, and no cluster helps
// another. The queue of each cluster is served by FCFS_SCAN: from head to tail, every job that fits into what is
// idle starts, so that a wide job may be passed by narrower ones without end. It is scanned when a job arrives and
// when one ends.
//
// Messages: as fcfs.
#pragma once

#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

class NoSharing {
 public:
  NoSharing(const Floor& floor, const ModelParameters&) : queues_(floor.clusters()) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

 private:
  std::vector<WaitingQueue> queues_;    ///< by cluster
  std::vector<std::uint32_t> touched_;  ///< clusters at which anything happened since the last settling
};

}  // namespace dmm
