// Serving requests from owned nodes: local ones in the order of the dispatching policy, then foreign ones round robin
// over links, from what the owner's own users leave (docs/protocol.md section 6).
#include <algorithm>

#include "machine/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// How many requests that don't fit are looked at in one pass: a long tail of odd ones must not stop the rest.
constexpr int misfits_max = 256;

}  // namespace

Load SiteManager::load() const { return {owned_.used(), queue_.demand_here(), owned_.total()}; }

std::optional<Placement> SiteManager::place(const ResourceNeed& need, const std::vector<ClusterView>& clusters) const {
  return (need.kind == RequestKind::flexible ? flexible_placement_ : placement_)(need, clusters);
}

bool SiteManager::servable_when_idle(const ResourceNeed& need) const {
  std::vector<ClusterView> clusters = owned_.views(need.constraints);
  for (ClusterView& cluster : clusters) cluster.idle_processors = cluster.total_processors;
  return place(need, clusters).has_value();
}

void SiteManager::match(Step& s) {
  match_local(s);
  match_foreign(s);
}

// ---- local requests ------------------------------------------------------------------------------------------------

void SiteManager::match_local(Step& s) {
  // What didn't fit before may fit now if nodes came free, or if nobody stands in its way any more.
  const bool more_free = owned_.freed() != freed_seen_ || (blocked_ && queue_.departures() != departures_seen_);
  freed_seen_ = owned_.freed();
  const std::vector<RequestId> fresh = std::exchange(fresh_, {});
  if (!more_free && fresh.empty()) return;
  for (const RequestId& id : fresh)  // one that never leaves is told now, one that searches when it is its turn
    if (LocalRequest* request = queue_.find(id);
        request && !request->servable && request->search == LocalRequest::Search::home)
      refuse_if_too_large(s, *request);
  blocked_ = serve_heads(s);
  departures_seen_ = queue_.departures();
  if (blocked_ || !dispatch_->scan) return;

  const auto start = [&](LocalRequest& request) {
    const OrderKey key = queue_.dispatch_key(request);
    if (!serve(s, request)) return false;
    LocalRequest* first = queue_.head();
    if (first && queue_.dispatch_key(*first) < key && !first->overtaken) first->overtaken = s.now;
    return true;
  };
  if (!more_free) {  // what waited before still doesn't fit
    for (const RequestId& id : fresh)
      if (LocalRequest* request = queue_.find(id))
        if (request->servable && request->widest <= owned_.largest_idle()) start(*request);
    return;
  }
  OrderKey after;
  const OrderKey* from = nullptr;
  int misfits = 0;
  while (LocalRequest* request = queue_.first_fitting(owned_.largest_idle(), from)) {
    const OrderKey key = queue_.dispatch_key(*request);
    if (start(*request)) continue;
    if (++misfits > misfits_max) break;
    after = key;
    from = &after;
  }
}

bool SiteManager::serve_heads(Step& s) {
  // The first in order blocks the others if the policy is strict, or if it was overtaken for too long: then nodes
  // gather for it. A strict queue passes over what is out on a delegation (Iosup et al. 2007, section 5.4).
  const auto blocks = [&](const LocalRequest& head) {
    if (!dispatch_->scan) return true;
    return head.overtaken && s.now - *head.overtaken >= settings_.overtaken_limit;
  };
  LocalRequest* head = queue_.head();
  while (head && blocks(*head)) {
    const OrderKey key = queue_.dispatch_key(*head);
    const bool out = head->search == LocalRequest::Search::out;
    if (serve(s, *head))
      head = queue_.head();
    else if (out && !dispatch_->scan)
      head = queue_.first_fitting(UINT32_MAX, &key);
    else
      return true;
  }
  return false;
}

bool SiteManager::starts_at_next_pass(const LocalRequest& request) const {
  // Where matchmaking is done at once, what could start has started.
  if (settings_.matchmaking_cycle == Duration{} || request.widest > owned_.largest_idle()) return false;
  const bool may_start = dispatch_->scan || const_cast<RequestQueue&>(queue_).head() == &request;
  return may_start && place(request.request.need, owned_.views(request.request.need.constraints));
}

bool SiteManager::serve(Step& s, LocalRequest& request) {
  if (drained_.contains(settings_.name)) return false;
  const ResourceNeed& need = request.request.need;
  const auto placement = place(need, owned_.views(need.constraints));
  if (!placement) return false;
  Lease& lease = make_lease(s, need, *placement, request.request.id, std::nullopt);
  ++grants_local_;
  hand_out(s, lease, request, lease.nodes);
  return true;
}

