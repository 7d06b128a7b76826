#include "simulator/architectures/floor.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

Floor::Floor(const Grid& grid, const Execution& execution) : grid_(grid), samples_(grid.clusters.size()) {
  for (const GridCluster& cluster : grid.clusters) {
    idle_.push_back(cluster.processors);
    idle_in_all_ += cluster.processors;
    largest_cluster_ = std::max(largest_cluster_, cluster.processors);
  }
  if (const auto* const penalty = std::get_if<FixedPenalty>(&execution)) penalty_ = penalty->factor;
  if (const auto* const links = std::get_if<SharedLinks>(&execution)) {
    links_.emplace(clusters(), *links);
    link_samples_.resize(clusters());
  }
}

void Floor::submitted(const StreamJob& job) { ++samples_.at(job.home).waiting; }

void Floor::refuse(const StreamJob& job) {
  --samples_.at(job.home).waiting;
  refused_.push_back(job);
}

void Floor::start(const StreamJob& job, std::uint32_t cluster) {
  const ClusterShare piece{cluster, job.processors};
  start(job, std::span(&piece, 1));
}

void Floor::start(const StreamJob& job, std::span<const ClusterShare> pieces) {
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  RunningJob& running = slots_[slot];
  running.job = job;
  running.start = now_;
  running.end = now_ + job.run;
  running.pieces.assign(pieces.begin(), pieces.end());
  std::uint64_t sum = 0;
  for (const ClusterShare& piece : pieces) {
    DMM_ASSERT(idle_.at(piece.cluster) >= piece.processors);
    idle_[piece.cluster] -= piece.processors;
    samples_[piece.cluster].busy += piece.processors;
    if (piece.cluster != job.home) samples_[piece.cluster].foreign += piece.processors;
    sum += piece.processors;
  }
  DMM_ASSERT(sum == job.processors);
  idle_in_all_ -= sum;
  --samples_[job.home].waiting;
  if (watches_starts_) started_.push_back(job);
  schedule_end(slot);
}

// Co-allocated jobs end later by the penalty, or at an end that only the links know.
void Floor::schedule_end(std::uint32_t slot) {
  RunningJob& running = slots_[slot];
  if (running.pieces.size() > 1 && spans_clusters(running.pieces)) {
    if (links_) return slide(links_->start(now_, slot, running.job.run, running.pieces));
    if (penalty_ != 1) running.end = now_ + from_seconds(running.job.run.in_seconds() * penalty_);
  }
  ends_.push(running.end, slot);
}

std::uint32_t Floor::take_next_slot() {
  if (!links_ || ends_.next() <= links_->next_end()) return ends_.pop();
  const std::uint32_t slot = links_->next_job();
  slide(links_->end_next(now_));
  return slot;
}

void Floor::slide(std::span<const InterclusterLinks::Slide> slides) {
  for (const InterclusterLinks::Slide& moved : slides) slots_[moved.job].end = moved.end;
}

std::span<const LinkSample> Floor::link_sample() {
  for (std::uint32_t link = 0; link < link_samples_.size(); ++link) link_samples_[link].load = links_->load(link);
  return link_samples_;
}

const RunningJob& Floor::end_next() {
  const std::uint32_t slot = take_next_slot();
  std::swap(ended_, slots_[slot]);  // reuses the memory of both
  slots_[slot].job.number = 0;
  free_slots_.push_back(slot);
  for (const ClusterShare& piece : ended_.pieces) {
    idle_[piece.cluster] += piece.processors;
    idle_in_all_ += piece.processors;
    samples_[piece.cluster].busy -= piece.processors;
    if (piece.cluster != ended_.job.home) samples_[piece.cluster].foreign -= piece.processors;
  }
  return ended_;
}

std::vector<const RunningJob*> Floor::running() const {
  std::vector<const RunningJob*> all;
  for (const RunningJob& slot : slots_)
    if (slot.job.number != 0) all.push_back(&slot);
  std::sort(all.begin(), all.end(), [](const RunningJob* a, const RunningJob* b) {
    return a->start != b->start ? a->start < b->start : a->job.number < b->job.number;
  });
  return all;
}

}  // namespace dmm
