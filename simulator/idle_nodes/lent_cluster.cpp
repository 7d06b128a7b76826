#include "simulator/idle_nodes/lent_cluster.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "manager/assert.hpp"
#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/table.hpp"
#include "simulator/idle_nodes/harvest.hpp"

namespace dmm {
namespace {

Scheduler scheduler_for(std::string_view name, const Floor& floor) {
  const ArchitectureEntry* const entry = find_architecture(name);
  DMM_ASSERT(entry != nullptr);
  return entry->make(floor, {});
}

class LentCluster {
 public:
  explicit LentCluster(LentClusterRun run)
      : run_(std::move(run)),
        grid_(equal_clusters(1, run_.nodes)),
        floor_(grid_),
        scheduler_(scheduler_for(run_.architecture, floor_)),
        harvest_(run_.nodes),
        bag_waits_(!run_.tasks.empty()) {
    floor_.watch_starts();
    next_job_ = draw();
    for (std::uint32_t node = 0; node < run_.nodes; ++node) lend(node);
  }

  LentClusterOutcome run() {
    while (!is_over()) {
      const Instant local = next_local();
      const Instant at = std::min({local, harvest_.next_end(), bag_waits_ ? run_.submit : never});
      DMM_ASSERT(at != never);
      pass_to(at);
      harvest_.end_tasks(at);
      if (local <= at) local_events(at);
      if (bag_waits_ && run_.submit <= at) {
        harvest_.submit(run_.tasks);
        bag_waits_ = false;
      }
      harvest_.dispatch(at);
      note_end_of_bag(at);
    }
    outcome_.preemptions = harvest_.preemptions();
    outcome_.lost = harvest_.lost();
    return outcome_;
  }

 private:
  std::optional<StreamJob> draw() { return run_.local ? run_.local() : std::nullopt; }
  bool bag_is_there() const { return !bag_waits_ && !harvest_.is_done(); }

  bool is_over() const {
    if (bag_waits_ || bag_is_there()) return false;
    if (run_.stops_with_the_bag && !run_.tasks.empty()) return true;
    return !next_job_ && nodes_of_.empty() && waiting_ == 0;
  }

  Instant next_local() const {
    const Instant wake = std::visit([](const auto& model) { return model.next_wake(); }, scheduler_);
    return std::min({next_job_ ? next_job_->submit : never, floor_.next_end(), wake});
  }

  /// Adds up the use of local jobs between two events.
  void pass_to(Instant at) {
    if (bag_is_there())
      used_ += static_cast<double>(run_.nodes - floor_.idle_in_all()) * (at - floor_.now()).in_seconds();
    floor_.set_now(at);
  }

  // The resource manager's work, as if there were no tasks.
  void local_events(Instant at) {
    std::visit(
        [&](auto& model) {
          while (floor_.next_end() <= at) {
            const RunningJob& job = floor_.end_next();
            model.ended(floor_, job);
            release(job);
          }
          for (; next_job_ && next_job_->submit <= at; next_job_ = draw()) {
            floor_.submitted(*next_job_);
            model.arrive(floor_, *next_job_);
            ++waiting_;
          }
          model.settle(floor_);
        },
        scheduler_);
    DMM_ASSERT(floor_.take_refused().empty());
    for (const StreamJob& job : floor_.take_started()) occupy(job);
  }

  void release(const RunningJob& job) {
    const auto nodes = nodes_of_.extract(job.job.number);
    for (const std::uint32_t node : nodes.mapped()) lend(node);
    if (run_.local_ended) run_.local_ended(job);
  }

  void lend(std::uint32_t node) {
    idle_.insert(node);
    harvest_.lend(node);
  }

  void occupy(const StreamJob& job) {
    --waiting_;
    std::vector<std::uint32_t> nodes(idle_.begin(), idle_.end());
    DMM_ASSERT(nodes.size() >= job.processors);
    if (run_.choice == NodeChoice::least_lost) {
      const auto started = [&](std::uint32_t node) { return harvest_.started(node).value_or(never); };
      std::stable_sort(nodes.begin(), nodes.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return started(a) > started(b); });
    }
    nodes.resize(job.processors);
    for (const std::uint32_t node : nodes) {
      idle_.erase(node);
      harvest_.return_node(floor_.now(), node);
    }
    nodes_of_[job.number] = std::move(nodes);
  }

  void note_end_of_bag(Instant at) {
    if (bag_waits_ || run_.tasks.empty() || !harvest_.is_done() || outcome_.turnaround > Duration{}) return;
    outcome_.turnaround = at - run_.submit;
    outcome_.local_utilisation = used_ / (outcome_.turnaround.in_seconds() * run_.nodes);
  }

  LentClusterRun run_;
  Grid grid_;
  Floor floor_;
  Scheduler scheduler_;
  Harvest harvest_;
  std::optional<StreamJob> next_job_;
  std::set<std::uint32_t> idle_;                                  ///< nodes without a local job
  std::map<std::uint64_t, std::vector<std::uint32_t>> nodes_of_;  ///< by number of the local job
  std::uint64_t waiting_ = 0;                                     ///< local jobs
  bool bag_waits_;
  double used_ = 0;  ///< node-seconds
  LentClusterOutcome outcome_;
};

}  // namespace

LentClusterOutcome run_lent_cluster(LentClusterRun run) { return LentCluster(std::move(run)).run(); }

}  // namespace dmm
