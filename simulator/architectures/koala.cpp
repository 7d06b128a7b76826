#include "simulator/architectures/koala.hpp"

#include "simulator/architectures/cluster_choice.hpp"

namespace dmm {

Koala::Koala(const Floor& floor, const ModelParameters& parameters)
    : choice_(parameters.push_choice), monitoring_(parameters.monitoring) {
  for (std::uint32_t cluster = 0; cluster < floor.clusters(); ++cluster)
    known_idle_.push_back(floor.idle(cluster));
  heard_ = last_report_before_or_at(floor.now());
}

void Koala::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.largest_cluster()) return floor.refuse(job);
  queue_.push_back(job);
}

void Koala::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
  for (const ClusterShare& piece : job.pieces) unknown_.push_back({floor.now(), piece});
}

Instant Koala::last_report_before_or_at(Instant now) const {
  if (monitoring_ <= Duration{}) return now;
  return Instant{now.microseconds - now.microseconds % monitoring_.microseconds};
}

// Reads the reports since the last call. A report tells what ended before or with it.
void Koala::hear(Floor& floor) {
  const Instant report = last_report_before_or_at(floor.now());
  if (report > heard_) {
    const Duration period = monitoring_ > Duration{} ? monitoring_ : report - heard_;
    const auto reports = static_cast<std::uint64_t>((report - heard_).microseconds / period.microseconds);
    floor.count(MessageKind::notify_broker, reports * floor.clusters());
  }
  heard_ = report;
  for (; !unknown_.empty() && unknown_.front().at <= report; unknown_.pop_front())
    known_idle_[unknown_.front().piece.cluster] += unknown_.front().piece.processors;
}

void Koala::settle(Floor& floor) {
  hear(floor);
  const auto idle = [&](std::uint32_t cluster) { return known_idle_[cluster]; };
  while (!queue_.empty()) {
    const StreamJob& head = queue_.front();
    const auto cluster = choose_cluster(choice_, floor.clusters(), head.home, head.processors, idle);
    if (!cluster) break;
    floor.count(MessageKind::job_data_exchange);
    floor.count(MessageKind::match_claim_release, 2);
    known_idle_[*cluster] -= head.processors;
    floor.start(head, *cluster);
    queue_.pop_front();
  }
  const bool waits = !queue_.empty() && monitoring_ > Duration{};
  next_report_ = waits ? heard_ + monitoring_ : never;
}

std::vector<StreamJob> Koala::hand_over() {
  const std::vector<StreamJob> jobs(queue_.begin(), queue_.end());
  queue_.clear();
  return jobs;
}

}  // namespace dmm
