// The steps of pricing.hpp.
#include "sitemgr/pricing.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "manager/assert.hpp"
#include "matchmaking/file_transfer.hpp"
#include "matchmaking/link_price.hpp"

namespace dmm::site_steps {
namespace {

constexpr double kilobits_in_megabit = 1'000, bits_in_byte = 8, bits_in_megabit = 1e6;

double per_processor_of(const LocalRequest& request) {
  return request.request.communication / kilobits_in_megabit;
}

bool is_minded(const LocalRequest& request) { return request.request.communication > 0 && !request.kind->placed; }

/// Of the way to each cluster, as measured. This site's own link is at least as fast as any way over it.
std::vector<double> capacities_of(const CoMap& map) {
  const auto megabits = [](std::uint64_t bytes) {
    return static_cast<double>(bytes > 0 ? bytes : bandwidth_assumed) * bits_in_byte / bits_in_megabit;
  };
  std::vector<double> capacities;
  double fastest = megabits(0);
  for (const ClusterBoard::Known& known : map.others)
    fastest = std::max(fastest, megabits(known.report.bandwidth));
  for (std::size_t cluster = 0; cluster < map.views.size(); ++cluster) {
    const bool is_other = !map.is_own(cluster) && !map.is_leased(cluster);
    capacities.push_back(is_other ? megabits(map.others[cluster - map.own].report.bandwidth) : fastest);
  }
  return capacities;
}

/// The processors that the job has in each cluster of the map; the clusters that the map lacks aren't counted.
/// Nothing: it has no nodes there.
std::vector<ClusterProcessors> pieces_of(const SiteParts& parts, const CoMap& map, const RequestId& request,
                                         const Communication::Job& job) {
  std::map<std::size_t, std::uint32_t> processors;
  for (const LeaseId& id : job.leases) {
    if (!parts.leases.contains(id)) continue;
    const auto& handed_out = parts.leases.get(id).handed_out;
    const auto groups = handed_out.find(request);
    if (groups == handed_out.end()) continue;
    for (const NodeGroup& group : groups->second) {
      const auto is_its = [&](const ClusterView& view) {
        return view.site == id.owner && view.name == group.cluster;
      };
      const auto view = std::ranges::find_if(map.views, is_its);
      if (view != map.views.end())
        processors[static_cast<std::size_t>(view - map.views.begin())] += processors_of(group);
    }
  }
  std::vector<ClusterProcessors> pieces;
  for (const auto& [cluster, number] : processors) pieces.push_back({cluster, number});
  return pieces;
}

/// What the jobs of this site's users that run on several clusters ask of the links.
LinkLoads loads_of(SiteParts& parts, const CoMap& map) {
  LinkLoads loads{capacities_of(map), {}};
  parts.communication.each([&](const RequestId& request, const Communication::Job& job) {
    const std::vector<ClusterProcessors> pieces = pieces_of(parts, map, request, job);
    if (pieces.empty()) return false;
    if (JobDemand demand = demand_of(pieces, job.per_processor); !demand.empty())
      loads.running.push_back(std::move(demand));
    return true;
  });
  return loads;
}

}  // namespace

Placement least_slowed(SiteParts& parts, const LocalRequest& request, const ResourceNeed& need, const CoMap& map,
                       Placement placement) {
  if (!is_minded(request)) return placement;
  return dmm::least_slowed(need, map.views, std::move(placement), per_processor_of(request), loads_of(parts, map));
}

std::string price_of(SiteParts& parts, const LocalRequest& request, const CoMap& map, const Placement& placement) {
  if (!is_minded(request)) return {};
  return price_text(placement, map.views, per_processor_of(request), loads_of(parts, map));
}

void note_communication(SiteStep& s, const LocalRequest& request, const std::vector<HopLease*>& leases) {
  const double per_processor = per_processor_of(request);
  if (per_processor <= 0) return;
  std::vector<LeaseId> ids;
  for (const HopLease* lease : leases) ids.push_back(lease->id);
  s.parts.communication.began(request.request.id, per_processor, std::move(ids));
}

}  // namespace dmm::site_steps
