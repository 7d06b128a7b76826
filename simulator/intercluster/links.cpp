#include "simulator/intercluster/links.hpp"

#include <algorithm>
#include <functional>

#include "manager/assert.hpp"
#include "matchmaking/link_demand.hpp"

namespace dmm {

bool spans_clusters(std::span<const ClusterShare> pieces) {
  const auto is_elsewhere = [&](const ClusterShare& share) { return share.cluster != pieces[0].cluster; };
  return std::any_of(pieces.begin(), pieces.end(), is_elsewhere);
}

InterclusterLinks::InterclusterLinks(std::uint32_t clusters, const SharedLinks& settings)
    : settings_(settings), capacities_(clusters, settings.link_megabits), demand_(clusters, 0.0) {
  DMM_ASSERT(settings.link_megabits > 0 && settings.bandwidth_megabits >= 0);
  DMM_ASSERT(settings.computation_share >= 0 && settings.computation_share <= 1);
}

std::span<const InterclusterLinks::Slide> InterclusterLinks::start(Instant now, std::uint32_t job, Duration run,
                                                                   std::span<const ClusterShare> pieces) {
  const Residual residual = residual_at_start(run.in_seconds(), settings_.computation_share);
  flows_.push_back({.job = job, .since = now, .end = now + run, .residual = residual});
  demands_.push_back(demand_of(pieces));
  slides_.assign(1, {job, now + run});
  reallot(now);
  return slides_;
}

std::span<const InterclusterLinks::Slide> InterclusterLinks::end_next(Instant now) {
  DMM_ASSERT(!flows_.empty());
  flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(next_));
  demands_.erase(demands_.begin() + static_cast<std::ptrdiff_t>(next_));
  slides_.clear();
  reallot(now);
  return slides_;
}

JobDemand InterclusterLinks::demand_of(std::span<const ClusterShare> pieces) const {
  std::uint32_t processors = 0;
  std::vector<ClusterShare> by_cluster;
  for (const ClusterShare& piece : pieces) {
    processors += piece.processors;
    const auto same = std::find_if(by_cluster.begin(), by_cluster.end(),
                                   [&](const ClusterShare& p) { return p.cluster == piece.cluster; });
    if (same == by_cluster.end())
      by_cluster.push_back(piece);
    else
      same->processors += piece.processors;
  }
  const double per_processor = settings_.bandwidth_kind == BandwidthKind::per_processor
                                   ? settings_.bandwidth_megabits
                                   : per_processor_bandwidth(settings_.bandwidth_megabits, processors);
  JobDemand demand;
  for (const ClusterShare& piece : by_cluster)
    demand.push_back({piece.cluster, link_demand(processors, piece.processors, per_processor)});
  return demand;
}

void InterclusterLinks::reallot(Instant now) {
  demand_ = total_demand(capacities_.size(), demands_);
  const bool is_saturated = !std::equal(demand_.begin(), demand_.end(), capacities_.begin(), std::less_equal<>{});
  if (is_saturated || any_held_) share_out(now);
  any_held_ = is_saturated;
  const auto earlier = [](const Flow& a, const Flow& b) { return a.end < b.end; };
  next_ = static_cast<std::size_t>(std::min_element(flows_.begin(), flows_.end(), earlier) - flows_.begin());
}

// Jobs with an unchanged share are skipped, so rounding can't move their ends.
void InterclusterLinks::share_out(Instant now) {
  const std::vector<double> shares = allot(capacities_, demands_);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = flows_[i];
    if (shares[i] == flow.share) continue;
    flow.residual = residual_after(flow.residual, (now - flow.since).in_seconds(), flow.share, shares[i]);
    flow.share = shares[i];
    flow.since = now;
    flow.end = now + from_seconds(flow.residual.total());
    slides_.push_back({flow.job, flow.end});
  }
}

}  // namespace dmm
