#include "simulator/architectures/migration_only.hpp"

#include <algorithm>

#include "simulator/architectures/cluster_choice.hpp"

namespace dmm {
namespace {

std::uint32_t most_idle(const Floor& floor) {
  std::uint32_t most = 0;
  for (std::uint32_t cluster = 0; cluster < floor.clusters(); ++cluster)
    most = std::max(most, floor.idle(cluster));
  return most;
}

}  // namespace

void MigrationOnly::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.largest_cluster()) return floor.refuse(job);
  queue_.push(job);
}

void MigrationOnly::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
}

void MigrationOnly::settle(Floor& floor) {
  const auto idle = [&](std::uint32_t cluster) { return floor.idle(cluster); };
  WaitingQueue::Place place = 0;
  while (!queue_.empty() && (place = queue_.first_fit(place, most_idle(floor))) != WaitingQueue::none) {
    const StreamJob& job = queue_.at(place);
    const auto cluster = choose_cluster(ClusterChoice::best_fit, floor.clusters(), job.home, job.processors, idle);
    DMM_ASSERT(cluster);
    floor.count(MessageKind::job_data_exchange);
    floor.count(MessageKind::match_claim_release);
    floor.start(job, *cluster);
    queue_.erase(place);
  }
}

std::vector<StreamJob> MigrationOnly::hand_over() {
  std::vector<StreamJob> jobs;
  queue_.drain_to(jobs);
  return jobs;
}

}  // namespace dmm
