// What people see of a site manager, why a request waits, and the recount that tests ask for.
#include <algorithm>

#include "machine/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

SiteView SiteManager::view(Instant) const {
  SiteView view;
  view.site = settings_.name;
  view.ancestors = settings_.ancestors;
  view.clusters = owned_.clusters();
  view.resource_managers = owned_.managers();
  view.processors = owned_.total();
  view.processors_busy = owned_.used();
  view.processors_lent = processors_lent_;
  view.load = value(load());
  view.requests_waiting = queue_.size();
  view.requests_out = queue_.count(LocalRequest::Search::out);
  view.requests_pausing = queue_.count(LocalRequest::Search::pausing);
  view.foreign_waiting = passed_.size() + unserved_.size() + foreign_waiting_;
  view.grants_local = grants_local_;
  view.grants_foreign = grants_foreign_;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    view.links.push_back({neighbours_[n], leases_.up(n).size(), leases_.down(n).size()});
    view.leases_in += leases_.up(n).size();
    view.leases_out += leases_.down(n).size();
    for (const LeaseId& id : leases_.up(n))
      if (!leases_.get(id).downstream) view.processors_borrowed += processors_of(leases_.get(id).nodes);
  }
  for (const LeaseId& id : leases_.all()) view.leases_own += !leases_.get(id).upstream && !leases_.get(id).downstream;
  for (const auto& [party, user] : job_managers_) view.job_managers.push_back(party.name);
  view.drained.assign(drained_.begin(), drained_.end());
  return view;
}

WaitView SiteManager::why(Instant now, const RequestId& id) const {
  WaitView view;
  view.request = id;
  view.idle = owned_.largest_idle();
  view.load = value(load());
  view.threshold = settings_.delegation_threshold;
  const LocalRequest* request = queue_.find(id);
  if (!request) return view;
  view.known = true;
  view.processors = request->processors;
  view.widest = request->widest;
  view.waited = now - request->since;
  view.round = request->round;
  view.tries = request->tries;
  view.answers = request->answers;
  const LocalRequest* head = const_cast<RequestQueue&>(queue_).head();
  const bool over_threshold = over(load(), settings_.delegation_threshold);
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
      view.reason = request->window_full ? WaitReason::window_full : WaitReason::next_cycle;
      if (request->servable && !over_threshold) view.reason = WaitReason::no_free_nodes;
      break;
  }
  const bool fits = request->servable && request->widest <= view.idle;
  if (fits && head && head != request) {
    view.reason = WaitReason::behind_earlier;
    view.behind = head->request.id;
  }
  return view;
}

bool SiteManager::too_wide_for_known(const LocalRequest& request) const {
  if (!settings_.use_hints) return false;
  return request.widest > std::max(owned_.largest_cluster(), neighbours_.largest_within(request.request.dttl).largest);
}

bool SiteManager::quiet() const {
  const bool none_shelved = std::all_of(job_managers_.begin(), job_managers_.end(),
                                        [](const auto& entry) { return entry.second.shelved.empty(); });
  return queue_.size() == 0 && leases_.size() == 0 && passed_.empty() && unserved_.empty() &&
         foreign_waiting_ == 0 && none_shelved && owned_.used() == 0;
}

void SiteManager::check_invariants() const {
  std::size_t foreign_waiting = 0;
  for (const auto& waiting : foreign_) foreign_waiting += waiting.size();
  DMM_ASSERT(foreign_waiting == foreign_waiting_);
  std::uint64_t held = 0, lent = 0;
  std::map<Party, NodeSet> nodes;
  for (const LeaseId& id : leases_.all()) {
    const Lease& lease = leases_.get(id);
    DMM_ASSERT(!lease.nodes.empty() || !lease.cleaning.empty());
    for (const auto& [request, out] : lease.handed_out) {
      const auto user = job_managers_.find(job_manager_of(request));
      DMM_ASSERT(user != job_managers_.end());
      DMM_ASSERT(user->second.holds(lease, request));
      DMM_ASSERT(!lease.downstream);
    }
    if (lease.upstream) continue;
    // A node that we own is under at most one lease.
    for (const auto* groups : {&lease.nodes, &lease.cleaning}) {
      for (const NodeGroup& group : *groups) {
        if (owned_.knows(group.resource_manager)) held += processors_of(group);
        NodeSet& known = nodes[group.resource_manager];
        DMM_ASSERT(!overlap(known, group.nodes));
        known = unite(known, group.nodes);
      }
    }
    if (lease.downstream) lent += processors_of(lease.nodes);
  }
  // Leases on a manager that has yet to register are in no sum of owned nodes, nor are its nodes.
  std::uint64_t away = 0;
  for (const auto& manager : owned_.managers()) {
    const std::uint32_t free = manager.up ? 0 : manager.free_nodes;
    away += std::uint64_t{free + manager.aside_free} * manager.processors_per_node;
  }
  DMM_ASSERT(owned_.used() == held + away);
  DMM_ASSERT(processors_lent_ == lent);
  std::vector<std::uint32_t> outstanding(neighbours_.size(), 0);
  std::uint64_t demand = 0;
  for (const auto& [arrival, request] : queue_.all()) {
    if (request->search == LocalRequest::Search::out) ++outstanding[request->target];
    if (request->servable) demand += request->processors;
  }
  for (const auto& [key, foreign] : passed_) ++outstanding[foreign.target];
  DMM_ASSERT(queue_.demand() == demand);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) DMM_ASSERT(neighbours_[n].outstanding == outstanding[n]);
}

}  // namespace dmm
