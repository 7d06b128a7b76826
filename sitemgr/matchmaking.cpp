// Serving requests from owned nodes and making leases: local requests in the order of the dispatching policy, then what
// neighbours delegated, from what is left to lend (docs/protocol.md section 6).
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// The most that start in one step: where nodes for more come free at once, others are heard in between.
constexpr std::size_t starts_a_step = 1'000;

}  // namespace

/// Nodes that take no new work are no capacity: a drained site is as busy as it can be.
Load SiteManager::load() const {
  return {lending_.drained_here() ? owned_.total() : owned_.used(), queue_.demand_here(), owned_.total()};
}

/// The clusters as a local request may use them: what is reserved for another is left out.
std::vector<ClusterView> SiteManager::placeable(const ResourceNeed& need, const RequestId& request) const {
  std::vector<ClusterView> clusters = owned_.views(need.constraints);
  reservation_.keep_from(clusters, request);
  return clusters;
}

void SiteManager::match_local(Step& s) {
  // What didn't fit before may fit now if nodes came free, or if nobody stands in its way any more.
  bool more_free = std::exchange(unfinished_, false) || owned_.freed() != freed_seen_ || makes_way();
  freed_seen_ = owned_.freed();
  const std::vector<RequestId> fresh = std::exchange(fresh_, {});
  if (lending_.drained_here()) blocker_.reset();
  const bool goes_on = std::exchange(pass_goes_on_, false);
  const auto is_passed = [&](const RequestId& id) {
    const LocalRequest* request = queue_.find(id);
    return request && queue_.is_passed(*request);
  };
  if (goes_on)  // whom it has passed is looked at when all have been
    pass_again_ |= more_free || std::ranges::any_of(fresh, is_passed);
  else
    more_free |= std::exchange(pass_again_, false);
  if ((!more_free && fresh.empty() && !goes_on) || lending_.drained_here()) return;
  if (goes_on)
    queue_.go_on();
  else if (more_free)
    queue_.begin_pass();
  if (reservation_.held())
    if (LocalRequest* request = queue_.find(reservation_.held()->request); request && serve(s, *request))
      drop_reservation();
  std::size_t left = starts_a_step;
  const bool was_blocked = blocker_.has_value();
  const LocalRequest* blocker = serve_heads(s, left);
  blocker_ = blocker ? std::optional(blocker->request.id) : std::nullopt;
  bool in_a_pass = more_free || goes_on;
  if (was_blocked && !blocker_ && !in_a_pass) {  // one that came stands before who blocked them, and doesn't
    queue_.begin_pass();
    in_a_pass = true;
  }
  if (!blocker_ && dispatch_->scan) start_what_fits(s, in_a_pass, fresh, left);
  unfinished_ = left == 0;
}

/// Those that needn't wait for who stands before them.
void SiteManager::start_what_fits(Step& s, bool in_a_pass, const std::vector<RequestId>& fresh, std::size_t& left) {
  const auto start = [&](LocalRequest& request) {
    const OrderKey key = queue_.dispatch_key(request);
    RequestClass& kind = *request.kind;
    if (!serve(s, request)) return queue_.set_misfit(kind);
    --left;
    LocalRequest* first = queue_.head();
    if (first && queue_.dispatch_key(*first) < key && !first->overtaken) first->overtaken = s.now;
  };
  if (!in_a_pass) {  // what waited before still doesn't fit
    for (const RequestId& id : fresh) {
      if (left == 0) return;
      LocalRequest* request = queue_.find(id);
      const bool may = request && request->kind->servable && !queue_.is_misfit(*request->kind);
      if (may && request->kind->widest <= owned_.largest_idle()) start(*request);
    }
    return;
  }
  // Each turn starts one, or finds that nothing of its class fits.
  while (left > 0) {
    LocalRequest* request = queue_.first_fitting(owned_.largest_idle());
    if (!request) break;
    start(*request);
  }
  pass_goes_on_ = left > 0 && queue_.is_unfinished();
}

/// By what is so now, not by what was counted: whatever takes the blocking request away, the others see it.
bool SiteManager::makes_way() const {
  if (!blocker_) return false;
  const LocalRequest* request = queue_.find(*blocker_);
  return !request || !request->kind->servable || may_be_passed(*request);
}

/// A strict queue passes over what is out on a delegation (Iosup et al. 2007, section 5.4).
bool SiteManager::may_be_passed(const LocalRequest& head) const {
  return !dispatch_->scan && head.search == LocalRequest::Search::out;
}

/// Starts the first in order while one may; the request that blocks all behind it, or nullptr.
const LocalRequest* SiteManager::serve_heads(Step& s, std::size_t& left) {
  // The first in order blocks the others if the policy is strict, or if it was overtaken for too long: then nodes
  // gather for it.
  const auto blocks = [&](const LocalRequest& head) {
    if (!dispatch_->scan) return true;
    return head.overtaken && s.now - *head.overtaken >= settings_.overtaken_limit;
  };
  const bool never_ends = DMM_PLANT(guard_never_ends) && settings_.overtaken_limit > seconds(1000);
  LocalRequest* head = queue_.head();
  while (head && left > 0 && blocks(*head)) {
    const bool passed = may_be_passed(*head);
    LocalRequest* next = passed ? queue_.after(*head) : nullptr;
    if (!(never_ends && head->overtaken) && serve(s, *head)) {
      --left;
      head = queue_.head();
    } else if (passed) {
      head = next;
    } else {
      return head;
    }
  }
  return nullptr;
}

bool SiteManager::serve(Step& s, LocalRequest& request) {
  if (lending_.drained_here()) return false;
  const ResourceNeed& need = request.kind->need;
  const auto placement = placer_.place(need, placeable(need, request.request.id));
  if (!placement) return false;
  Lease& lease = make_lease(s, need, *placement, request.request.id, nullptr);
  ++grants_local_;
  hand_out(s, lease, request, lease.nodes);
  return true;
}

/// `foreign`: the delegation that it answers; none, for one of our own users.
Lease& SiteManager::make_lease(Step& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                               const Foreign* foreign) {
  Lease lease;
  lease.id = {settings_.name, {incarnation_, ++leases_made_}};
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
  hints_dirty_ = true;
  // One Assign a resource manager, however many components it got.
  each_manager(lease.nodes, [&](const Party& manager, const NodeSet& nodes) { assign(s, lease, manager, nodes); });
  return add_lease(s, std::move(lease));
}

// ---- foreign requests ----------------------------------------------------------------------------------------------

/// Round robin over links.
void SiteManager::match_foreign(Step& s) {
  if (transit_.waiting() > 0) hints_dirty_ |= lending_.update_turn(s.now, lending_site());
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
  Grant grant;
  grant.request = asked.request.id;
  grant.part = asked.part;
  grant.round = asked.round;
  grant.lease = lease.id;
  grant.nodes = lease.nodes;
  grant.term = lease.term;
  grant.chain = lease.chain;
  grant.owner_ancestors = settings_.ancestors;
  grant.grace = lease.grace;
  grant.length = lease.length;
  grant.round_trip = lease.round_trip;
  transit_.answered(from);
  send(s, from, std::move(grant), asked.request.id);
  return true;
}

}  // namespace dmm
