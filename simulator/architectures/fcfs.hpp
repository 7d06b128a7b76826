// First come, first served on the job's own cluster, without backfilling: the queue of each cluster waits for its
// head. On one cluster it is the yardstick of every scheduling paper; on several it is `sep-c` of Iosup et al.
// 2007, section 5.2.3: independent clusters, every job pushed to the queue of its home.
//
// Messages a job: 1 job data exchange (its user's job manager pushes it, with its description, to the cluster's
// queue), and for each cluster that it runs on (one, here) 2 match-claim-release: the queue claims the processors,
// and they say when they are free again. Nobody negotiates, and no broker is told of supply.
#pragma once

#include <deque>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"

namespace dmm {

class Fcfs {
 public:
  Fcfs(const Floor& floor, const ModelParameters&) : queues_(floor.clusters()) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

 private:
  std::vector<std::deque<StreamJob>> queues_;  ///< by cluster
  std::vector<std::uint32_t> touched_;         ///< clusters at which anything happened since the last settling
};

}  // namespace dmm
