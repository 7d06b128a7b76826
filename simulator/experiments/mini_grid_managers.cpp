#include "simulator/experiments/mini_grid_managers.hpp"

#include <string>
#include <utility>

#include "manager/assert.hpp"
#include "simulator/architectures/dmm.hpp"
#include "workloads/mini_grid.hpp"

namespace dmm {
namespace {

Topology sibling_clusters(std::uint32_t clusters, std::uint32_t processors, MiniGridCurve curve,
                          bool owners_first) {
  Topology topology;
  topology.name = "mini-grid";
  for (std::uint32_t i = 0; i < clusters; ++i) {
    TopologySite& site = topology.sites.emplace_back();
    site.name = SiteName("site" + std::to_string(i));
    site.users = {"u0"};
    site.clusters.push_back({.name = ClusterName("nodes"), .nodes = processors});
    for (std::uint32_t k = 0; k < i; ++k) site.siblings.push_back(topology.sites[k].name);
    SiteSettings& settings = site.settings;
    settings.delegate = curve != MiniGridCurve::no_sharing;
    settings.flexible_policy = "bfff";
    settings.owner_first = owners_first;
    settings.reclaim_after = {};
    settings.overtaken_limit = seconds(100LL * 86400);  // FCFS_SCAN reserves nothing
    settings.term = seconds(3600);
  }
  const auto error = link_sites(topology);
  DMM_ASSERT(!error);
  return topology;
}

/// Sums over the jobs of one run.
class ManagersMeasures {
 public:
  void add(const SimulatedOutcome& done) {
    if (done.outcome.state != JobOutcome::State::finished) return;
    ++jobs_;
    coallocated_ += done.pieces.size() > 1;
    turnaround_ += done.outcome.end_seconds - done.outcome.submit_seconds;
  }
  void write(MiniGridRow& row) const {
    DMM_ASSERT(jobs_ > 0);
    const auto jobs = static_cast<double>(jobs_);
    row.jobs = jobs_;
    row.turnaround_seconds = turnaround_ / jobs;
    row.coallocated_share = static_cast<double>(coallocated_) / jobs;
  }

 private:
  std::uint64_t jobs_ = 0, coallocated_ = 0;
  double turnaround_ = 0;
};

MiniGridRow managers_row(const MiniGridSettings& settings, std::uint32_t clusters, MiniGridCurve curve,
                         double penalty, bool owners_first) {
  DmmOptions options;
  options.dttl = 1;
  options.penalty = curve == MiniGridCurve::no_sharing || curve == MiniGridCurve::migration_only ? 0 : penalty;
  options.beat = seconds(60);
  ManagersMeasures measures;
  simulate_dmm(
      sibling_clusters(clusters, settings.processors, curve, owners_first),
      mini_grid_jobs({.clusters = clusters, .jobs_per_cluster = settings.jobs_per_cluster, .seed = settings.seed}),
      options, {.seed = settings.seed}, {.outcome = [&](const SimulatedOutcome& done) { measures.add(done); }});
  MiniGridRow row{.clusters = clusters, .curve = curve, .penalty = penalty};
  measures.write(row);
  return row;
}

}  // namespace

std::vector<ManagersRow> mini_grid_managers(const MiniGridSettings& settings,
                                            const std::function<void(const ManagersRow&)>& done) {
  std::vector<ManagersRow> rows;
  const auto add = [&](std::uint32_t clusters, MiniGridCurve curve, const Execution& execution, double penalty) {
    ManagersRow& row = rows.emplace_back();
    row.managers = managers_row(settings, clusters, curve, penalty, false);
    row.model = mini_grid_run(settings, clusters, curve, execution);
    if (curve == MiniGridCurve::migration_only || curve == MiniGridCurve::no_penalty)
      row.owners_first_seconds = managers_row(settings, clusters, curve, penalty, true).turnaround_seconds;
    if (done) done(rows.back());
  };
  for (const std::uint32_t clusters : settings.clusters) {
    add(clusters, MiniGridCurve::no_sharing, PlainExecution{}, 1);
    add(clusters, MiniGridCurve::migration_only, PlainExecution{}, 1);
    add(clusters, MiniGridCurve::no_penalty, PlainExecution{}, 1);
    for (const double penalty : settings.penalties)
      add(clusters, MiniGridCurve::fixed_penalty, FixedPenalty{penalty}, penalty);
  }
  return rows;
}

}  // namespace dmm
