// The clusters of a modelled grid at work: idle processors, running jobs, and when these end. An architecture reads
// this state and starts jobs; the floor itself decides nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/intercluster/execution.hpp"
#include "simulator/intercluster/links.hpp"
#include "simulator/world/event_queue.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

/// A job that runs or has ended.
struct RunningJob {
  StreamJob job;
  Instant start{};
  Instant end{};
  std::vector<ClusterShare> pieces;
};

class Floor {
 public:
  explicit Floor(const Grid& grid, const Execution& execution = {});

  // ---- for architectures ----
  Instant now() const { return now_; }
  const Grid& grid() const { return grid_; }
  std::uint32_t clusters() const { return static_cast<std::uint32_t>(idle_.size()); }
  std::uint32_t size(std::uint32_t cluster) const { return grid_.clusters[cluster].processors; }
  std::uint32_t idle(std::uint32_t cluster) const { return idle_[cluster]; }
  std::uint64_t idle_in_all() const { return idle_in_all_; }
  std::uint32_t largest_cluster() const { return largest_cluster_; }
  /// Starts a waiting job now; the pieces must be idle and add up to its processors.
  void start(const StreamJob& job, std::span<const ClusterShare> pieces);
  /// The same in one cluster.
  void start(const StreamJob& job, std::uint32_t cluster);
  /// A waiting job that can never run: it ends as failed.
  void refuse(const StreamJob& job);
  void count(MessageKind kind, std::uint64_t messages = 1) {
    messages_[static_cast<std::size_t>(kind)] += messages;
  }

  // ---- for the engine ----
  void set_now(Instant now) { now_ = now; }
  void submitted(const StreamJob& job);
  /// When the next job ends; `never` if none runs.
  Instant next_end() const { return links_ ? std::min(ends_.next(), links_->next_end()) : ends_.next(); }
  /// Takes the job that ends next off its processors. Valid until the next call.
  const RunningJob& end_next();
  std::vector<StreamJob> take_refused() { return std::exchange(refused_, {}); }
  /// From now on the floor keeps the jobs that start, for take_started().
  void watch_starts() { watches_starts_ = true; }
  /// The jobs that started since the last call, in the order of start.
  std::vector<StreamJob> take_started() { return std::exchange(started_, {}); }
  /// The running jobs, in the order of start.
  std::vector<const RunningJob*> running() const;
  std::span<const ClusterSample> sample() const { return samples_; }
  /// For the link of each cluster; empty unless co-allocated jobs share links.
  std::span<const LinkSample> link_sample();
  const MessageCounts& messages() const { return messages_; }

 private:
  void schedule_end(std::uint32_t slot);
  std::uint32_t take_next_slot();
  void slide(std::span<const InterclusterLinks::Slide> slides);

  const Grid& grid_;
  Instant now_{};
  std::vector<std::uint32_t> idle_;
  std::uint64_t idle_in_all_ = 0;
  std::uint32_t largest_cluster_ = 0;
  std::vector<RunningJob> slots_;  ///< of running jobs, and of ended ones until they are used again
  std::vector<std::uint32_t> free_slots_;
  EventQueue<std::uint32_t> ends_;          ///< of jobs with a known end
  std::optional<InterclusterLinks> links_;  ///< co-allocated jobs that share links: their ends slide
  double penalty_ = 1;                      ///< of co-allocated jobs without shared links
  RunningJob ended_;
  std::vector<StreamJob> refused_;
  bool watches_starts_ = false;
  std::vector<StreamJob> started_;
  std::vector<ClusterSample> samples_;  ///< kept up to date
  std::vector<LinkSample> link_samples_;
  MessageCounts messages_{};
};

}  // namespace dmm
