// One queue for each cluster, for jobs that run whole on their home cluster: the common part of `fcfs` and
// `no-sharing`. The two differ in the waiting jobs that they start.
//
// Messages a job: 1 job data exchange (its user's job manager pushes it, with its description, to the cluster's
// queue). For each of its clusters (one, here) 2 match-claim-release: the queue claims the processors, and they say
// when they are free again. There is no negotiation, and no broker hears of free nodes.
#pragma once

#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

/// A Queue has `push(job)`, `serve(floor, cluster)`, which starts jobs, and `drain_to(jobs)`.
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
  std::vector<std::uint32_t> touched_;  ///< clusters with an event since the last settle()
};

}  // namespace dmm
