// Whether and where co-allocated requests have a place now; see gathering.hpp.
#include <algorithm>

#include "manager/assert.hpp"
#include "matchmaking/placement_reasons.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/part_placing.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/preempting.hpp"
#include "sitemgr/prefetching.hpp"
#include "sitemgr/pricing.hpp"
#include "sitemgr/refusing.hpp"
#include "sitemgr/surveying.hpp"

namespace dmm::site_steps {
namespace {

/// No step begins more attempts: other parties are heard in between.
constexpr int attempts_a_step = 64;
/// Beyond the round trip, for the answers to a Survey.
constexpr Duration reports_awaited = milliseconds(500);
/// A request that is out at a neighbour as a whole is looked at again after this.
constexpr Duration look_again = seconds(1);

/// Whether the owner knows of the claim: it acknowledged it, as that of a part; or it would have ended its offer.
bool is_surely_claimed(Instant now, const HopLease& lease) {
  return lease.part > 0 || now - lease.granted >= lease.term;
}

Duration longest_round_trip(const SiteParts& parts, const std::vector<std::size_t>& neighbours) {
  Duration longest;
  for (const std::size_t n : neighbours) longest = std::max(longest, parts.neighbours[n].round_trip);
  return longest;
}

}  // namespace

namespace {

/// Where a request would go.
struct Place {
  CoMap map;
  Placement placement;
  std::vector<LeaseId> given_up;  ///< with jobs that it would end
  std::string idle;  ///< what was idle, for people, where the placement takes more than that; else empty
};

}  // namespace

/// Looks whether and where the request can be placed now, and begins an attempt.
static void consider(SiteStep& s, LocalRequest& request);
/// Nothing: it pauses, or was refused.
static std::optional<Place> find_place(SiteStep& s, LocalRequest& request, const ResourceNeed& need);
/// Frees what others have of the place, at this site. Why no attempt can begin now; empty if one can.
static std::string take_place(SiteStep& s, const LocalRequest& request, const Place& place,
                              std::vector<CoPart>& parts);
/// Why the request has no place, for people: `found` says what is idle now.
static std::string why_no_place(const SiteParts& parts, const LocalRequest& request, const CoMap& map,
                                const std::string& found);
/// Whether this site's own part of the placement finds its nodes free; if younger requests hold them, they are
/// freed.
static bool free_own(SiteStep& s, const LocalRequest& request, const Placement& placement, const CoMap& map);
bool is_placed_by_files(const SiteParts& parts, const ResourceNeed& need) {
  return parts.placer.policy_for(need) == close_to_files &&
         need.constraints->attributes.contains(staging_attribute);
}

bool may_co_allocate(const SiteParts& parts, const ResourceNeed& need, std::uint32_t dttl) {
  return (is_divided(need) || is_placed_by_files(parts, need)) && dttl > 0 && parts.settings.delegate &&
         parts.settings.co_allocate && parts.neighbours.configured() > 0;
}

void place(SiteStep& s, const LocalRequest& request) {
  s.parts.co_allocator.add(s.now, request.request.id, request.since, request.request.priority > 0);
}

void gather(SiteStep& s) {
  tell_awaited_again(s);
  if (s.parts.co_allocator.note_freed(s.parts.owned.freed())) s.parts.co_allocator.more_is_free(s.now);
  for (int looked_at = 0; looked_at < attempts_a_step; ++looked_at) {
    const std::optional<RequestId> due = s.parts.co_allocator.take_due(s.now, s.parts.settings.high_scans);
    if (!due) return;
    LocalRequest* request = s.parts.queue.find(*due);
    DMM_ASSERT(request);
    consider(s, *request);
  }
}

void consider(SiteStep& s, LocalRequest& request) {
  const RequestId& id = request.request.id;
  CoAllocator& co_allocator = s.parts.co_allocator;
  DMM_ASSERT(request.search != LocalRequest::Search::gathering);
  const RequestClass& kind = *request.kind;
  if (!is_divided(kind.need) && !kind.placed) return co_allocator.drop(id);  // it is searched for again
  if (request.search == LocalRequest::Search::out) return co_allocator.try_at(id, s.now + look_again);
  if (!kind.co_allocable) return co_allocator.found_no_place(s.now, id, "it may not leave this site");
  if (kind.servable && !HomeSearch::may_delegate(s.parts.queue, s.parts.search_site()))
    return co_allocator.found_no_place(s.now, id, "this site's load is below its delegation threshold");
  const std::vector<std::size_t> up = s.parts.neighbours.up();
  if (up.empty() && !kind.placed) return co_allocator.found_no_place(s.now, id, "no neighbour is up");
  survey(s, kind.dttl);
  const Duration awaited = reports_awaited + longest_round_trip(s.parts, up);
  if (!s.parts.board.is_fresh(s.now, up, awaited)) return co_allocator.await_reports(s.now, id, s.now + awaited);
  const ClaimPlan* plan = co_allocator.plan_of(id);
  const ResourceNeed& need = plan ? plan->need : kind.need;
  const std::optional<Place> place = find_place(s, request, need);
  if (!place) return;
  if (!plan && wait_for_files(s, request, need, place->placement, place->map)) return;
  std::vector<CoPart> parts = parts_of(request, place->placement, place->map);
  if (std::string why_not = take_place(s, request, *place, parts); !why_not.empty())
    return co_allocator.found_no_place(s.now, id, std::move(why_not));
  begin_attempt(s, request, std::move(parts), place->placement, place->map);
}

std::optional<Place> find_place(SiteStep& s, LocalRequest& request, const ResourceNeed& need) {
  const auto placed = [&](const CoMap& map) {
    std::optional<Placement> placement = s.parts.placer.place(need, map.views);
    if (placement) placement = least_slowed(s.parts, request, need, map, std::move(*placement));
    return placement;
  };
  CoMap map = co_map_for(s.parts, s.now, request, false);
  if (std::optional<Placement> placement = placed(map))
    return Place{std::move(map), std::move(*placement), {}, {}};
  if (refuse_if_tried_enough(s, request)) return std::nullopt;
  std::string idle = text_of(map);
  map = co_map_for(s.parts, s.now, request, true);
  if (std::optional<Placement> placement = placed(map))
    return Place{std::move(map), std::move(*placement), {}, std::move(idle)};
  std::vector<LeaseId> given_up;
  for (const LeaseId& lease : may_end(s.parts, s.now, request)) {
    given_up.push_back(lease);
    add_given_up(s.parts, lease, map);
    if (std::optional<Placement> placement = placed(map))
      return Place{std::move(map), std::move(*placement), std::move(given_up), std::move(idle)};
  }
  s.parts.co_allocator.found_no_place(s.now, request.request.id, why_no_place(s.parts, request, map, idle));
  return std::nullopt;
}

std::string take_place(SiteStep& s, const LocalRequest& request, const Place& place, std::vector<CoPart>& parts) {
  if (give_up(s, request, place.given_up, parts)) return "jobs of low priority end for it";
  if (!place.idle.empty() && !free_own(s, request, place.placement, place.map))
    return "other requests hold the nodes that it needs: " + place.idle;
  const auto is_own = [&](const PlacedComponent& placed) { return place.map.is_own(placed.cluster); };
  if (!request.kind->placed && std::ranges::all_of(place.placement, is_own))
    return "it fits here, and waits for its turn";
  return why_not_asked(s.parts, s.now, parts);
}

std::string why_no_place(const SiteParts& parts, const LocalRequest& request, const CoMap& map,
                         const std::string& found) {
  std::vector<ClusterView> sizes = map.views;
  for (ClusterView& view : sizes) view.idle_processors = view.total_processors;
  const ResourceNeed& need = request.kind->need;
  if (parts.placer.place(need, sizes)) return "too little is free: " + found;
  return "all clusters that are known within reach are too small for it, were they idle: " +
         why_not_placed(need, sizes, parts.placer.policy_for(need));
}

bool gather_with(SiteStep& s, HopLease& lease, Duration usable_for) {
  const std::optional<RequestId> id = s.parts.co_allocator.longest_pausing();
  if (!id || processors_of(lease.idle) != processors_of(lease.nodes) || !is_surely_claimed(s.now, lease))
    return false;
  LocalRequest& request = *s.parts.queue.find(*id);
  if (request.search == LocalRequest::Search::out || !request.kind->co_allocable) return false;
  if (request.kind->dttl + 1 < lease.chain.size()) return false;
  if (!RequestQueue::may_follow(request, usable_for, lease.length / 2)) return false;
  CoMap map = co_map_for(s.parts, s.now, request, false);
  if (!add_leased(map, lease, request.kind->need.constraints)) return false;
  const std::optional<Placement> placement = s.parts.placer.place(request.kind->need, map.views);
  const auto is_leased = [&](const PlacedComponent& placed) { return map.is_leased(placed.cluster); };
  if (!placement || std::ranges::none_of(*placement, is_leased)) return false;
  std::vector<CoPart> parts = parts_of(request, *placement, map);
  if (!why_not_asked(s.parts, s.now, parts).empty()) return false;
  s.parts.co_allocator.take(*id);
  begin_attempt(s, request, std::move(parts), *placement, map);
  return true;
}

bool free_own(SiteStep& s, const LocalRequest& request, const Placement& placement, const CoMap& map) {
  ResourceNeed own;
  own.kind = RequestKind::fixed;
  own.constraints = request.kind->need.constraints;
  for (const PlacedComponent& placed : placement)
    if (placed.cluster < map.own)
      own.components.push_back(
          {placed.processors, map.views[placed.cluster].site, map.views[placed.cluster].name});
  if (own.components.empty()) return true;
  if (s.parts.placer.place(own, s.parts.owned.views(own.constraints))) return true;
  outrank(s, own, precedence_of(s.parts, request), 1, {});
  return false;  // nodes that were freed have to be clean first
}

std::string why_not_asked(const SiteParts& parts, Instant now, const std::vector<CoPart>& wanted) {
  for (const CoPart& part : wanted) {
    if (!part.neighbour) continue;
    const Targets::State& target = parts.targets.of(*part.neighbour);
    const std::string& name = parts.neighbours[*part.neighbour].site.text;
    if (now < target.asked_from())
      return name + " gave no answer, or no nodes, lately, and isn't asked for a while";
    if (target.pressed || target.outstanding >= target.window) return name + " can't be asked for more at once";
  }
  return {};
}

}  // namespace dmm::site_steps
