#include "simulator/architectures/condor.hpp"

#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

void Condor::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::notify_broker);
  if (job.processors > floor.size(job.home)) return floor.refuse(job);
  queues_[job.home].push_back(job);
  ++waiting_;
}

void Condor::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::notify_broker, job.pieces.size());
  floor.count(MessageKind::match_claim_release, release_messages * job.pieces.size());
}

void Condor::settle(Floor& floor) {
  if (!rounds_.begins(floor.now()) || waiting_ == 0) return;
  for (std::uint32_t cluster = 0; cluster < queues_.size(); ++cluster) match(floor, cluster);
}

void Condor::match(Floor& floor, std::uint32_t cluster) {
  std::deque<StreamJob>& queue = queues_[cluster];
  while (!queue.empty()) {
    floor.count(MessageKind::negotiate, negotiation_messages);
    if (queue.front().processors > floor.idle(cluster)) return;
    floor.count(MessageKind::match_claim_release, match_messages);
    floor.count(MessageKind::job_data_exchange);
    floor.start(queue.front(), cluster);
    queue.pop_front();
    --waiting_;
  }
}

std::vector<StreamJob> Condor::hand_over() {
  std::vector<StreamJob> jobs;
  for (std::deque<StreamJob>& queue : queues_) {
    jobs.insert(jobs.end(), queue.begin(), queue.end());
    queue.clear();
  }
  waiting_ = 0;
  sort_by_arrival(jobs);
  return jobs;
}

}  // namespace dmm
