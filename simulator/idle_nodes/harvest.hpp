// A bag of independent grid tasks on nodes that their owner lends while it has no use for them. A task runs on one
// node. When the owner wants the node back, the task is aborted, and starts from zero on another node (Netto et al.,
// "Transparent resource allocation to exploit idle cluster nodes in computational grids", section 3.1).
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

class Harvest {
 public:
  /// For this number of nodes, none lent yet.
  explicit Harvest(std::uint32_t nodes) : nodes_(nodes) {}

  /// Adds tasks of these lengths.
  void submit(std::span<const Duration> tasks);
  void lend(std::uint32_t node);
  /// Aborts the task on a lent node. The task goes to the head of the queue.
  void return_node(Instant now, std::uint32_t node);
  /// Starts waiting tasks on lent nodes without a task, lowest number first.
  void dispatch(Instant now);

  /// When the next task ends; `never` if none runs.
  Instant next_end() const { return ends_.empty() ? never : ends_.begin()->at; }
  /// Ends all tasks that are due; their nodes stay lent.
  void end_tasks(Instant now);

  /// When the task on a node started; nothing if there is none.
  std::optional<Instant> started(std::uint32_t node) const;
  bool is_done() const { return waiting_.empty() && ends_.empty(); }
  std::uint64_t preemptions() const { return preemptions_; }
  /// Node time spent on tasks that were aborted.
  Duration lost() const { return lost_; }

 private:
  struct Node {
    std::uint64_t attempt = 0;  ///< number of the attempt that runs here; 0: none
    Instant started{};
    Duration task{};
  };
  struct Ending {
    Instant at{};
    std::uint64_t attempt = 0;
    std::uint32_t node = 0;
    auto operator<=>(const Ending&) const = default;
  };

  void start(Instant now, std::uint32_t node);

  std::vector<Node> nodes_;
  std::set<std::uint32_t> free_;  ///< lent, without a task
  std::deque<Duration> waiting_;
  std::set<Ending> ends_;  ///< of tasks that run
  std::uint64_t attempts_ = 0;
  std::uint64_t preemptions_ = 0;
  Duration lost_{};
};

}  // namespace dmm
