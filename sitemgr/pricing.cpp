// The steps of pricing.hpp.
#include "sitemgr/pricing.hpp"

#include <algorithm>
#include <map>
#include <set>
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

/// What the jobs of this site's users that run on several clusters ask of the links.
LinkLoads loads_of(SiteParts& parts, const CoMap& map) {
  LinkLoads loads{capacities_of(map), {}};
  if (parts.communication.empty()) return loads;
  std::map<RequestId, std::map<std::size_t, std::uint32_t>> jobs;
  for (const LeaseId& id : parts.leases.all()) {
    const HopLease& lease = parts.leases.get(id);
    for (const auto& [request, groups] : lease.handed_out) {
      if (parts.communication.of(request) <= 0) continue;
      for (const NodeGroup& group : groups)
        for (std::size_t i = 0; i < map.views.size(); ++i)
          if (map.views[i].site == id.owner && map.views[i].name == group.cluster) {
            jobs[request][i] += processors_of(group);
            break;
          }
    }
  }
  parts.communication.keep([&](const RequestId& request) { return jobs.contains(request); });
  for (const auto& [request, clusters] : jobs) {
    std::vector<ClusterProcessors> pieces;
    for (const auto& [cluster, processors] : clusters) pieces.push_back({cluster, processors});
    if (JobDemand demand = demand_of(pieces, parts.communication.of(request)); !demand.empty())
      loads.running.push_back(std::move(demand));
  }
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

void note_communication(SiteStep& s, const LocalRequest& request) {
  if (const double per_processor = per_processor_of(request); per_processor > 0)
    s.parts.communication.began(request.request.id, per_processor);
}

}  // namespace dmm::site_steps
