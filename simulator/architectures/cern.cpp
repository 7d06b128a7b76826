#include "simulator/architectures/cern.hpp"

#include "simulator/architectures/cluster_choice.hpp"

namespace dmm {

void Cern::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.largest_cluster()) return floor.refuse(job);
  queue_.push_back(job);
}

void Cern::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
}

void Cern::settle(Floor& floor) {
  const auto idle = [&](std::uint32_t cluster) { return floor.idle(cluster); };
  while (!queue_.empty()) {
    const StreamJob& head = queue_.front();
    if (head.processors > floor.idle_in_all()) return;
    const auto cluster = choose_cluster(choice_, floor.clusters(), head.home, head.processors, idle);
    if (!cluster) return;
    floor.count(MessageKind::notify_broker);
    floor.count(MessageKind::job_data_exchange);
    floor.count(MessageKind::match_claim_release);
    floor.start(head, *cluster);
    queue_.pop_front();
  }
}

std::vector<StreamJob> Cern::hand_over() {
  const std::vector<StreamJob> jobs(queue_.begin(), queue_.end());
  queue_.clear();
  return jobs;
}

}  // namespace dmm
