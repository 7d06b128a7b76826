// The steps of serving.hpp.
#include "sitemgr/serving.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/lending_terms.hpp"
#include "sitemgr/owning.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/preempting.hpp"
#include "sitemgr/reclaiming.hpp"
#include "sitemgr/renewing.hpp"

namespace dmm::site_steps {

/// How long nodes that are freed for a part may take to be clean, before the part is turned away after all.
static constexpr Duration freed_within = seconds(3);

/// What comes of a foreign request: `soon`, if nodes are being freed for it.
enum class Lent : std::uint8_t { now, soon, no };
static Lent lend(SiteStep& s, Foreign& foreign);

void match_local(SiteStep& s) {
  const Matcher::Site site{s.parts.settings, s.parts.owned, s.parts.placer, s.parts.reservation,
                           s.parts.drains.has_self()};
  s.parts.matcher.begin(s.parts.queue, site);
  while (std::optional<Matcher::Match> match = s.parts.matcher.next(s.now, s.parts.queue, site)) {
    LocalRequest& request = match->request;
    HopLease& lease =
        make_lease(s, request.kind->need, match->placement, request.request.id, request.request.length, nullptr);
    hand_out(s, lease, request, lease.nodes);
    s.parts.matcher.placed(s.now, s.parts.queue);
    if (match->is_reserved) drop_reservation(s.parts);
  }
  if (const auto overtaken = s.parts.matcher.take_overtaken())
    s.effects.log(Level::info, "overtaken", *overtaken,
                  {{"limit_seconds", s.parts.settings.overtaken_limit.in_seconds()}});
}

HopLease& make_lease(SiteStep& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                     Duration length, const Foreign* foreign, Duration held) {
  const LeaseId id{s.parts.settings.name, s.parts.leases.new_epoch(s.parts.incarnation)};
  HopLease lease = lease_of_own(id, request, s.now, s.parts.settings);
  if (foreign) {
    lend(lease, *foreign, terms_for(s.parts.settings, s.parts.neighbours[foreign->from], foreign->delegate),
         s.parts.settings.ancestors);
    lease.held_for = held;
    lease.downstream_until = promised_until(s.parts, s.now, lease);
  }
  const Instant until = length > Duration{} ? s.now + length : never;
  for (const PlacedComponent& placed : placement)
    s.parts.owned.take(placed.cluster, placed.processors, need.constraints, placed.component, lease.nodes, until);
  lease.processors = processors_of(lease.nodes);
  lease.expected_until = s.parts.owned.expected_until(lease.nodes);
  // One Assign a resource manager, however many components it got.
  each_manager(lease.nodes,
               [&](const Party& manager, const NodeSet& nodes) { assign(s, lease, manager, nodes, held); });
  return add_lease(s, std::move(lease));
}

// ---- foreign requests -----------------------------------------------------------------------------------------------

void match_foreign(SiteStep& s) {
  if (s.parts.transit.waiting() > 0) s.parts.lending.update_turn(s.now, s.parts.lending_site());
  for (auto round = s.parts.transit.next_round(); !round.empty(); round = s.parts.transit.next_round())
    for (Foreign& foreign : round) switch (lend(s, foreign)) {
        case Lent::now: break;
        case Lent::soon: {
          const Instant until = s.now + std::min(foreign.delegate.answer_within / 2, freed_within);
          s.parts.transit.park(std::move(foreign), until);
          break;
        }
        case Lent::no: s.parts.transit.keep(std::move(foreign)); break;
      }
}

Lent lend(SiteStep& s, Foreign& foreign) {
  const Delegate& asked = foreign.delegate;
  const std::size_t from = foreign.from;
  const SiteName aim = aim_of(asked);
  if (!aim.empty() && aim != s.parts.settings.name) return Lent::no;
  const Precedence precedence =
      aim.empty() ? Precedence{} : s.parts.holds.as_measured_first(s.now, precedence_of(foreign));
  if (!aim.empty() && !s.parts.holds.may_hold(s.now, precedence)) {
    foreign.reason = RejectReason::not_in_turn;
    return Lent::no;
  }
  const Lending::Decision decision = s.parts.lending.decide(s.now, s.parts.lending_site(), foreign);
  if (const auto* reason = std::get_if<RejectReason>(&decision)) {
    foreign.reason = *reason;
    if (aim.empty() || *reason != RejectReason::no_capacity) return Lent::no;
    const bool is_freed = outrank(s, foreign.need(), precedence, asked.chain.size(), asked.round_trip) ||
                          end_given_up(s, foreign, precedence);
    const bool was_parked = foreign.answer_by != never;
    return is_freed || (was_parked && s.now < foreign.answer_by) ? Lent::soon : Lent::no;
  }
  HopLease& lease = make_lease(s, foreign.need(), std::get<Placement>(decision), asked.request.id,
                               asked.request.length, &foreign, aim.empty() ? Duration{} : asked.answer_within);
  s.parts.lending.granted(from);
  s.effects.log(Level::info, "grant", asked.request.id,
                {{"to", s.parts.neighbours[from].site.text},
                 {"lease", to_text(lease.id)},
                 {"processors", std::int64_t{lease.processors}},
                 {"round", std::int64_t{asked.round}}});
  if (!aim.empty()) s.parts.holds.add(lease.id, precedence);
  Grant grant = grant_of(lease, lease.nodes, s.now, lease.term);
  s.parts.transit.answered(from);
  send(s, from, std::move(grant), asked.request.id);
  return Lent::now;
}

}  // namespace dmm::site_steps
