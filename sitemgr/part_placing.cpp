// See part_placing.hpp.
#include "sitemgr/part_placing.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/holding.hpp"

namespace dmm::site_steps {
namespace {

/// Whether free nodes of this site may be held for the request: they are for earlier ones otherwise.
bool may_use_own(const SiteParts& parts, Instant now, const LocalRequest& request) {
  if (parts.drains.has_self() || !parts.holds.may_hold(now, precedence_of(request))) return false;
  const bool is_kept = parts.matcher.is_blocked() || parts.reservation.held();
  return !is_kept || parts.queue.head() == &request;
}

}  // namespace

Precedence precedence_of(const LocalRequest& request) { return {request.since, request.request.id}; }

CoMap co_map_for(SiteParts& parts, Instant now, const LocalRequest& request, bool with_held) {
  const Constraints& constraints = request.kind->need.constraints;
  CoMap map;
  map.views = parts.owned.views(constraints);
  map.own = map.views.size();
  if (!may_use_own(parts, now, request))
    for (ClusterView& view : map.views) view.idle_processors = 0;
  if (with_held)
    for (const auto& [cluster, processors] : held_by_cluster(parts))
      if (const auto at = parts.owned.find_cluster(cluster)) map.views[*at].idle_processors += processors;
  for (ClusterBoard::Known& known : parts.board.within(now, request.kind->dttl)) {
    const ClusterReport& report = known.report;
    const bool is_reached = parts.neighbours[known.neighbour].up && !parts.neighbours[known.neighbour].removed;
    const std::uint32_t idle = std::min(report.idle + (with_held ? report.held : 0), report.total);
    map.views.push_back({report.site, report.cluster, is_reached ? idle : 0, report.total,
                         report.processors_per_node, 1.0,
                         meets({report.memory_bytes, report.attributes}, constraints)});
    map.others.push_back(std::move(known));
  }
  return map;
}

std::string text_of(const CoMap& map) {
  std::string text;
  for (const ClusterView& view : map.views) {
    if (!view.meets_constraints) continue;
    text += (text.empty() ? "" : ", ") + view.site.text + "/" + view.name.text + " " +
            std::to_string(usable_processors(view)) + " of " + std::to_string(view.total_processors);
  }
  return shortened(text.empty() ? "no cluster is known" : text, 400);
}

std::vector<CoPart> parts_of(const LocalRequest& request, const Placement& placement, const CoMap& map) {
  std::vector<CoPart> parts;
  for (const PlacedComponent& placed : placement) {
    const ClusterView& view = map.views[placed.cluster];
    auto at = std::ranges::find(parts, view.site, &CoPart::site);
    if (at == parts.end()) {
      at = parts.insert(parts.end(), CoPart{});
      at->site = view.site;
      at->need.kind = RequestKind::fixed;
      at->need.constraints = request.kind->need.constraints;
      if (placed.cluster >= map.own) {
        const ClusterBoard::Known& known = map.others[placed.cluster - map.own];
        at->neighbour = known.neighbour;
        at->hops = known.report.hops;
      }
    }
    at->components.push_back(placed.component);
    at->need.components.push_back({placed.processors, view.site, view.name});
  }
  DMM_ASSERT(!parts.empty() && parts.size() <= placement.size());
  return parts;
}

}  // namespace dmm::site_steps
