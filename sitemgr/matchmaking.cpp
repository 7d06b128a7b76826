// Serving requests from owned nodes and making leases: local requests in the order of the dispatching policy, then what
// neighbours delegated, from what is left to lend (docs/protocol.md section 6).
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

void SiteManager::match_local(Step& s) {
  const Matcher::Site site{settings_, owned_, placer_, reservation_, lending_.drained_here()};
  matcher_.begin(queue_, site);
  while (std::optional<Matcher::Match> match = matcher_.next(s.now, queue_, site)) {
    LocalRequest& request = match->request;
    Lease& lease = make_lease(s, request.kind->need, match->placement, request.request.id, nullptr);
    hand_out(s, lease, request, lease.nodes);
    matcher_.placed(s.now, queue_);
    if (match->is_reserved) drop_reservation();
  }
}

/// `foreign`: the delegation that it answers; none, for one of our own users.
Lease& SiteManager::make_lease(Step& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                               const Foreign* foreign) {
  Lease lease;
  lease.id = {settings_.name, leases_.new_epoch(incarnation_)};
  lease.request = request;
  lease.state = foreign ? LeaseState::offered : LeaseState::active;
  lease.granted = s.now;
  lease.term = settings_.term;
  lease.chain = {settings_.name};
  lease.owner_ancestors = settings_.ancestors;
  lease.grace = settings_.reclaim_at_job_end ? end_of_job : settings_.reclaim_grace;
  if (foreign) {
    const Delegate& asked = foreign->delegate;
    lease.downstream = foreign->from;
    lease.part = asked.part;
    lease.round = asked.round;
    lease.chain.insert(lease.chain.end(), asked.chain.rbegin(), asked.chain.rend());
    lease.round_trip = std::max(asked.round_trip, Duration{});
    const Lending::Terms terms = Lending::terms_for(lending_site(), *foreign);
    lease.length = terms.length;
    lease.protected_until = s.now + terms.protected_time;
    lease.term = terms.term;
    lease.downstream_until = promised_until(s.now, lease);
  }
  for (const PlacedComponent& placed : placement)
    owned_.take(placed.cluster, placed.processors, need.constraints, placed.component, lease.nodes);
  lease.processors = processors_of(lease.nodes);
  hints_.changed();
  // One Assign a resource manager, however many components it got.
  each_manager(lease.nodes, [&](const Party& manager, const NodeSet& nodes) { assign(s, lease, manager, nodes); });
  return add_lease(s, std::move(lease));
}

// ---- foreign requests ----------------------------------------------------------------------------------------------

/// Round robin over links.
void SiteManager::match_foreign(Step& s) {
  if (transit_.waiting() > 0 && lending_.update_turn(s.now, lending_site())) hints_.changed();
  for (auto round = transit_.next_round(); !round.empty(); round = transit_.next_round())
    for (Foreign& foreign : round)
      if (!lend(s, foreign)) transit_.keep(std::move(foreign));
}

bool SiteManager::lend(Step& s, Foreign& foreign) {
  const Delegate& asked = foreign.delegate;
  const std::size_t from = foreign.from;
  const Lending::Decision decision = lending_.decide(s.now, lending_site(), foreign);
  if (const auto* reason = std::get_if<RejectReason>(&decision)) {
    foreign.reason = *reason;
    return false;
  }
  Lease& lease = make_lease(s, foreign.need(), std::get<Placement>(decision), asked.request.id, &foreign);
  lending_.granted(from);
  s.out.log(Level::info, "grant", asked.request.id,
            {{"to", neighbours_[from].site.text},
             {"lease", to_text(lease.id)},
             {"processors", std::int64_t{lease.processors}},
             {"round", std::int64_t{asked.round}}});
  Grant grant = grant_of(lease, lease.nodes, s.now, lease.term);
  transit_.answered(from);
  send(s, from, std::move(grant), asked.request.id);
  return true;
}

}  // namespace dmm
