// The steps of gathering.hpp.
#include "sitemgr/gathering.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/asked_sites.hpp"
#include "sitemgr/claiming.hpp"
#include "sitemgr/delegating.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/part_placing.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/pricing.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/refusing.hpp"
#include "sitemgr/serving.hpp"

namespace dmm::site_steps {

/// The part's nodes under its lease, if nothing need be asked for: those that this site leases already, or its
/// own.
static LeaseId hold_here(SiteStep& s, const LocalRequest& request, const CoPart& part, const Placement& placement,
                         const CoMap& map);
/// The nodes of the lease that the part needs, by component. The others go back.
static void divide(SiteStep& s, HopLease& lease, const RequestId& id, const CoPart& part);
static void ask(SiteStep& s, LocalRequest& request, const CoPart& part, std::uint32_t number);
/// How long an attempt may take: the answers of all parts, and then the claims to the farthest of them and back.
static Duration attempt_within(const SiteParts& parts, const CoAttempt& attempt);
static void claim_all(SiteStep& s, const RequestId& id, CoAttempt& attempt);
static void hand_out_all(SiteStep& s, const RequestId& id);
/// Withdraws or gives back each part of an attempt that is over.
static void give_back_parts(SiteStep& s, const RequestId& id, const CoAttempt& attempt);
/// The neighbour's delegation is no longer out.
static void note_back(SiteStep& s, const CoPart& part);

void begin_attempt(SiteStep& s, LocalRequest& request, std::vector<CoPart> parts, const Placement& placement,
                   const CoMap& map) {
  const RequestId id = request.request.id;
  CoAttempt& attempt = s.parts.co_allocator.begin(id, ++request.round, std::move(parts));
  const ClaimPlan* plan = s.parts.co_allocator.plan_of(id);
  attempt.placement = plan ? plan->placement : text_of(s.parts, request.kind->need, placement, map);
  if (const std::string price = price_of(s.parts, request, map, placement); !price.empty())
    attempt.placement += "; " + price;
  s.effects.log(Level::info, "placed", id, {{"text", attempt.placement}});
  request.asked_at = s.now;
  request.answer_by = s.now + attempt_within(s.parts, attempt) * claiming_tries(s.parts.settings);
  s.parts.queue.set_search(request, LocalRequest::Search::gathering);
  ask_parts(s, request, attempt, 1, placement, map);
}

void ask_parts(SiteStep& s, LocalRequest& request, CoAttempt& attempt, std::uint32_t first,
               const Placement& placement, const CoMap& map) {
  const RequestId& id = request.request.id;
  DMM_ASSERT(first > 0 && first <= attempt.parts.size());
  for (std::uint32_t number = first; number <= attempt.parts.size(); ++number) {
    CoPart& part = *attempt.part(number);
    if (!part.neighbour) {
      s.parts.co_allocator.held(id, part, hold_here(s, request, part, placement, map));
      continue;
    }
    for (const Component& component : part.need.components)
      s.parts.board.take(part.site, component.cluster, component.processors);
    ask(s, request, part, number);
  }
  if (attempt.all_past(CoPart::State::held)) claim_all(s, id, attempt);
}

LeaseId hold_here(SiteStep& s, const LocalRequest& request, const CoPart& part, const Placement& placement,
                  const CoMap& map) {
  if (!part.lease.empty()) {
    divide(s, *s.parts.leases.find(part.lease), request.request.id, part);
    return part.lease;
  }
  Placement own;
  for (const PlacedComponent& placed : placement)
    if (map.is_own(placed.cluster)) own.push_back(placed);
  const Duration within = request.answer_by - s.now;
  const LeaseId lease =
      make_lease(s, request.kind->need, own, request.request.id, request.request.length, nullptr, within).id;
  s.parts.holds.add(lease, precedence_of(s.parts, request));
  return lease;
}

void divide(SiteStep& s, HopLease& lease, const RequestId& id, const CoPart& part) {
  std::vector<NodeGroup> rest = lease.idle.take(), taken;
  for (std::size_t i = 0; i < part.components.size(); ++i) {
    const Component& wanted = part.need.components[i];
    for (NodeGroup& group : take_in_cluster(rest, wanted.cluster, wanted.processors)) {
      group.component = part.components[i];
      taken.push_back(std::move(group));
    }
  }
  if (!rest.empty()) give_back(s, lease, rest);
  lease.nodes = std::move(taken);
  changed(s, lease);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "reused", id, {{"lease", to_text(lease.id)}, {"owner", part.site.text}});
}

Duration attempt_within(const SiteParts& parts, const CoAttempt& attempt) {
  std::uint32_t hops = 1;  // also where all of it is here
  Duration reported;
  for (const CoPart& part : attempt.parts) {
    hops = std::max(hops, part.hops);
    reported = std::max(reported, part.round_trip);
  }
  // Hints may reach less far than the reports of clusters do.
  const Duration round_trip = std::max(reported, parts.neighbours.round_trip_within(hops));
  return answer_within(hops, parts.settings, round_trip) + round_trip * 2;
}

