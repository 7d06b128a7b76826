// The steps of prefetching.hpp.
#include "sitemgr/prefetching.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/hints.hpp"
#include "protocol/text.hpp"

namespace dmm::site_steps {
namespace {

/// Files that come sooner are fetched on the nodes, as ever.
constexpr Duration transfer_min = seconds(2);
/// Of what another site says, in the log.
constexpr std::size_t text_max = 1'000;

ClaimRules rules_of(const SiteSettings& settings) {
  return {settings.claiming_wait, settings.claiming_wait_step, settings.claiming_wait_min};
}

/// The need as it was placed: each component fixed to its cluster.
ResourceNeed fixed_need(const ResourceNeed& need, const Placement& placement, const CoMap& map) {
  ResourceNeed fixed;
  fixed.kind = RequestKind::fixed;
  fixed.constraints = need.constraints;
  for (const PlacedComponent& placed : placement) {
    DMM_ASSERT(placed.component == fixed.components.size());
    const ClusterView& view = map.views[placed.cluster];
    fixed.components.push_back({placed.processors, view.site, view.name});
  }
  return fixed;
}

/// FTT: the longest of the transfers of all components.
Duration transfer_of(const Placement& placement, const CoMap& map) {
  Duration longest;
  for (const PlacedComponent& placed : placement) longest = std::max(longest, map.views[placed.cluster].staging);
  return longest;
}

/// Whether each file is one that clusters keep, and each cluster that lacks files keeps some.
bool can_go_ahead(const SiteParts& parts, Instant now, const FileNeeds& files, const Placement& placement,
                  const CoMap& map) {
  if (!std::ranges::all_of(files, can_be_kept<FileNeed>)) return false;
  return std::ranges::all_of(placement, [&](const PlacedComponent& placed) {
    const ClusterView& view = map.views[placed.cluster];
    return !map.is_leased(placed.cluster) &&
           (view.staging == Duration{} || keeps_files(parts, now, view.site, view.name));
  });
}

/// A step back towards the home site; there, the request may claim its nodes.
void pass_back(SiteStep& s, Prefetched&& fetched) {
  const RequestId request = fetched.request;
  if (fetched.path.empty() || fetched.path.back() != s.parts.settings.name) return s.parts.ignore("no_way");
  fetched.path.pop_back();
  if (!fetched.path.empty()) {
    const auto next = s.parts.neighbours.find(fetched.path.back());
    if (!next || !s.parts.neighbours[*next].up) return s.parts.ignore("no_way");
    return send(s, *next, std::move(fetched), request);
  }
  const LocalRequest* waits = s.parts.queue.find(request);
  if (!waits) return s.parts.ignore("unknown_request");
  if (fetched.text.empty()) {
    s.effects.log(Level::info, "prefetched", request,
                  {{"at", fetched.site.text}, {"cluster", fetched.cluster.text}});
    for (const FileNeed& file : waits->request.files)
      s.parts.kept_replicas.heard(s.now, file.sha256, fetched.site, fetched.cluster);
  } else {
    s.effects.log(Level::warning, "prefetch_failed", request,
                  {{"at", fetched.site.text},
                   {"cluster", fetched.cluster.text},
                   {"text", shortened(fetched.text.view(), text_max)}});
  }
  s.parts.co_allocator.files_came(s.now, request, {fetched.site, fetched.cluster});
}

/// The files won't go ahead to this site: the home site hears it.
void turn_away(SiteStep& s, Prefetch&& prefetch, std::string_view reason, std::string_view text) {
  s.parts.ignore(reason);
  DMM_ASSERT(!prefetch.path.empty() && prefetch.path.back() == s.parts.settings.name);
  pass_back(s, {prefetch.request, prefetch.site, prefetch.cluster, std::move(prefetch.path), ShortText(text)});
}

/// One step nearer to the cluster that it names, or to a resource manager there.
void pass_on(SiteStep& s, Prefetch&& prefetch) {
  const RequestId request = prefetch.request;
  if (!fault_of(prefetch.files).empty()) return s.parts.ignore("no_files");
  prefetch.path.push_back(s.parts.settings.name);
  if (prefetch.site == s.parts.settings.name) {
    const std::optional<Party> keeper =
        s.parts.owned.manager_with(prefetch.cluster, {0, {{keeping_attribute, keeping_value}}}, request.job);
    if (!keeper)
      return turn_away(s, std::move(prefetch), "keeps_no_files", "no resource manager there keeps files now");
    s.effects.log(Level::info, "prefetch", request,
                  {{"to", to_text(*keeper)}, {"files", static_cast<std::int64_t>(prefetch.files.size())}});
    return s.effects.send(*keeper, std::move(prefetch), request);
  }
  const std::optional<std::size_t> next = s.parts.board.next_hop(s.now, prefetch.site);
  if (!next || prefetch.path.size() > dttl_max || !s.parts.neighbours[*next].up) return s.parts.ignore("no_way");
  send(s, *next, std::move(prefetch), request);
}

}  // namespace

std::vector<PlannedPlace> lacking(const Placement& placement, const CoMap& map) {
  std::vector<PlannedPlace> places;
  for (const PlacedComponent& placed : placement) {
    const ClusterView& view = map.views[placed.cluster];
    const PlannedPlace place{view.site, view.name};
    if (view.staging > Duration{} && std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  return places;
}

bool wait_for_files(SiteStep& s, const LocalRequest& request, const ResourceNeed& need, const Placement& placement,
                    const CoMap& map) {
  const RequestId& id = request.request.id;
  const ClaimRules rules = s.parts.co_allocator.rules_of(id, rules_of(s.parts.settings));
  const Duration transfer = transfer_of(placement, map);
  if (rules.wait <= 0 || !request.kind->placed || transfer < transfer_min) return false;
  if (!can_go_ahead(s.parts, s.now, request.request.files, placement, map)) return false;
  ClaimPlan plan = plan_claim(s.now, transfer, rules);
  plan.need = fixed_need(need, placement, map);
  plan.awaited = lacking(placement, map);
  plan.placement = text_of(s.parts, need, placement, map);
  s.effects.log(Level::info, "planned", id,
                {{"text", plan.placement},
                 {"files_in_seconds", transfer.in_seconds()},
                 {"claimed_in_seconds", (plan.claim - s.now).in_seconds()}});
  tell_planned(s, id, plan, plan.awaited);
  s.parts.co_allocator.plan(s.now, id, std::move(plan));
  return true;
}

void tell_planned(SiteStep& s, const RequestId& request, const ClaimPlan& plan, std::vector<PlannedPlace> places) {
  if (places.empty()) return;
  s.effects.send(job_manager_of(request),
                 Planned{request, std::move(places), std::max(plan.claim - s.now, Duration{}),
                         std::max(plan.start - s.now, Duration{})},
                 request);
}

void tell_awaited_again(SiteStep& s) {
  while (const std::optional<RequestId> request = s.parts.co_allocator.take_awaiting_files(s.now)) {
    const ClaimPlan& plan = *s.parts.co_allocator.plan_of(*request);
    tell_planned(s, *request, plan, plan.awaited);
  }
}

bool files_come_in_time(const SiteParts& parts, Instant now, const LocalRequest& request,
                        const Placement& placement, const CoMap& map) {
  const ClaimPlan* plan = parts.co_allocator.plan_of(request.request.id);
  return !plan || (can_go_ahead(parts, now, request.request.files, placement, map) &&
                   now + transfer_of(placement, map) <= plan->start);
}

void on(SiteStep& s, FromUser from, Prefetch& prefetch) {
  if (from.party != job_manager_of(prefetch.request)) return s.parts.ignore("unknown_request");
  prefetch.path.clear();
  pass_on(s, std::move(prefetch));
}

void on(SiteStep& s, FromSite from, Prefetch& prefetch) {
  const bool is_own = prefetch.site == s.parts.settings.name;
  if (is_own && s.parts.lending.gets_nothing(s.now, s.parts.lending_site(), from.neighbour)) {
    prefetch.path.push_back(s.parts.settings.name);
    return turn_away(s, std::move(prefetch), "not_lent_to", "its site lends nothing to this neighbour now");
  }
  pass_on(s, std::move(prefetch));
}

void on(SiteStep& s, FromProvider, Prefetched& fetched) { pass_back(s, std::move(fetched)); }

void on(SiteStep& s, FromSite, Prefetched& fetched) { pass_back(s, std::move(fetched)); }

}  // namespace dmm::site_steps
