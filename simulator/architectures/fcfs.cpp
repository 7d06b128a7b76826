// See fcfs.hpp.
#include "simulator/architectures/fcfs.hpp"

#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

void Fcfs::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.size(job.home)) return floor.refuse(job);
  queues_[job.home].push_back(job);
  touched_.push_back(job.home);
}

void Fcfs::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
  for (const Piece& piece : job.pieces) touched_.push_back(piece.cluster);
}

void Fcfs::settle(Floor& floor) {
  for (const std::uint32_t cluster : touched_) {
    std::deque<StreamJob>& queue = queues_[cluster];
    while (!queue.empty() && queue.front().processors <= floor.idle(cluster)) {
      floor.count(MessageKind::match_claim_release);
      floor.start(queue.front(), cluster);
      queue.pop_front();
    }
  }
  touched_.clear();
}

std::vector<StreamJob> Fcfs::hand_over() {
  std::vector<StreamJob> jobs;
  for (std::deque<StreamJob>& queue : queues_) {
    jobs.insert(jobs.end(), queue.begin(), queue.end());
    queue.clear();
  }
  sort_by_arrival(jobs);
  return jobs;
}

}  // namespace dmm
