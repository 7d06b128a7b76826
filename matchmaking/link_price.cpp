#include "matchmaking/link_price.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "matchmaking/link_demand.hpp"
#include "matchmaking/policy.hpp"

namespace dmm {
namespace {

/// "12.5".
std::string tenths_text(double value) {
  const auto tenths = static_cast<std::int64_t>(std::llround(value * 10));
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

}  // namespace

JobDemand demand_of(std::span<const ClusterProcessors> pieces, double per_processor) {
  JobDemand demand;
  if (pieces.size() < 2 || per_processor <= 0) return demand;
  std::uint32_t in_all = 0;
  for (const ClusterProcessors& piece : pieces) in_all += piece.processors;
  for (const ClusterProcessors& piece : pieces)
    demand.push_back(
        {static_cast<std::uint32_t>(piece.cluster), link_demand(in_all, piece.processors, per_processor)});
  return demand;
}

std::vector<ClusterProcessors> pieces_of(const Placement& placement) {
  std::map<std::size_t, std::uint32_t> processors;
  for (const PlacedComponent& placed : placement) processors[placed.cluster] += placed.processors;
  std::vector<ClusterProcessors> pieces;
  for (const auto& [cluster, count] : processors) pieces.push_back({cluster, count});
  return pieces;
}

double share_of(const Placement& placement, double per_processor, const LinkLoads& loads) {
  std::vector<JobDemand> jobs = loads.running;
  jobs.push_back(demand_of(pieces_of(placement), per_processor));
  if (jobs.back().empty()) return 1;
  return allot(loads.capacities, jobs).back();
}

Placement least_slowed(const ResourceNeed& need, std::span<const ClusterView> clusters, Placement chosen,
                       double per_processor, const LinkLoads& loads) {
  double best = share_of(chosen, per_processor, loads);
  for (const PlacementPolicy policy : placement_policies()) {
    if (best >= 1) break;
    std::optional<Placement> other = policy(need, clusters);
    const double share = other ? share_of(*other, per_processor, loads) : 0;
    if (share <= best) continue;
    best = share;
    chosen = std::move(*other);
  }
  return chosen;
}

std::string price_text(const Placement& placement, std::span<const ClusterView> clusters, double per_processor,
                       const LinkLoads& loads) {
  const JobDemand demand = demand_of(pieces_of(placement), per_processor);
  if (demand.empty()) return "it is within one cluster, and asks nothing of the links";
  const std::vector<double> carried = total_demand(clusters.size(), loads.running);
  std::string text;
  for (const LinkDemand& one : demand) {
    const ClusterView& view = clusters[one.link];
    text += (text.empty() ? "it asks " : ", ") + tenths_text(one.megabits) + " Mbit/s of " + view.site.text + "/" +
            view.name.text + " (carries " + tenths_text(loads.capacities[one.link]);
    if (carried[one.link] > 0) text += ", others ask " + tenths_text(carried[one.link]);
    text += ")";
  }
  const double share = share_of(placement, per_processor, loads);
  return text + ", and gets " + std::to_string(static_cast<int>(std::floor(share * 100))) + " % of that";
}

}  // namespace dmm
