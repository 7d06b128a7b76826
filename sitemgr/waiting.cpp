// Why a request waits: what keeps it from this site's own nodes, who has them, and where its search elsewhere stands.
// Looked at when somebody asks; the exact reason also when a delegation is rejected.
#include <algorithm>
#include <functional>
#include <utility>

#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// So many of those who have what a request waits for are named.
constexpr std::size_t holders_shown = 20;

}  // namespace

// ---- this site's own nodes -----------------------------------------------------------------------------------------

/// Who has nodes of this site that meet the constraints: most processors first.
std::vector<HolderView> SiteManager::holders_of(Instant now, const Constraints& constraints) const {
  std::vector<HolderView> holders;
  const auto usable = [&](const std::vector<NodeGroup>& groups) {
    std::uint32_t processors = 0;
    for (const NodeGroup& group : groups) {
      const NodeOffer* offer = owned_.find_offer(group.resource_manager);
      if (offer && meets(offer->properties, constraints)) processors += processors_of(group);
    }
    return processors;
  };
  for (const LeaseId& id : leases_.all()) {
    const Lease& lease = leases_.get(id);
    if (lease.upstream) continue;
    HolderView holder{id, lease.request, {}, usable(lease.nodes), now - lease.granted, lease.limit(), false};
    if (lease.downstream)
      holder.to = neighbours_[*lease.downstream].site;
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

// ---- neighbours ----------------------------------------------------------------------------------------------------

AskedView SiteManager::asked_of(Instant now, std::size_t n, const LocalRequest& request) const {
  using Stage = AskedView::Stage;
  const Neighbour& neighbour = neighbours_[n];
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
  const Targets::State& target = targets_.of(n);
  if (target.pressed) return view.stage = Stage::congested, view;
  if (now < target.backoff_until) {
    view.stage = Stage::resting;
    view.rests = target.backoff_until - now;
    return view;
  }
  if (settings_.use_hints) {
    const Prospect beyond = feasibility_.beyond(n, kind.need, kind.dttl, request.request.length);
    if (beyond.complete && !beyond.possible) {
      view.stage = Stage::cannot;
      view.clause = !beyond.wide_enough ? RejectReason::too_wide
                    : !beyond.has_nodes ? RejectReason::no_attribute
                                        : RejectReason::too_long;
      return view;
    }
    if (!may_fit({kind.widest, kind.dttl, 0}, {n, neighbour.hint, neighbour.known, target.debit}))
      return view.stage = Stage::no_room, view;
  }
  view.stage = target.outstanding >= target.window ? Stage::window_full : Stage::next;
  return view;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

WaitView SiteManager::wait_of(Instant now, const RequestId& id) const {
  WaitView view;
  view.request = id;
  view.idle = owned_.largest_idle();
  view.load = value(HomeSearch::load(owned_, queue_, lending_.drained_here()));
  view.threshold = settings_.delegation_threshold;
  const LocalRequest* request = queue_.find(id);
  if (!request) return view;
  view.known = true;
  view.processors = request->kind->processors;
  view.widest = request->kind->widest;
  view.waited = now - request->since;
  view.round = request->round;
  view.tries = request->tries;
  view.answers = request->answers;
  const LocalRequest* head = queue_.head();
  switch (request->search) {
    case LocalRequest::Search::out:
      view.reason = WaitReason::asking_neighbour;
      view.asking = neighbours_[request->target].site;
      return view;
    case LocalRequest::Search::pausing:
      view.reason = WaitReason::pausing;
      view.pause_left = request->resume_at - now;
      if (too_wide_for_known(*request)) view.reason = WaitReason::neighbours_unknown;
      return view;
    case LocalRequest::Search::home: view.reason = WaitReason::no_neighbour; break;
    case LocalRequest::Search::ready:
      view.reason = request->window_full                            ? WaitReason::window_full
                    : settings_.delegation_cycle != Duration{}      ? WaitReason::next_cycle
                    : lending_.drained_here()                                ? WaitReason::drained
                                                                    : WaitReason::awaiting_hint;
      if (too_wide_for_known(*request)) view.reason = WaitReason::neighbours_unknown;
      if (request->kind->servable && !HomeSearch::may_delegate(queue_, search_site()))
        view.reason = matcher_.has_matched(queue_, owned_) ? WaitReason::no_free_nodes : WaitReason::next_cycle;
      break;
  }
  const bool fits = request->kind->servable && request->kind->widest <= view.idle && !lending_.drained_here();
  if (fits && head && head != request) {
    view.reason = WaitReason::behind_earlier;
    view.behind = head->request.id;
  }
  return view;
}

WaitView SiteManager::why(Instant now, const RequestId& id) const {
  WaitView view = wait_of(now, id);
  const LocalRequest* request = queue_.find(id);
  if (!request) return view;
  view.dttl = request->kind->dttl;
  view.constraints = request->kind->need.constraints;
  view.here = clause_of(request->kind->need, settings_.name, owned_, placer_, lending_.drained_here());
  view.holders = holders_of(now, view.constraints);
  if (view.holders.size() > holders_shown) {
    view.holders_left_out = view.holders.size() - holders_shown;
    view.holders.resize(holders_shown);
  }
  for (std::size_t n = 0; n < neighbours_.size(); ++n)
    if (!neighbours_[n].removed) view.neighbours.push_back(asked_of(now, n, *request));
  if (const Instant due = reclaim_due(); queue_.head() == request && due != never)
    view.reclaimed_in = std::max(due - now, Duration{});
  return view;
}

/// Whether nobody is known who could ever serve it, and not everybody is known.
bool SiteManager::too_wide_for_known(const LocalRequest& request) const {
  if (!settings_.use_hints || request.kind->servable) return false;
  const Prospect prospect = feasibility_.prospect(site(), *request.kind, request.request.length, false);
  return !prospect.possible && !prospect.complete;
}

}  // namespace dmm