void ask(SiteStep& s, LocalRequest& request, const CoPart& part, std::uint32_t number) {
  const RequestId& id = request.request.id;
  const std::size_t n = *part.neighbour;
  ++request.tries;
  s.parts.targets.sent(n, widest_component(part.need), Targets::Of::part);
  Delegate asked{request.request,
                 number,
                 request.round,
                 part.hops - 1,
                 part.hops,
                 request.answer_by - s.now,
                 {s.parts.settings.name},
                 {},
                 request.stay,
                 {},
                 {}};
  asked.request.need = part.need;
  asked.gives_up = part.gives_up;
  if (!part.gives_up.empty()) asked.gives_up_grace = s.parts.settings.preempt_grace;
  asked.request.waited = s.now - s.parts.co_allocator.stands_since(id);
  asked.round_trip =
      s.parts.users.round_trip(job_manager_of(s.parts.settings.name, id.user)) + s.parts.neighbours[n].round_trip;
  s.effects.log(Level::info, "delegate", id,
                {{"to", s.parts.neighbours[n].site.text},
                 {"aim", part.site.text},
                 {"part", std::int64_t{number}},
                 {"processors", std::int64_t{total_processors(part.need)}},
                 {"round", std::int64_t{request.round}}});
  send(s, n, std::move(asked), id);
}

// ---- parts ------------------------------------------------------------------------------------------

void take_part(SiteStep& s, std::size_t from, const Grant& grant, HopLease lease) {
  CoAttempt* attempt = s.parts.co_allocator.find(grant.request);
  CoPart* part = attempt ? attempt->part(grant.part) : nullptr;
  const bool is_wanted = part && attempt->round == grant.round && part->state == CoPart::State::asked &&
                         part->neighbour == from && part->site == grant.lease.owner && attempt->broken.empty();
  if (!is_wanted) {
    s.effects.log(Level::info, "release", grant.request, {{"lease", to_text(grant.lease)}, {"unused", true}});
    return send(s, from, Release{grant.lease, {}, false, false}, grant.request);
  }
  note_back(s, *part);
  if (const std::string fault = dmm::fault_of(grant.nodes, part->need); !fault.empty()) {
    s.parts.refuse(from, "grant");
    s.parts.targets.worthless(s.now, from);
    s.parts.co_allocator.refused(grant.request, *part,
                                 part->site.text + " granted other nodes than were asked for");
    return send(s, from, Release{grant.lease, {}, false, true}, grant.request);
  }
  for (NodeGroup& group : lease.nodes) group.component = part->components[group.component];
  s.effects.log(Level::info, "held", grant.request,
                {{"at", part->site.text}, {"lease", to_text(grant.lease)}, {"part", std::int64_t{grant.part}}});
  const LeaseId id = add_lease(s, std::move(lease)).id;
  s.parts.co_allocator.held(grant.request, *part, id);
  if (attempt->all_past(CoPart::State::held)) claim_all(s, grant.request, *attempt);
}

void claim_all(SiteStep& s, const RequestId& id, CoAttempt& attempt) {
  for (CoPart& part : attempt.parts) {
    if (part.state == CoPart::State::replaced) continue;
    DMM_ASSERT(part.state == CoPart::State::held);
    if (!part.neighbour) {
      part.state = CoPart::State::claimed;
      continue;
    }
    HopLease& lease = *s.parts.leases.find(part.lease);
    lease.state = LeaseState::active;
    changed(s, lease);
    send(s, *part.neighbour, Claim{part.lease, id, {}}, id);
  }
  if (attempt.all_past(CoPart::State::claimed)) return hand_out_all(s, id);  // no other site has a part
  if (!DMM_PLANT(claim_not_awaited)) return;
  for (CoPart& part : attempt.parts)
    if (part.is_held()) part.state = CoPart::State::claimed;
  hand_out_all(s, id);
}

void part_claimed(SiteStep& s, const LeaseId& lease) {
  const std::optional<RequestId> id = s.parts.co_allocator.request_of(lease);
  if (!id) return s.parts.ignore("claimed_before");
  CoAttempt& attempt = *s.parts.co_allocator.find(*id);
  if (!attempt.broken.empty()) return;
  for (CoPart& part : attempt.parts)
    if (part.lease == lease && part.state == CoPart::State::held) part.state = CoPart::State::claimed;
  if (attempt.all_past(CoPart::State::claimed)) hand_out_all(s, *id);
}

void hand_out_all(SiteStep& s, const RequestId& id) {
  const CoAttempt attempt = s.parts.co_allocator.succeed(id);
  s.parts.co_allocator.more_is_free(s.now);  // for those behind it, if it left any
  LocalRequest& request = *s.parts.queue.find(id);
  std::vector<HopLease*> leases;
  for (const CoPart& part : attempt.parts) {
    if (part.state == CoPart::State::replaced) continue;
    s.parts.holds.claimed(part.lease);
    leases.push_back(s.parts.leases.find(part.lease));
    DMM_ASSERT(leases.back() && !leases.back()->nodes.empty());
  }
  s.parts.queue.set_search(request, LocalRequest::Search::ready);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "co_allocated", id, {{"parts", static_cast<std::int64_t>(leases.size())}});
  if (s.parts.co_allocator.plan_of(id))
    s.effects.log(Level::info, "claimed_as_planned", id,
                  {{"start_delay_seconds", s.parts.co_allocator.start_delay(id).in_seconds()}});
  note_communication(s, request, leases);
  hand_out(s, leases, request, attempt.placement);
}

