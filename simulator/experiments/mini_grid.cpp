#include "simulator/experiments/mini_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "manager/assert.hpp"
#include "simulator/architectures/engine.hpp"
#include "simulator/architectures/grid.hpp"
#include "workloads/mini_grid.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {
namespace {

constexpr std::size_t batches = 20;

/// Adds up the outcomes of one run.
class Measures {
 public:
  explicit Measures(std::uint64_t jobs) : jobs_per_batch_(std::max<std::uint64_t>(jobs / batches, 1)) {}

  void add(const SimulatedOutcome& done) {
    if (done.outcome.state != JobOutcome::State::finished) return;
    const double turnaround = done.outcome.end_seconds - done.outcome.submit_seconds;
    const std::size_t batch = std::min<std::size_t>(jobs_ / jobs_per_batch_, batches - 1);
    ++jobs_;
    turnaround_ += turnaround;
    batch_turnaround_[batch] += turnaround;
    ++batch_jobs_[batch];
    if (done.pieces.size() < 2) return;
    ++coallocated_;
    penalty_ += (done.outcome.end_seconds - done.outcome.start_seconds) / done.job.run.in_seconds();
  }

  void write(MiniGridRow& row) const {
    if (jobs_ == 0) return;
    const auto count = static_cast<double>(jobs_);
    row.jobs = jobs_;
    row.turnaround_seconds = turnaround_ / count;
    row.standard_error_seconds = standard_error();
    row.coallocated_share = static_cast<double>(coallocated_) / count;
    if (coallocated_ > 0) row.penalty = penalty_ / static_cast<double>(coallocated_);
  }

 private:
  double standard_error() const {
    if (batch_jobs_.back() == 0) return 0;
    std::array<double, batches> means{};
    double mean = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      means[i] = batch_turnaround_[i] / static_cast<double>(batch_jobs_[i]);
      mean += means[i] / batches;
    }
    double squares = 0;
    for (const double each : means) squares += (each - mean) * (each - mean);
    return std::sqrt(squares / (batches * (batches - 1)));
  }

  std::uint64_t jobs_per_batch_;
  std::uint64_t jobs_ = 0;
  std::uint64_t coallocated_ = 0;
  double turnaround_ = 0;
  double penalty_ = 0;
  std::array<double, batches> batch_turnaround_{};
  std::array<std::uint64_t, batches> batch_jobs_{};
};

std::string_view architecture_of(MiniGridCurve curve) {
  switch (curve) {
    case MiniGridCurve::no_sharing: return "no-sharing";
    case MiniGridCurve::migration_only: return "migration-only";
    default: return "bfff";
  }
}

/// The comparison for one number of clusters.
class Comparison {
 public:
  Comparison(const MiniGridSettings& settings, std::uint32_t clusters, std::vector<MiniGridRow>& rows,
             const std::function<void(const MiniGridRow&)>& done)
      : settings_(settings), clusters_(clusters), rows_(rows), done_(done) {}

  void run() {
    const double no_sharing = add(MiniGridCurve::no_sharing, PlainExecution{}).turnaround_seconds;
    add(MiniGridCurve::migration_only, PlainExecution{});
    add(MiniGridCurve::no_penalty, PlainExecution{});
    for (const double penalty : settings_.penalties)
      if (add(MiniGridCurve::fixed_penalty, FixedPenalty{penalty}).turnaround_seconds > no_sharing) break;
    const auto bisections = settings_.bisections.empty() ? default_bisections(clusters_) : settings_.bisections;
    for (const double bisection : bisections) {
      const MiniGridRow shared = add(MiniGridCurve::shared_links, links(bisection), bisection);
      add(MiniGridCurve::fed_penalty, FixedPenalty{shared.penalty}, bisection);
      if (shared.turnaround_seconds > no_sharing) break;
    }
  }

 private:
  SharedLinks links(double bisection) const {
    return {.link_megabits = settings_.link_megabits,
            .bandwidth_kind = BandwidthKind::bisection,
            .bandwidth_megabits = bisection,
            .computation_share = settings_.computation_share};
  }

  MiniGridRow add(MiniGridCurve curve, const Execution& execution, double bisection = 0) {
    MiniGridRow row = mini_grid_run(settings_, clusters_, curve, execution);
    row.bisection_megabits = bisection;
    rows_.push_back(row);
    if (done_) done_(row);
    return row;
  }

