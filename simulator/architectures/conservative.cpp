#include "simulator/architectures/conservative.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {
namespace {

constexpr Duration overdue_allowance = seconds(60);

Duration planned(const StreamJob& job) { return std::max(job.estimate, job.run); }

}  // namespace

Conservative::Conservative(const Floor& floor, const ModelParameters&) {
  for (std::uint32_t cluster = 0; cluster < floor.clusters(); ++cluster) {
    clusters_.emplace_back(floor.size(cluster));
    plan_running(floor, cluster);
  }
}

void Conservative::touch(std::uint32_t cluster) {
  if (!std::exchange(clusters_[cluster].touched, true)) touched_.push_back(cluster);
}

void Conservative::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::job_data_exchange);
  if (job.processors > floor.size(job.home)) return floor.refuse(job);
  clusters_[job.home].arrived.push_back(job);
  touch(job.home);
}

void Conservative::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::match_claim_release, job.pieces.size());
  for (const ClusterShare& piece : job.pieces) {
    Cluster& cluster = clusters_[piece.cluster];
    touch(piece.cluster);
    const auto planned_end = cluster.running.find(job.job.number);
    DMM_ASSERT(planned_end != cluster.running.end());
    if (planned_end->second > floor.now()) {
      cluster.profile.give(floor.now(), planned_end->second, piece.processors);
      cluster.freed.add({floor.now(), planned_end->second});
      cluster.ended_early = true;
    }
    cluster.running.erase(planned_end);
  }
}

void Conservative::settle(Floor& floor) {
  for (auto due = due_.begin(); due != due_.end() && due->first <= floor.now(); ++due) touch(due->second);
  for (const std::uint32_t number : touched_) settle_cluster(floor, number);
  touched_.clear();
}

void Conservative::settle_cluster(Floor& floor, std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  const Instant now = floor.now();
  cluster.touched = false;
  cluster.profile.forget_before(now);
  if (std::exchange(cluster.ended_early, false)) compress(cluster, now);
  for (const StreamJob& job : std::exchange(cluster.arrived, {})) {
    Waiting& waiting = cluster.waiting.try_emplace(job.number, Waiting{job}).first->second;
    reserve(cluster, waiting, cluster.profile.earliest(now, planned(job), job.processors));
  }
  while (!start_due(floor, number)) plan_again(floor, number);
  note_due(number);
}

void Conservative::note_due(std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  const Instant due = cluster.starts.empty() ? never : cluster.starts.begin()->first;
  if (due == cluster.due) return;
  due_.erase({cluster.due, number});
  if (due != never) due_.emplace(due, number);
  cluster.due = due;
}

void Conservative::reserve(Cluster& cluster, Waiting& waiting, Instant start) {
  waiting.start = start;
  cluster.starts.emplace(start, waiting.job.number);
  cluster.profile.take(start, start + planned(waiting.job), waiting.job.processors);
}

void Conservative::compress(Cluster& cluster, Instant now) {
  cluster.freed.forget_before(now);
  Intervals moved;
  for (auto& [number, waiting] : cluster.waiting) {
    const std::optional<Instant> start = earlier_start(cluster, waiting, now);
    if (!start) continue;
    const Interval before{waiting.start, waiting.start + planned(waiting.job)};
    cluster.profile.give(before.from, before.until, waiting.job.processors);
    cluster.starts.erase({before.from, number});
    reserve(cluster, waiting, *start);
    cluster.freed.add(before);
    moved.add(before);
  }
  cluster.freed = std::move(moved);  // jobs ahead of a moved job haven't seen its old place yet
}

// A place that is new to a job overlaps a freed interval, so only those are searched.
std::optional<Instant> Conservative::earlier_start(const Cluster& cluster, const Waiting& waiting, Instant now) {
  const Duration duration = planned(waiting.job);
  for (const Interval& freed : cluster.freed.all()) {
    if (freed.from >= waiting.start) break;
    const Instant from = std::max(now, freed.from - duration);
    const Instant before = std::min(freed.until, waiting.start);
    const auto start = cluster.profile.earlier(from, before, waiting.start, duration, waiting.job.processors);
    if (start) return start;
  }
  return std::nullopt;
}

// Starts jobs that are due. Returns false if one of them can't start because a job outran its plan.
bool Conservative::start_due(Floor& floor, std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  while (!cluster.starts.empty() && cluster.starts.begin()->first <= floor.now()) {
    const auto waiting = cluster.waiting.find(cluster.starts.begin()->second);
    const StreamJob& job = waiting->second.job;
    if (floor.idle(number) < job.processors) return false;
    floor.count(MessageKind::match_claim_release);
    floor.start(job, number);
    cluster.running.emplace(job.number, floor.now() + planned(job));
    cluster.starts.erase(cluster.starts.begin());
    cluster.waiting.erase(waiting);
  }
  return true;
}

void Conservative::plan_again(const Floor& floor, std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  plan_running(floor, number);
  cluster.starts.clear();
  for (auto& [job_number, waiting] : cluster.waiting) {
    const Duration duration = planned(waiting.job);
    reserve(cluster, waiting, cluster.profile.earliest(floor.now(), duration, waiting.job.processors));
  }
}

void Conservative::plan_running(const Floor& floor, std::uint32_t number) {
  Cluster& cluster = clusters_[number];
  cluster.profile = Profile(floor.size(number));
  cluster.running.clear();
  for (const RunningJob* job : floor.running()) {
    for (const ClusterShare& piece : job->pieces) {
      if (piece.cluster != number) continue;
      Instant end = job->start + planned(job->job);
      if (end <= floor.now()) end = floor.now() + overdue_allowance;
      cluster.profile.take(floor.now(), end, piece.processors);
      cluster.running.emplace(job->job.number, end);
    }
  }
}

std::vector<StreamJob> Conservative::hand_over() {
  std::vector<StreamJob> jobs;
  for (Cluster& cluster : clusters_) {
    for (const auto& [number, waiting] : cluster.waiting) jobs.push_back(waiting.job);
    jobs.insert(jobs.end(), cluster.arrived.begin(), cluster.arrived.end());
    cluster.waiting.clear();
    cluster.starts.clear();
    cluster.arrived.clear();
  }
  sort_by_arrival(jobs);
  return jobs;
}

std::map<std::uint64_t, Instant> Conservative::promises() const {
  std::map<std::uint64_t, Instant> all;
  for (const Cluster& cluster : clusters_)
    for (const auto& [number, waiting] : cluster.waiting) all.emplace(number, waiting.start);
  return all;
}

}  // namespace dmm
