#include "simulator/faults/crowd.hpp"

#include <algorithm>
#include <map>

#include "manager/assert.hpp"
#include "simulator/faults/dice.hpp"
#include "simulator/faults/shares_watch.hpp"

namespace dmm {
namespace {

/// Two windows of the watch, and time for the borrowers to find the owner.
constexpr double hour = 2 * SharesWatch::window.in_seconds() + 300;
/// Each borrower's work, as a share of what the owner can do.
constexpr double demand = 0.8;

class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : dice_(seed ^ 0x63726f7764ULL) {
    run_.settings.seed = seed;
    run_.trouble = Trouble::crowd;
    run_.trouble_ends = Instant{} + from_seconds(hour);
    run_.settings.network.latency = milliseconds(dice_.between(1, 100));
  }

  RandomRun all() {
    run_.topology.name = "crowd";
    owner();
    for (std::uint32_t left = dice_.between(2, 5); left > 0; --left) borrower();
    const auto error = link_sites(run_.topology);
    DMM_ASSERT(!error);
    weigh();
    for (const TopologySite& site : run_.topology.sites)
      if (!site.users.empty()) work(site);
    std::ranges::stable_sort(run_.acts, {}, &Act::at);
    return std::move(run_);
  }

 private:
  void owner() {
    TopologySite& site = run_.topology.sites.emplace_back();
    site.name = SiteName("s0");
    for (std::uint32_t c = dice_.between(1, 2); c > 0; --c) {
      TopologyCluster& cluster = site.clusters.emplace_back();
      cluster.name = ClusterName("c" + std::to_string(c));
      cluster.nodes = dice_.between(8, 16);
      cluster.resource_managers = dice_.between(1, 2);
      processors_ += cluster.nodes;
    }
    site.settings.dispatching_policy = dice_.pick<std::string>({"fcfs", "fcfs_scan", "smallest_first"});
    site.settings.reuse_jobs_max = dice_.pick<std::uint32_t>({1, 5, 20});
    if (dice_.chance(0.2)) site.settings.matchmaking_cycle = seconds(dice_.between(1, 6));
  }

  void borrower() {
    TopologySite site;
    site.name = SiteName("s" + std::to_string(run_.topology.sites.size()));
    site.parent = run_.topology.sites.front().name;
    for (std::uint32_t u = dice_.between(1, 2); u > 0; --u) site.users.push_back("u" + std::to_string(u));
    if (dice_.chance(0.3)) {
      site.clusters.emplace_back().name = ClusterName("c1");
      site.clusters.back().nodes = dice_.between(1, 2);
      site.settings.lend = false;
    }
    site.settings.reuse_jobs_max = run_.topology.sites.front().settings.reuse_jobs_max;
    site.settings.delegation_policy = dice_.pick<std::string>({"fcfs", "largest_first", "smallest_first"});
    run_.topology.sites.push_back(std::move(site));
  }

  void weigh() {
    for (NeighbourSettings& neighbour : run_.topology.sites.front().settings.neighbours)
      if (dice_.chance(0.3)) neighbour.limits.weight = dice_.pick<double>({0.5, 2});
  }

  /// A borrower's jobs, of one width and about one length. A later borrower begins when the earlier ones have all
  /// nodes already. Jobs that wait in the end are cancelled.
  void work(const TopologySite& site) {
    const std::uint32_t width = dice_.between(1, 3);
    const double length = dice_.between(60, 190);
    const auto count = static_cast<std::uint32_t>(demand * processors_ * hour / (width * length));
    const double begins = 1 + later_++ * 20;
    std::map<Party, std::uint64_t> submitted;
    for (std::uint32_t i = 0; i < count; ++i) {
      Act act;
      act.a = job_manager_of(site.name, dice_.pick(site.users));
      act.at = dice_.within(begins, i < count / 10 ? begins + 20 : 0.95 * hour);
      act.job.need.components.push_back({width, {}, {}});
      act.job.reruns_max = 10;
      act.job.program.arguments = {"sleep", std::to_string(length * (0.5 + dice_.uniform()))};
      act.number = ++submitted[act.a];
      run_.acts.push_back(act);
      act.kind = Act::Kind::cancel;
      act.at = run_.trouble_ends;
      run_.acts.push_back(std::move(act));
    }
  }

  Dice dice_;
  RandomRun run_;
  std::uint32_t processors_ = 0;
  double later_ = 0;  ///< borrowers so far; each begins 20 s after the one before
};

}  // namespace

RandomRun draw_crowd(std::uint64_t seed) { return Crowd(seed).all(); }

}  // namespace dmm