  const MiniGridSettings& settings_;
  std::uint32_t clusters_;
  std::vector<MiniGridRow>& rows_;
  const std::function<void(const MiniGridRow&)>& done_;
};

/// The rows of one curve, by penalty.
std::vector<MiniGridRow> curve_of(std::span<const MiniGridRow> rows, std::uint32_t clusters, MiniGridCurve curve) {
  std::vector<MiniGridRow> found;
  for (const MiniGridRow& row : rows)
    if (row.clusters == clusters && row.curve == curve) found.push_back(row);
  std::stable_sort(found.begin(), found.end(),
                   [](const MiniGridRow& a, const MiniGridRow& b) { return a.penalty < b.penalty; });
  return found;
}

double crossing(std::span<const MiniGridRow> curve, double bound) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const MiniGridRow& low = curve[i - 1];
    const MiniGridRow& high = curve[i];
    if (low.turnaround_seconds > bound || high.turnaround_seconds <= bound) continue;
    const double way = portable::log(bound / low.turnaround_seconds) /
                       portable::log(high.turnaround_seconds / low.turnaround_seconds);
    return low.penalty + way * (high.penalty - low.penalty);
  }
  return 0;
}

}  // namespace

std::string_view to_text(MiniGridCurve curve) {
  switch (curve) {
    case MiniGridCurve::no_sharing: return "no_sharing";
    case MiniGridCurve::migration_only: return "migration_only";
    case MiniGridCurve::no_penalty: return "no_penalty";
    case MiniGridCurve::fixed_penalty: return "fixed_penalty";
    case MiniGridCurve::shared_links: return "shared_links";
    case MiniGridCurve::fed_penalty: return "fed_penalty";
  }
  return "unknown";
}

std::span<const MiniGridReference> mini_grid_references() {
  static constexpr std::array<MiniGridReference, 2> references = {{
      {2, 1.20, 1.25, 1.35, 1.40},
      {8, 1.13, 1.20, 1.25, 1.35},
  }};
  return references;
}

std::vector<double> default_bisections(std::uint32_t clusters) {
  std::vector<double> all;
  for (int multiple = 4; multiple <= 40; ++multiple) all.push_back(200.0 * multiple / clusters);
  return all;
}

MiniGridRow mini_grid_run(const MiniGridSettings& settings, std::uint32_t clusters, MiniGridCurve curve,
                          const Execution& execution) {
  const Grid grid = equal_clusters(clusters, settings.processors);
  const ArchitectureEntry* const architecture = find_architecture(architecture_of(curve));
  DMM_ASSERT(architecture != nullptr);
  Measures measures(settings.jobs_per_cluster * clusters);
  run_model({.grid = grid,
             .architecture = *architecture,
             .jobs = mini_grid_jobs(
                 {.clusters = clusters, .jobs_per_cluster = settings.jobs_per_cluster, .seed = settings.seed}),
             .options = {.seed = settings.seed, .execution = execution},
             .sinks = {.outcome = [&](const SimulatedOutcome& done) { measures.add(done); }}});
  MiniGridRow row{.clusters = clusters, .curve = curve};
  measures.write(row);
  return row;
}

std::vector<MiniGridRow> mini_grid(const MiniGridSettings& settings,
                                   const std::function<void(const MiniGridRow&)>& done) {
  std::vector<MiniGridRow> rows;
  for (const std::uint32_t clusters : settings.clusters) Comparison(settings, clusters, rows, done).run();
  return rows;
}

std::vector<MiniGridCrossing> mini_grid_crossings(std::span<const MiniGridRow> rows) {
  std::vector<MiniGridCrossing> crossings;
  for (const MiniGridRow& bound : rows) {
    if (bound.curve != MiniGridCurve::no_sharing && bound.curve != MiniGridCurve::migration_only) continue;
    for (const MiniGridCurve curve : {MiniGridCurve::fixed_penalty, MiniGridCurve::shared_links}) {
      // Both curves begin at the point without a penalty.
      std::vector<MiniGridRow> points = curve_of(rows, bound.clusters, MiniGridCurve::no_penalty);
      const std::vector<MiniGridRow> more = curve_of(rows, bound.clusters, curve);
      points.insert(points.end(), more.begin(), more.end());
      crossings.push_back({bound.clusters, curve, bound.curve, crossing(points, bound.turnaround_seconds)});
    }
  }
  return crossings;
}

}  // namespace dmm
