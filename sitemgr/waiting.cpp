// The steps of waiting.hpp.
#include "sitemgr/waiting.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/reclaiming.hpp"

namespace dmm::site_steps {
namespace {

/// The most holders that are named, of those that have what a request waits for.
constexpr std::size_t holders_shown = 20;

}  // namespace

/// The leases on nodes of this site that meet the constraints, most processors first.
static std::vector<HolderView> holders_of(const SiteParts& parts, Instant now, const Constraints& constraints);
static AskedView asked_of(const SiteParts& parts, Instant now, std::size_t n, const LocalRequest& request);
/// Whether no known site could ever serve the request, while not all sites within reach are known.
static bool too_wide_for_known(const SiteParts& parts, const LocalRequest& request);

// ---- this site's own nodes ------------------------------------------------------------------------------------------

std::vector<HolderView> holders_of(const SiteParts& parts, Instant now, const Constraints& constraints) {
  std::vector<HolderView> holders;
  const auto usable = [&](const std::vector<NodeGroup>& groups) {
    std::uint32_t processors = 0;
    for (const NodeGroup& group : groups) {
      const NodeOffer* offer = parts.owned.find_offer(group.resource_manager);
      if (offer && meets(offer->properties, constraints)) processors += processors_of(group);
    }
    return processors;
  };
  for (const LeaseId& id : parts.leases.all()) {
    const HopLease& lease = parts.leases.get(id);
    if (lease.upstream) continue;
    HolderView holder{id, lease.request, {}, usable(lease.nodes), now - lease.granted, lease.limit(), false};
    if (lease.downstream)
      holder.to = parts.neighbours[*lease.downstream].site;
    else if (lease.handed_out.empty())
      holder.request = {};
    if (holder.processors > 0) holders.push_back(holder);
    holder.processors = usable(lease.cleaning);
    holder.cleaning = true;
    if (holder.processors > 0) holders.push_back(holder);
  }
  std::ranges::stable_sort(holders, std::greater{}, &HolderView::processors);
  return holders;
}

// ---- neighbours -----------------------------------------------------------------------------------------------------

AskedView asked_of(const SiteParts& parts, Instant now, std::size_t n, const LocalRequest& request) {
  using Stage = AskedView::Stage;
  const Neighbour& neighbour = parts.neighbours[n];
  const RequestClass& kind = *request.kind;
  AskedView view;
  view.site = neighbour.site;
  for (std::size_t d = 0; d < neighbour.hint.size() && d < kind.dttl; ++d) {
    view.lendable = std::max(view.lendable, neighbour.hint[d].lendable);
    view.largest = std::max(view.largest, neighbour.hint[d].largest);
  }
  if (request.search == LocalRequest::Search::out && request.target == n) return view.stage = Stage::out, view;
  if (n < request.asked.size() && request.asked[n]) return view.stage = Stage::asked, view;
  if (!neighbour.up) return view.stage = Stage::link_down, view;
  const Targets::State& target = parts.targets.of(n);
  if (target.pressed) return view.stage = Stage::congested, view;
  if (now < target.asked_from()) {
    view.stage = Stage::in_backoff;
    view.backoff = target.asked_from() - now;
    return view;
  }
  if (parts.settings.use_hints) {
    const ResourceNeed& need = kind.co_allocable ? widest_part_of(kind) : kind.need;
    const Prospect beyond = parts.feasibility.beyond(n, need, kind.dttl, request.request.length);
    if (beyond.complete && !beyond.possible) {
      view.stage = Stage::cannot;
      view.limit = beyond.limit;
      view.limit_hops = beyond.limit_hops;
      view.clause = !beyond.has_nodes && beyond.limit > 0 ? RejectReason::processors_limit
                    : !beyond.wide_enough                 ? RejectReason::too_wide
                    : !beyond.has_nodes                   ? RejectReason::no_attribute
                                                          : RejectReason::too_long;
      return view;
    }
    if (!may_fit({kind.widest, kind.dttl, 0}, {n, neighbour.hint, neighbour.known, target.debit})) {
      view.limit = parts.feasibility.limit_of(n, kind.need.constraints);
      view.limit_hops = view.limit > 0 ? 1 : 0;
      return view.stage = Stage::no_room, view;
    }
  }
  view.stage = target.outstanding >= target.window ? Stage::window_full : Stage::next;
  return view;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

WaitView wait_of(const SiteParts& parts, Instant now, const RequestId& id) {
  WaitView view;
  view.request = id;
  view.idle = parts.owned.largest_idle();
  view.load = value(HomeSearch::load(parts.owned, parts.queue, parts.drains.has_self()));
  view.threshold = parts.settings.delegation_threshold;
  const LocalRequest* request = parts.queue.find(id);
  if (!request) return view;
  view.known = true;
  view.processors = request->kind->processors;
  view.widest = request->kind->widest;
  view.waited = now - request->since;
  view.round = request->round;
  view.tries = request->tries;
  view.answers = request->answers;
  if (const ClaimPlan* plan = parts.co_allocator.plan_of(id))
    view.planned = PlannedView{plan->placement, std::max(plan->claim - now, Duration{}),
                               std::max(plan->start - now, Duration{}), plan->tries};
  if (view.planned && request->search == LocalRequest::Search::ready) {
    view.reason = WaitReason::awaiting_files;
    return view;
  }
  const LocalRequest* head = parts.queue.head();
  switch (request->search) {
    case LocalRequest::Search::out:
      view.reason = WaitReason::asking_neighbour;
      view.asking = parts.neighbours[request->target].site;
      return view;
    case LocalRequest::Search::pausing:
      view.reason = WaitReason::pausing;
      view.pause_left = request->resume_at - now;
      if (too_wide_for_known(parts, *request)) view.reason = WaitReason::neighbours_unknown;
      return view;
    case LocalRequest::Search::gathering: view.reason = WaitReason::gathering; return view;
    case LocalRequest::Search::home: view.reason = WaitReason::no_neighbour; break;
    case LocalRequest::Search::ready:
      view.reason = request->window_full                            ? WaitReason::window_full
                    : parts.settings.delegation_cycle != Duration{} ? WaitReason::next_cycle
                    : parts.drains.has_self()                       ? WaitReason::drained
                                                                    : WaitReason::awaiting_hint;
      if (too_wide_for_known(parts, *request)) view.reason = WaitReason::neighbours_unknown;
      if (request->kind->servable && !HomeSearch::may_delegate(parts.queue, parts.search_site()))
        view.reason = parts.matcher.has_matched(parts.queue, parts.owned, parts.reservation)
                          ? WaitReason::no_free_nodes
                          : WaitReason::next_cycle;
      break;
  }
  const bool fits = request->kind->servable && request->kind->widest <= view.idle && !parts.drains.has_self();
  if (fits && head && head != request) {
    view.reason = WaitReason::behind_earlier;
    view.behind = head->request.id;
  }
  return view;
}

WaitView why(const SiteParts& parts, Instant now, const RequestId& id) {
  WaitView view = wait_of(parts, now, id);
  const LocalRequest* request = parts.queue.find(id);
  if (!request) return view;
  view.dttl = request->kind->dttl;
  view.dttl_to_more = parts.feasibility.dttl_to_more(parts.capacity(), *request->kind, request->request.length);
  view.constraints = request->kind->need.constraints;
  view.here =
      clause_of(request->kind->need, parts.settings.name, parts.owned, parts.placer, parts.drains.has_self());
  view.holders = holders_of(parts, now, view.constraints);
  if (view.holders.size() > holders_shown) {
    view.holders_left_out = view.holders.size() - holders_shown;
    view.holders.resize(holders_shown);
  }
  // No neighbour is asked for all of what names sites.
  if (!request->kind->aimed)
    for (std::size_t n = 0; n < parts.neighbours.size(); ++n)
      if (!parts.neighbours[n].removed) view.neighbours.push_back(asked_of(parts, now, n, *request));
  view.gathered = parts.co_allocator.tries(id);
  view.gathering_failed = parts.co_allocator.last_failure(id);
  if (const CoAttempt* attempt = parts.co_allocator.find(id))
    for (const CoPart& part : attempt->parts)
      view.parts.push_back({part.site, static_cast<std::uint32_t>(part.components.size()),
                            total_processors(part.need), part.state, part.lease});
  if (const Instant due = reclaim_due(parts); parts.queue.head() == request && due != never)
    view.reclaimed_in = std::max(due - now, Duration{});
  return view;
}

bool too_wide_for_known(const SiteParts& parts, const LocalRequest& request) {
  if (!parts.settings.use_hints || request.kind->servable) return false;
  const Prospect prospect =
      parts.feasibility.prospect(parts.capacity(), *request.kind, request.request.length, false);
  return !prospect.possible && !prospect.complete;
}

}  // namespace dmm::site_steps
