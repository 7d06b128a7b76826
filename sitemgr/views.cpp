// What people see of a site manager, and the recount that tests ask for.
#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
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
  view.processors_lent = lending_.borrowers().processors();
  view.load = value(HomeSearch::load(owned_, queue_, lending_.drained_here()));
  view.requests_waiting = queue_.size();
  view.requests_out = queue_.count(LocalRequest::Search::out);
  view.requests_pausing = queue_.count(LocalRequest::Search::pausing);
  view.foreign_waiting = transit_.size();
  view.grants_local = matcher_.started();
  view.grants_foreign = lending_.grants();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (!neighbours_[n].removed)
      view.links.push_back({neighbours_[n], targets_.of(n), transit_.delegations_received(n), leases_.up(n).size(), leases_.down(n).size(),
                            lending_.borrowers().view(now, n, lending_.kept_off_until(neighbours_[n].site)),
                            accounts_.total_of(UsageRecord::Direction::lent, neighbours_[n].site),
                            accounts_.total_of(UsageRecord::Direction::borrowed, neighbours_[n].site)});
    view.leases_in += leases_.up(n).size();
    view.leases_out += leases_.down(n).size();
    for (const LeaseId& id : leases_.up(n))
      if (!leases_.get(id).downstream) view.processors_borrowed += processors_of(leases_.get(id).nodes);
  }
  for (const LeaseId& id : leases_.all()) view.leases_own += !leases_.get(id).upstream && !leases_.get(id).downstream;
  view.job_managers = users_.names();
  view.drained.assign(lending_.drained().begin(), lending_.drained().end());
  view.unknown_clusters = owned_.unknown_clusters();
  if (lending_.turn()) view.turn = neighbours_[lending_.turn()->borrower].site;
  if (reservation_.held()) view.gathers = reservation_.held()->request;
  return view;
}

std::vector<NodesView> SiteManager::nodes() const {
  std::vector<NodesView> all;
  for (const OwnedNodes::ManagerView& manager : owned_.managers()) {
    const auto add = [&](NodesView::State state, const NodeSet& nodes, std::string reason, const Lease* lease) {
      if (nodes.empty()) return;
      NodesView row{manager.party, manager.cluster, nodes, count(nodes) * manager.processors_per_node, state,
                    std::move(reason), {}, {}, {}};
      if (!manager.up) {
        row.state = NodesView::State::down;
        row.reason = manager.registered ? "its resource manager is down"
                                        : "its resource manager hasn't come since the site manager was started";
      }
      if (lease) {
        row.lease = lease->id;
        if (lease->downstream) row.to = neighbours_[*lease->downstream].site;
        for (const auto& [request, groups] : lease->handed_out) row.requests.push_back(request);
      }
      all.push_back(std::move(row));
    };
    NodeSet rest = nodes_of(*owned_.find_offer(manager.party));
    for (const LeaseId& id : leases_.on(manager.party)) {
      const Lease& lease = leases_.get(id);
      for (const auto& [groups, state] : {std::pair{&lease.nodes, NodesView::State::leased},
                                          std::pair{&lease.cleaning, NodesView::State::cleaning}})
        each_manager(*groups, [&](const Party& party, const NodeSet& nodes) {
          if (party != manager.party) return;
          rest = subtract(rest, nodes);
          add(state, nodes, overlap(nodes, manager.aside) ? manager.why_aside : std::string(), &lease);
        });
    }
    const NodeSet aside = intersect(rest, manager.aside);
    add(NodesView::State::set_aside, aside, manager.why_aside, nullptr);
    add(NodesView::State::free, subtract(rest, aside), {}, nullptr);
  }
  return all;
}

bool SiteManager::quiet() const {
  return queue_.size() == 0 && leases_.size() == 0 && transit_.size() == 0 && users_.none_shelved();
}

void SiteManager::check_invariants() const {
  transit_.check_invariants();
  std::uint64_t held = 0;
  std::vector<std::uint32_t> lent(neighbours_.size(), 0);
  std::map<Party, NodeSet> nodes;
  for (const LeaseId& id : leases_.all()) {
    const Lease& lease = leases_.get(id);
    DMM_ASSERT(!lease.nodes.empty() || !lease.cleaning.empty());
    for (const auto& [request, out] : lease.handed_out) {
      DMM_ASSERT(users_.holds(lease, request));
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
  for (std::size_t n = 0; n < neighbours_.size(); ++n) DMM_ASSERT(lending_.borrowers().processors(n) == lent[n]);
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
  for (const auto& [key, foreign] : transit_.passed()) ++outstanding[foreign.target];
  DMM_ASSERT(queue_.demand() == demand);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) DMM_ASSERT(targets_.of(n).outstanding == outstanding[n]);
}

}  // namespace dmm
