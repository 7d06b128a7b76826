// `no-sharing` of Jones et al. 2004, section 4.1: each job runs whole on its home cluster, and no cluster helps
// another. The queue of each cluster is served by FCFS_SCAN: from head to tail, every job that fits into what is
// idle starts, so that a wide job may be passed by narrower ones without end. It is scanned when a job arrives and
// when one ends. Messages: own_queues.hpp.
#pragma once

#include "simulator/architectures/own_queues.hpp"

namespace dmm {

class ScannedQueue {
 public:
  void push(const StreamJob& job) { waiting_.push(job); }
  void serve(Floor& floor, std::uint32_t cluster);
  void drain_to(std::vector<StreamJob>& jobs) { waiting_.drain_to(jobs); }

 private:
  WaitingQueue waiting_;
};

using NoSharing = OwnQueues<ScannedQueue>;

}  // namespace dmm