Lease& SiteManager::make_lease(Step& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                               std::optional<std::size_t> downstream) {
  Lease lease;
  lease.id = {settings_.name, {incarnation_, ++leases_made_}};
  lease.request = request;
  lease.downstream = downstream;
  lease.state = downstream ? LeaseState::offered : LeaseState::active;
  lease.granted = s.now;
  lease.chain = {settings_.name};
  lease.owner_ancestors = settings_.ancestors;
  lease.grace = settings_.reclaim_at_job_end ? end_of_job : settings_.reclaim_grace;
  for (const PlacedComponent& placed : placement)
    owned_.take(placed.cluster, placed.processors, need.constraints, placed.component, lease.nodes);
  lease.processors = processors_of(lease.nodes);
  hints_dirty_ = true;
  // One Assign a resource manager, however many components it got.
  each_manager(lease.nodes, [&](const Party& manager, const NodeSet& nodes) { assign(s, lease, manager, nodes); });
  Lease& kept = leases_.add(std::move(lease));
  changed(s, kept);
  return kept;
}

// ---- foreign requests ----------------------------------------------------------------------------------------------

std::vector<ClusterView> SiteManager::lendable_views(const Constraints& constraints) const {
  std::vector<ClusterView> clusters = owned_.views(constraints);
  if (!settings_.owner_first || queue_.demand() == 0) return clusters;
  const std::vector<std::uint32_t> lend = lendable(owned_.free_by_cluster(), queue_.demand());
  for (std::size_t i = 0; i < clusters.size(); ++i)
    clusters[i].idle_processors = std::min(clusters[i].idle_processors, lend[i]);
  return clusters;
}

void SiteManager::match_foreign(Step& s) {
  for (bool more = true; more;) {
    more = foreign_waiting_ > 0;
    for (std::size_t i = 0; more && i < foreign_.size(); ++i) {
      auto& waiting = foreign_[(next_link_ + i) % foreign_.size()];
      if (waiting.empty()) continue;
      --foreign_waiting_;
      Foreign foreign = std::move(waiting.front());
      waiting.pop_front();
      if (!lend(s, foreign)) unserved_.push_back(std::move(foreign));
    }
    if (!foreign_.empty()) next_link_ = (next_link_ + 1) % foreign_.size();
  }
}

bool SiteManager::lend(Step& s, Foreign& foreign) {
  const Delegate& asked = foreign.delegate;
  const ResourceNeed& need = asked.request.need;
  const bool drained = drained_.contains(settings_.name) || drained_.contains(neighbours_[foreign.from].site) ||
                       drained_.contains(asked.request.id.site);
  if (!settings_.lend || drained) {
    foreign.reason = RejectReason::not_lending;
    return false;
  }
  const auto placement = place(need, lendable_views(need.constraints));
  if (!placement) {
    const bool kept = settings_.owner_first && place(need, owned_.views(need.constraints)).has_value();
    foreign.reason = kept                       ? RejectReason::not_lending
                     : servable_when_idle(need) ? RejectReason::no_capacity
                                                : RejectReason::never_servable;
    return false;
  }
  Lease& lease = make_lease(s, need, *placement, asked.request.id, foreign.from);
  lease.part = asked.part;
  lease.round = asked.round;
  lease.chain.insert(lease.chain.end(), asked.chain.rbegin(), asked.chain.rend());
  lease.downstream_until = s.now + settings_.term + settings_.term / owner_margin;
  watch(lease);
  processors_lent_ += lease.processors;
  ++grants_foreign_;
  s.out.log(Level::info, "grant", asked.request.id,
            {{"to", neighbours_[foreign.from].site.text},
             {"lease", to_text(lease.id)},
             {"processors", std::int64_t{lease.processors}},
             {"round", std::int64_t{asked.round}}});
  Grant grant;
  grant.request = asked.request.id;
  grant.part = asked.part;
  grant.round = asked.round;
  grant.lease = lease.id;
  grant.nodes = lease.nodes;
  grant.term = settings_.term;
  grant.chain = lease.chain;
  grant.owner_ancestors = settings_.ancestors;
  grant.grace = lease.grace;
  send(s, foreign.from, std::move(grant), asked.request.id);
  return true;
}

}  // namespace dmm
