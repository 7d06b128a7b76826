#include "simulator/architectures/easy.hpp"

#include <algorithm>
#include <utility>

namespace dmm {

Easy::Easy(const Floor& floor, const ModelParameters&) : clusters_(floor.clusters()) {
  for (const RunningJob* job : floor.running())
    for (const ClusterShare& piece : job->pieces)
      clusters_[piece.cluster].running.insert(
          {expected_end(job->start, job->job), job->job.number, piece.processors});
}

void Easy::touch(std::uint32_t cluster) {
  if (!std::exchange(clusters_[cluster].touched, true)) touched_.push_back(cluster);
}

void Easy::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.size(job.home)) return floor.refuse(job);
  clusters_[job.home].queue.push(job);
  touch(job.home);
}

void Easy::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
  for (const ClusterShare& piece : job.pieces) {
    clusters_[piece.cluster].running.erase({expected_end(job.start, job.job), job.job.number, piece.processors});
    touch(piece.cluster);
  }
}

void Easy::settle(Floor& floor) {
  for (const std::uint32_t cluster : touched_) settle_cluster(floor, cluster);
  touched_.clear();
}

void Easy::settle_cluster(Floor& floor, std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  cluster.touched = false;
  WaitingQueue& queue = cluster.queue;
  while (!queue.empty() && queue.at(queue.front()).processors <= floor.idle(number))
    start(floor, number, queue.front());
  if (queue.narrowest() > floor.idle(number)) return;
  backfill(floor, number, reserve(cluster, floor.idle(number), queue.at(queue.front()).processors, floor.now()));
}

void Easy::start(Floor& floor, std::uint32_t cluster, WaitingQueue::Place place) {
  const StreamJob& job = clusters_[cluster].queue.at(place);
  floor.count(MessageKind::match_claim_release);
  floor.start(job, cluster);
  clusters_[cluster].running.insert({expected_end(floor.now(), job), job.number, job.processors});
  clusters_[cluster].queue.erase(place);
}

Easy::Reservation Easy::reserve(const Cluster& cluster, std::uint32_t idle, std::uint32_t wanted, Instant now) {
  Reservation reservation{now, 0};
  std::uint32_t free = idle;
  for (const ExpectedEnd& end : cluster.running) {
    if (free >= wanted && end.at > reservation.start) break;
    free += end.processors;
    reservation.start = std::max(now, end.at);
  }
  DMM_ASSERT(free >= wanted);
  reservation.extra = free - wanted;
  return reservation;
}

void Easy::backfill(Floor& floor, std::uint32_t number, Reservation reservation) {
  WaitingQueue& queue = clusters_[number].queue;
  const Duration window = reservation.start - floor.now();
  const auto fits = [&](std::uint32_t processors, Duration estimate) {
    return processors <= floor.idle(number) && (estimate <= window || processors <= reservation.extra);
  };
  WaitingQueue::Place place = queue.front();
  while (!queue.empty() && (place = queue.first(place, fits)) != WaitingQueue::none) {
    const StreamJob& job = queue.at(place);
    if (job.estimate > window) reservation.extra -= job.processors;
    start(floor, number, place);
  }
}

std::uint64_t Easy::head(std::uint32_t number) const {
  const WaitingQueue& queue = clusters_[number].queue;
  return queue.empty() ? 0 : queue.at(queue.front()).number;
}

std::optional<Instant> Easy::promise(const Floor& floor, std::uint32_t number) const {
  const Cluster& cluster = clusters_[number];
  if (cluster.queue.empty()) return std::nullopt;
  const std::uint32_t wanted = cluster.queue.at(cluster.queue.front()).processors;
  return reserve(cluster, floor.idle(number), wanted, floor.now()).start;
}

std::vector<StreamJob> Easy::hand_over() {
  std::vector<StreamJob> jobs;
  for (Cluster& cluster : clusters_) cluster.queue.drain_to(jobs);
  sort_by_arrival(jobs);
  return jobs;
}

}  // namespace dmm
