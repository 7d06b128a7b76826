#include "sitemgr/part_placing.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "matchmaking/file_transfer.hpp"
#include "matchmaking/placement_reasons.hpp"
#include "protocol/hints.hpp"
#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/holding.hpp"

namespace dmm::site_steps {
namespace {

constexpr std::size_t reason_bytes_max = 600;

/// Why no free nodes of this site may be held for the request, for people; empty if they may.
std::string why_not_own(const SiteParts& parts, Instant now, const LocalRequest& request) {
  if (parts.drains.has_self()) return "drained";
  const bool is_kept = parts.matcher.is_blocked() || parts.reservation.held();
  const bool is_earlier = is_kept && parts.queue.head() != &request;
  return is_earlier || !parts.holds.may_hold(now, precedence_of(parts, request)) ? "kept for an earlier request"
                                                                                 : "";
}

/// Why a cluster has nothing idle, for people; empty where its nodes are in use.
std::string text_of(RejectReason why_none) {
  switch (why_none) {
    case RejectReason::no_capacity: return {};
    case RejectReason::drained: return "drained";
    case RejectReason::nodes_down: return "its resource managers are down";
    case RejectReason::nodes_aside: return "its nodes are set aside";
    case RejectReason::kept_off:
      return "lends nothing for a while, since it took nodes back, or since offers lapsed";
    case RejectReason::leases_limit:
    case RejectReason::processors_limit: return "a limit of its link is reached";
    case RejectReason::no_answer: return "gave no answer lately";
    default: return "turned a part away: " + std::string(to_text(why_none));
  }
}

/// Why this site places nothing of the request on a cluster that other sites told of; empty if it may.
std::string why_not_reached(const SiteParts& parts, Instant now, const LocalRequest& request,
                            const ClusterBoard::Known& known) {
  const ClusterReport& report = known.report;
  if (!parts.neighbours[known.neighbour].up || parts.neighbours[known.neighbour].removed)
    return "the link on the way is down";
  if (parts.co_allocator.avoids(now, request.request.id, report.site)) return "turned the request away for good";
  return parts.cluster_errors.why_aside(now, report.site, report.cluster);
}

/// When the request's input files would be on each of the clusters.
void estimate_staging(const SiteParts& parts, Instant now, const LocalRequest& request, CoMap& map) {
  const FileNeeds& files = request.request.files;
  if (files.empty()) return;
  const std::vector<MeasuredTransfer> measured = parts.transfer_rates.all(now);
  std::vector<WayToSite> ways;
  for (const ClusterBoard::Known& known : map.others) ways.push_back(way_of(known));
  for (ClusterView& view : map.views)
    for (const FileNeed& file : files)  // they come one after the other
      if (!parts.kept_replicas.has(now, file.sha256, view.site, view.name))
        view.staging = view.staging + transfer_time({&file, 1}, view.site, parts.settings.name, ways, measured);
}

}  // namespace

WayToSite way_of(const ClusterBoard::Known& known) {
  return {known.report.site, known.report.round_trip, known.report.bandwidth};
}

Precedence precedence_of(const SiteParts& parts, const LocalRequest& request) {
  return {parts.co_allocator.stands_since(request.request.id), request.request.id};
}

bool keeps_files(const SiteParts& parts, Instant now, const SiteName& site, const ClusterName& cluster) {
  const Constraints keeping{0, {{keeping_attribute, keeping_value}}};
  if (site == parts.settings.name)
    return std::ranges::any_of(parts.owned.views(keeping), [&](const ClusterView& view) {
      return view.name == cluster && view.total_processors > 0;
    });
  return std::ranges::any_of(parts.board.within(now, dttl_max), [&](const ClusterBoard::Known& known) {
    return known.report.site == site && known.report.cluster == cluster &&
           meets({known.report.memory_bytes, known.report.attributes}, keeping);
  });
}

CoMap co_map_for(SiteParts& parts, Instant now, const LocalRequest& request, bool with_held) {
  const Constraints& constraints = request.kind->need.constraints;
  CoMap map;
  map.views = parts.owned.views(constraints);
  map.own = map.views.size();
  const std::string why_not = why_not_own(parts, now, request);
  const std::vector<OwnedManagerView> managers = parts.owned.managers();
  for (std::size_t i = 0; i < map.own; ++i) {
    if (!why_not.empty()) map.views[i].idle_processors = 0;
    if (map.views[i].idle_processors > 0) continue;
    map.notes[i] = why_not.empty() ? text_of(why_unusable(managers, map.views[i].name)) : why_not;
  }
  if (with_held && why_not.empty())
    for (const auto& [cluster, processors] : held_by_cluster(parts))
      if (const auto at = parts.owned.find_cluster(cluster)) map.views[*at].idle_processors += processors;
  for (ClusterBoard::Known& known : parts.board.within(now, request.kind->dttl)) {
    const ClusterReport& report = known.report;
    const std::string why_not_there = why_not_reached(parts, now, request, known);
    const std::uint32_t known_idle = std::min(report.idle + (with_held ? report.held : 0), report.total);
    const std::uint32_t idle = why_not_there.empty() ? known_idle : 0;
    if (idle == 0) map.notes[map.views.size()] = why_not_there.empty() ? text_of(report.why_none) : why_not_there;
    map.views.push_back({report.site, report.cluster, idle, report.total, report.processors_per_node, 1.0,
                         meets({report.memory_bytes, report.attributes}, constraints)});
    map.others.push_back(std::move(known));
  }
  estimate_staging(parts, now, request, map);
  return map;
}

bool add_leased(CoMap& map, const HopLease& lease, const Constraints& constraints) {
  DMM_ASSERT(!map.leased && !lease.nodes.empty());
  const NodeGroup& first = lease.nodes.front();
  const auto is_alike = [&](const NodeGroup& group) {
    return group.cluster == first.cluster && group.processors_per_node == first.processors_per_node;
  };
  if (!std::ranges::all_of(lease.nodes, is_alike)) return false;
  const std::uint32_t processors = processors_of(lease.nodes);
  // What the nodes are like beside their processors isn't known here.
  map.views.push_back({lease.id.owner, first.cluster, processors, processors, first.processors_per_node, 1.0,
                       constraints == Constraints{}});
  map.leased = &lease;
  return true;
}

std::string text_of(const CoMap& map) {
  std::string text;
  for (std::size_t i = 0; i < map.views.size(); ++i) {
    const ClusterView& view = map.views[i];
    if (!view.meets_constraints) continue;
    text += (text.empty() ? "" : ", ") + view.site.text + "/" + view.name.text + " " +
            std::to_string(usable_processors(view)) + " of " + std::to_string(view.total_processors);
    if (map.is_barred(i)) text += " (" + map.notes.at(i) + ")";
  }
  return shortened(text.empty() ? "no cluster is known" : text, 400);
}

std::string text_of(const SiteParts& parts, const ResourceNeed& need, const Placement& placement,
                    const CoMap& map) {
  return shortened(reason_of(need, map.views, parts.placer.policy_for(need), placement), reason_bytes_max);
}

std::vector<CoPart> parts_of(const LocalRequest& request, const Placement& placement, const CoMap& map) {
  std::vector<CoPart> parts;
  for (const PlacedComponent& placed : placement) {
    const ClusterView& view = map.views[placed.cluster];
    const LeaseId lease = map.is_leased(placed.cluster) ? map.leased->id : LeaseId{};
    auto at = std::ranges::find_if(
        parts, [&](const CoPart& part) { return part.site == view.site && part.lease == lease; });
    if (at == parts.end()) {
      at = parts.insert(parts.end(), CoPart{});
      at->site = view.site;
      at->need.kind = RequestKind::fixed;
      at->need.constraints = request.kind->need.constraints;
      if (map.is_leased(placed.cluster)) {
        at->lease = lease;
        at->hops = static_cast<std::uint32_t>(map.leased->chain.size()) - 1;
      } else if (!map.is_own(placed.cluster)) {
        const ClusterBoard::Known& known = map.others[placed.cluster - map.own];
        at->neighbour = known.neighbour;
        at->hops = known.report.hops;
        at->round_trip = std::clamp(known.report.round_trip, Duration{}, round_trip_max);
      }
    }
    at->components.push_back(placed.component);
    at->need.components.push_back({placed.processors, view.site, view.name});
  }
  DMM_ASSERT(!parts.empty() && parts.size() <= placement.size());
  return parts;
}

}  // namespace dmm::site_steps
