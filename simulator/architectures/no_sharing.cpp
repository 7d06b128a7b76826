// See no_sharing.hpp.
#include "simulator/architectures/no_sharing.hpp"

namespace dmm {

void NoSharing::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.size(job.home)) return floor.refuse(job);
  queues_[job.home].push(job);
  touched_.push_back(job.home);
}

void NoSharing::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
  for (const Piece& piece : job.pieces) touched_.push_back(piece.cluster);
}

void NoSharing::settle(Floor& floor) {
  for (const std::uint32_t cluster : touched_) {
    WaitingQueue& queue = queues_[cluster];
    // What is idle only shrinks during a scan, so it need not begin again at the head.
    WaitingQueue::Place place = 0;
    while ((place = queue.first_fit(place, floor.idle(cluster))) != WaitingQueue::none) {
      floor.count(MessageKind::match_claim_release);
      floor.start(queue.at(place), cluster);
      queue.erase(place);
    }
  }
  touched_.clear();
}

std::vector<StreamJob> NoSharing::hand_over() {
  std::vector<StreamJob> jobs;
  for (WaitingQueue& queue : queues_) queue.drain_to(jobs);
  sort_by_arrival(jobs);
  return jobs;
}

}  // namespace dmm
