#include "simulator/architectures/bfff.hpp"

#include <algorithm>
#include <limits>

#include "simulator/architectures/cluster_choice.hpp"

namespace dmm {

void Bfff::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > processors_) return floor.refuse(job);
  queue_.push(job);
}

void Bfff::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
}

void Bfff::settle(Floor& floor) {
  constexpr std::uint64_t widest = std::numeric_limits<std::uint32_t>::max() - 1;
  WaitingQueue::Place next = 0;
  while (!queue_.empty()) {
    const auto idle = static_cast<std::uint32_t>(std::min(floor.idle_in_all(), widest));
    next = queue_.first_fit(next, idle);
    if (next == WaitingQueue::none) return;
    place(floor, queue_.at(next).processors);
    floor.count(MessageKind::job_data_exchange, pieces_.size());
    floor.count(MessageKind::match_claim_release, pieces_.size());
    floor.start(queue_.at(next), pieces_);
    queue_.erase(next);
  }
}

// Fills pieces_. The grid must have enough idle processors in all.
void Bfff::place(const Floor& floor, std::uint32_t processors) {
  idle_.clear();
  pieces_.clear();
  for (std::uint32_t cluster = 0; cluster < floor.clusters(); ++cluster) idle_.push_back(floor.idle(cluster));
  const auto idle = [&](std::uint32_t cluster) { return idle_[cluster]; };
  while (true) {
    if (const auto best = choose_cluster(ClusterChoice::best_fit, floor.clusters(), 0, processors, idle)) {
      pieces_.push_back({*best, processors});
      return;
    }
    const auto most = std::max_element(idle_.begin(), idle_.end());
    DMM_ASSERT(*most > 0);
    pieces_.push_back({static_cast<std::uint32_t>(most - idle_.begin()), *most});
    processors -= *most;
    *most = 0;
  }
}

std::vector<StreamJob> Bfff::hand_over() {
  std::vector<StreamJob> jobs;
  queue_.drain_to(jobs);
  return jobs;
}

}  // namespace dmm
