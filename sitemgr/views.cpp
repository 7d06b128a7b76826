// What people see of a site manager, why a request waits, and the recount that tests ask for.
#include <algorithm>
#include <utility>

#include "machine/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

SiteView SiteManager::view(Instant now) const {
  SiteView view;
  view.site = settings_.name;
  view.ancestors = settings_.ancestors;
  view.clusters = owned_.clusters();
  view.resource_managers = owned_.managers();
  view.processors = owned_.total();
  view.processors_busy = owned_.used();
  view.processors_lent = borrowers_.processors();
  view.load = value(load());
  view.requests_waiting = queue_.size();
  view.requests_out = queue_.count(LocalRequest::Search::out);
  view.requests_pausing = queue_.count(LocalRequest::Search::pausing);
  view.foreign_waiting = passed_.size() + unserved_.size() + foreign_waiting_;
  view.grants_local = grants_local_;
  view.grants_foreign = grants_foreign_;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (!neighbours_[n].removed)
      view.links.push_back(
          {neighbours_[n], leases_.up(n).size(), leases_.down(n).size(), borrowers_.view(now, n),
           total_of(UsageRecord::Direction::lent, n), total_of(UsageRecord::Direction::borrowed, n)});
    view.leases_in += leases_.up(n).size();
    view.leases_out += leases_.down(n).size();
    for (const LeaseId& id : leases_.up(n))
      if (!leases_.get(id).downstream) view.processors_borrowed += processors_of(leases_.get(id).nodes);
  }
  for (const LeaseId& id : leases_.all()) view.leases_own += !leases_.get(id).upstream && !leases_.get(id).downstream;
  for (const auto& [party, user] : job_managers_) view.job_managers.push_back(party.name);
  view.drained.assign(drained_.begin(), drained_.end());
  view.unknown_clusters = owned_.unknown_clusters();
  if (turn_) view.turn = neighbours_[turn_->who].site;
  view.gathers = gathering_ ? gathering_->request : RequestId{};
  return view;
}

std::uint64_t SiteManager::total_of(UsageRecord::Direction direction, std::size_t n) const {
  const auto total = totals_.find({direction, neighbours_[n].site});
  return total == totals_.end() ? 0 : total->second.processor_microseconds;
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
  view.processors = request->kind->processors;
  view.widest = request->kind->widest;
  view.waited = now - request->since;
  view.round = request->round;
  view.tries = request->tries;
  view.answers = request->answers;
  const LocalRequest* head = queue_.head();
  const bool over_threshold = drained_here() || over(load(), settings_.delegation_threshold);
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
                    : drained_here()                                ? WaitReason::drained
                                                                    : WaitReason::awaiting_hint;
      if (too_wide_for_known(*request)) view.reason = WaitReason::neighbours_unknown;
      if (request->kind->servable && !over_threshold) view.reason = WaitReason::no_free_nodes;
      break;
  }
  const bool fits = request->kind->servable && request->kind->widest <= view.idle && !drained_here();
  if (fits && head && head != request) {
    view.reason = WaitReason::behind_earlier;
    view.behind = head->request.id;
  }
  return view;
}

/// Whether nobody is known who could ever serve it, and not everybody is known.
bool SiteManager::too_wide_for_known(const LocalRequest& request) const {
  if (!settings_.use_hints || request.kind->servable) return false;
  const Prospect prospect = prospect_of(*request.kind, request.request.length, false);
  return !prospect.possible && !prospect.complete;
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
  std::uint64_t held = 0;
  std::vector<std::uint32_t> lent(neighbours_.size(), 0);
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
    if (lease.downstream) lent[*lease.downstream] += processors_of(lease.nodes);
  }
  // Leases on a manager that has yet to register are in no sum of owned nodes, nor are its nodes.
  std::uint64_t away = 0;
  for (const auto& manager : owned_.managers()) {
    if (!manager.registered) continue;
    const std::uint32_t free = manager.up ? 0 : manager.free_nodes;
    away += std::uint64_t{free + manager.aside_free} * manager.processors_per_node;
  }
  DMM_ASSERT(owned_.used() == held + away);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) DMM_ASSERT(borrowers_.processors(n) == lent[n]);
  std::vector<std::uint32_t> outstanding(neighbours_.size(), 0);
  std::uint64_t demand = 0;
  for (const auto& [arrival, request] : queue_.all()) {
    const RequestClass& kind = *request->kind;
    const auto count = [&](LocalRequest::Search search) {
      return std::ranges::count_if(kind.waiting, [&](const auto& entry) { return entry.second->search == search; });
    };
    if (kind.waiting.begin()->second == request.get()) {  // once a class
      DMM_ASSERT(std::cmp_equal(kind.out, count(LocalRequest::Search::out)));
      DMM_ASSERT(std::cmp_equal(kind.home, count(LocalRequest::Search::home)));
    }
    if (request->search == LocalRequest::Search::out) ++outstanding[request->target];
    if (request->kind->servable) demand += request->kind->processors;
  }
  std::vector<std::size_t> taken(neighbours_.size(), 0);
  for (const auto& [key, foreign] : passed_) {
    ++outstanding[foreign.target];
    ++taken[foreign.from];
  }
  for (const Foreign& foreign : unserved_) ++taken[foreign.from];
  for (std::size_t n = 0; n < neighbours_.size(); ++n)
    DMM_ASSERT(neighbours_[n].taken == taken[n] + foreign_[n].size());
  DMM_ASSERT(queue_.demand() == demand);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) DMM_ASSERT(neighbours_[n].outstanding == outstanding[n]);
}

}  // namespace dmm
