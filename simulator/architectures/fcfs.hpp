// First come, first served on the job's own cluster, without backfilling: all jobs of a cluster's queue wait behind
// its head. On one cluster it is the yardstick of every scheduling paper. On several it is `sep-c` of Iosup et al.
// 2007, section 5.2.3: independent clusters, every job pushed to the queue of its home. Messages: own_queues.hpp.
#pragma once

#include <deque>

#include "simulator/architectures/own_queues.hpp"

namespace dmm {

class FcfsQueue {
 public:
  void push(const StreamJob& job) { waiting_.push_back(job); }
  void serve(Floor& floor, std::uint32_t cluster);
  void drain_to(std::vector<StreamJob>& jobs);

 private:
  std::deque<StreamJob> waiting_;
};

using Fcfs = OwnQueues<FcfsQueue>;

}  // namespace dmm