void part_rejected(SiteStep& s, std::size_t from, Reject& answer) {
  CoAttempt* attempt = s.parts.co_allocator.find(answer.request);
  CoPart* part = attempt ? attempt->part(answer.part) : nullptr;
  if (!part || attempt->round != answer.round || part->state != CoPart::State::asked || part->neighbour != from)
    return s.parts.ignore("late_answer");
  s.parts.targets.answered(from);
  note_back(s, *part);
  note_answers(s.parts.queue.find(answer.request)->answers, answer.asked);
  s.parts.board.turned_away(part->site, answer.reason);
  // A request that no owner can serve must not keep nodes from younger ones by trying.
  if (answer.reason == RejectReason::too_long || answer.reason == RejectReason::never_servable)
    s.parts.co_allocator.avoid(s.now, answer.request, part->site);
  s.effects.log(Level::info, "rejected", answer.request,
                {{"by", part->site.text},
                 {"part", std::int64_t{answer.part}},
                 {"reason", std::string(to_text(answer.reason))}});
  if (place_again(s, *s.parts.queue.find(answer.request), *attempt, answer.part)) return;
  s.parts.co_allocator.refused(answer.request, *part,
                               part->site.text + ": " + std::string(to_text(answer.reason)));
}

void parts_overdue(SiteStep& s, LocalRequest& request) {
  const RequestId& id = request.request.id;
  std::string late;
  for (const CoPart& part : s.parts.co_allocator.find(id)->parts) {
    if (part.state >= CoPart::State::claimed || !part.neighbour) continue;
    late += (late.empty() ? "" : ", ") + part.site.text;
    if (part.state == CoPart::State::asked) s.parts.targets.silent(s.now, *part.neighbour);
    s.parts.board.turned_away(part.site, RejectReason::no_answer);
  }
  s.parts.co_allocator.break_off(id, late + ": no answer in time");
  call_back(s, request);
  refuse_if_tried_enough(s, request);
}

void part_lost(SiteStep& s, const LeaseId& lease, LeaseEnd reason) {
  const std::optional<RequestId> id = s.parts.co_allocator.request_of(lease);
  if (!id) return;
  s.parts.co_allocator.break_off(*id, lease.owner.text + ": " + std::string(to_text(reason)));
}

void parts_unreachable(SiteStep& s, std::size_t neighbour) {
  for (const RequestId& id : s.parts.co_allocator.asked_over(neighbour))
    s.parts.co_allocator.break_off(id, s.parts.neighbours[neighbour].site.text + ": its link is down");
  s.parts.board.forget(neighbour);
}

// ---- the end of an attempt ------------------------------------------------------------------------------------

void end_broken(SiteStep& s) {
  while (const std::optional<RequestId> id = s.parts.co_allocator.take_broken()) {
    LocalRequest* request = s.parts.queue.find(*id);
    DMM_ASSERT(request && request->search == LocalRequest::Search::gathering);
    call_back(s, *request);
    refuse_if_tried_enough(s, *request);
  }
}

void call_back(SiteStep& s, LocalRequest& request) {
  if (request.search == LocalRequest::Search::out) return withdraw(s, request);
  if (request.search != LocalRequest::Search::gathering) return;
  const RequestId id = request.request.id;
  const CoAttempt attempt = s.parts.co_allocator.fail(s.now, id);
  s.effects.log(Level::info, "gathering_ended", id,
                {{"text", attempt.broken.empty() ? "it is over" : attempt.broken},
                 {"parts", static_cast<std::int64_t>(attempt.parts.size())}});
  give_back_parts(s, id, attempt);
  s.parts.queue.set_search(request, LocalRequest::Search::ready);
}

void give_back_parts(SiteStep& s, const RequestId& id, const CoAttempt& attempt) {
  if (DMM_PLANT(hold_kept)) return;
  for (std::uint32_t number = 1; number <= attempt.parts.size(); ++number) {
    const CoPart& part = attempt.parts[number - 1];
    if (part.state == CoPart::State::refused || part.state == CoPart::State::replaced) continue;
    if (part.state == CoPart::State::asked) {
      note_back(s, part);
      send(s, *part.neighbour, Withdraw{id, number, attempt.round}, id);
      continue;
    }
    s.parts.holds.drop(part.lease);
    HopLease* lease = s.parts.leases.find(part.lease);
    if (!lease || lease->nodes.empty()) continue;
    give_back(s, *lease, {}, false, false);
  }
}

void note_back(SiteStep& s, const CoPart& part) {
  DMM_ASSERT(part.neighbour);
  s.parts.targets.back(*part.neighbour, widest_component(part.need));
}

void leave(SiteStep& s, LocalRequest& request) {
  call_back(s, request);
  s.parts.co_allocator.drop(request.request.id);
  s.parts.queue.erase(request);
}

}  // namespace dmm::site_steps
