// One queue a cluster, for jobs that run whole on their own cluster: what `fcfs` and `no-sharing` have in common. They
// differ in which waiting jobs they start.
//
// Messages a job: 1 job data exchange (its user's job manager pushes it, with its description, to the cluster's
// queue), and for each cluster that it runs on (one, here) 2 match-claim-release: the queue claims the processors,
// and they say when they are free again. Nobody negotiates, and no broker is told of supply.
#pragma once

#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

/// A Queue has `push(job)`, `serve(floor, cluster)`, which starts what it starts, and `drain_to(jobs)`.
template <class Queue>
class OwnQueues {
 public:
  OwnQueues(const Floor& floor, const ModelParameters&) : queues_(floor.clusters()) {}

  void arrive(Floor& floor, const StreamJob& job) {
    floor.count(MessageKind::job_data_exchange);
    if (job.processors > floor.size(job.home)) return floor.refuse(job);
    queues_[job.home].push(job);
    touched_.push_back(job.home);
  }
  void ended(Floor& floor, const RunningJob& job) {
    floor.count(MessageKind::match_claim_release, job.pieces.size());
    for (const ClusterShare& piece : job.pieces) touched_.push_back(piece.cluster);
  }
  void settle(Floor& floor) {
    for (const std::uint32_t cluster : touched_) queues_[cluster].serve(floor, cluster);
    touched_.clear();
  }
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over() {
    std::vector<StreamJob> jobs;
    for (Queue& queue : queues_) queue.drain_to(jobs);
    sort_by_arrival(jobs);
    return jobs;
  }

 private:
  std::vector<Queue> queues_;           ///< by cluster
  std::vector<std::uint32_t> touched_;  ///< clusters at which anything happened since the last settling
};

}  // namespace dmm
