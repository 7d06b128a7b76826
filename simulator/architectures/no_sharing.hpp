// `no-sharing` of Jones et al. 2004, section 4.1: each job runs whole on its home cluster, and clusters don't help
// each other. FCFS_SCAN serves the queue of each cluster whenever a job arrives or ends: from head to tail, every job
// that fits into the idle processors starts. So narrower jobs may pass a wide one without end. Messages:
// own_queues.hpp.
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
