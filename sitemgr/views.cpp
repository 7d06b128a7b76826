// The steps of views.hpp.
#include "sitemgr/views.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"

namespace dmm::site_steps {

SiteView view_of(const SiteParts& parts, Instant now) {
  SiteView view;
  view.site = parts.settings.name;
  view.ancestors = parts.settings.ancestors;
  view.clusters = parts.owned.clusters();
  view.resource_managers = parts.owned.managers();
  view.processors = parts.owned.total();
  view.processors_busy = parts.owned.used();
  view.processors_lent = parts.lending.borrowers().processors();
  view.load = value(HomeSearch::load(parts.owned, parts.queue, parts.drains.has_self()));
  view.requests_waiting = parts.queue.size();
  view.requests_out = parts.queue.totals().count(LocalRequest::Search::out);
  view.requests_pausing = parts.queue.totals().count(LocalRequest::Search::pausing);
  view.foreign_waiting = parts.transit.size();
  view.grants_local = parts.matcher.started();
  view.grants_foreign = parts.lending.grants();
  for (std::size_t n = 0; n < parts.neighbours.size(); ++n) {
    if (!parts.neighbours[n].removed)
      view.links.push_back(
          {parts.neighbours[n], parts.targets.of(n), parts.transit.delegations_received(n),
           parts.leases.up(n).size(), parts.leases.down(n).size(), parts.speeds.of(n),
           parts.lending.borrowers().view(now, n, parts.lending.kept_off_until(parts.neighbours[n].site)),
           parts.accounts.total_of(UsageRecord::Direction::lent, parts.neighbours[n].site),
           parts.accounts.total_of(UsageRecord::Direction::borrowed, parts.neighbours[n].site)});
    view.leases_in += parts.leases.up(n).size();
    view.leases_out += parts.leases.down(n).size();
    for (const LeaseId& id : parts.leases.up(n))
      if (!parts.leases.get(id).downstream) view.processors_borrowed += processors_of(parts.leases.get(id).nodes);
  }
  for (const LeaseId& id : parts.leases.all())
    view.leases_own += !parts.leases.get(id).upstream && !parts.leases.get(id).downstream;
  view.job_managers = parts.users.names();
  view.drained.assign(parts.drains.sites().begin(), parts.drains.sites().end());
  constexpr std::size_t asides_shown = 256;
  view.clusters_aside = parts.cluster_errors.aside(now, asides_shown);
  view.unknown_clusters = parts.owned.unknown_clusters();
  if (parts.lending.turn()) view.turn = parts.neighbours[parts.lending.turn()->borrower].site;
  if (parts.reservation.held()) view.reserved_for = parts.reservation.held()->request;
  return view;
}

static bool keeps_users_apart(const NodeOffer& offer) {
  const auto found = offer.properties.attributes.find(users_apart_attribute);
  return found != offer.properties.attributes.end() && found->second == users_apart_value;
}

std::vector<NodesView> nodes_of(const SiteParts& parts) {
  std::vector<NodesView> all;
  for (const OwnedManagerView& manager : parts.owned.managers()) {
    const auto add = [&](NodesView::State state, const NodeSet& nodes, std::string reason, const HopLease* lease) {
      if (nodes.empty()) return;
      NodesView row{manager.party,
                    manager.cluster,
                    nodes,
                    count(nodes) * manager.processors_per_node,
                    state,
                    std::move(reason),
                    {},
                    {},
                    {},
                    keeps_users_apart(*parts.owned.find_offer(manager.party))};
      if (!manager.up) {
        row.state = NodesView::State::down;
        row.reason = manager.registered ? "its resource manager is down"
                                        : "its resource manager hasn't come since the site manager was started";
      }
      if (lease) {
        row.lease = lease->id;
        if (lease->downstream) row.to = parts.neighbours[*lease->downstream].site;
        for (const auto& [request, groups] : lease->handed_out) row.requests.push_back(request);
      }
      all.push_back(std::move(row));
    };
    NodeSet rest = nodes_of(*parts.owned.find_offer(manager.party));
    for (const LeaseId& id : parts.leases.on(manager.party)) {
      const HopLease& lease = parts.leases.get(id);
      const auto [leased, cleaning] = lease.all_nodes();
      for (const auto& [groups, state] :
           {std::pair{leased, NodesView::State::leased}, std::pair{cleaning, NodesView::State::cleaning}})
        each_manager(*groups, [&](const Party& party, const NodeSet& nodes) {
          if (party != manager.party) return;
          rest = subtract(rest, nodes);
          add(state, nodes, overlap(nodes, manager.aside) ? manager.why_aside : std::string(), &lease);
        });
    }
    const NodeSet aside = intersect(rest, manager.aside);
    add(NodesView::State::set_aside, aside, manager.why_aside, nullptr);
    add(NodesView::State::free, subtract(rest, aside),
        parts.drains.has_self() ? "the site is drained: nothing new starts" : std::string(), nullptr);
  }
  return all;
}

bool is_quiet(const SiteParts& parts) {
  return parts.queue.size() == 0 && parts.leases.size() == 0 && parts.transit.size() == 0 &&
         parts.users.none_shelved();
}

void check_invariants(const SiteParts& parts) {
  parts.transit.check_invariants();
  std::uint64_t held = 0;
  std::vector<std::uint32_t> lent(parts.neighbours.size(), 0);
  std::map<Party, NodeSet> nodes;
  for (const LeaseId& id : parts.leases.all()) {
    const HopLease& lease = parts.leases.get(id);
    DMM_ASSERT(!lease.nodes.empty() || !lease.cleaning.empty());
    for (const auto& [request, out] : lease.handed_out) {
      DMM_ASSERT(parts.users.holds(lease, request));
      DMM_ASSERT(!lease.downstream);
    }
    DMM_ASSERT(parts.leases.is_wanted(id) == lease.wanted);
    if (lease.upstream) continue;
    // A node that we own is under at most one lease.
    for (const std::vector<NodeGroup>* groups : lease.all_nodes()) {
      for (const NodeGroup& group : *groups) {
        if (parts.owned.knows(group.resource_manager)) held += processors_of(group);
        NodeSet& known = nodes[group.resource_manager];
        DMM_ASSERT(!overlap(known, group.nodes));
        known = unite(known, group.nodes);
      }
    }
    if (lease.downstream) lent[*lease.downstream] += processors_of(lease.nodes);
  }
  // Leases on a manager that has yet to register are in no sum of owned nodes, nor are its nodes.
  std::uint64_t away = 0;
  for (const auto& manager : parts.owned.managers()) {
    if (!manager.registered) continue;
    const std::uint32_t free = manager.up ? 0 : manager.free_nodes;
    away += std::uint64_t{free + manager.aside_free} * manager.processors_per_node;
  }
  DMM_ASSERT(parts.owned.used() == held + away);
  for (std::size_t n = 0; n < parts.neighbours.size(); ++n)
    DMM_ASSERT(parts.lending.borrowers().processors(n) == lent[n]);
  std::vector<std::uint32_t> outstanding(parts.neighbours.size(), 0);
  std::uint64_t demand = 0;
  for (const auto& [arrival, request] : parts.queue.all()) {
    const RequestClass& kind = *request->kind;
    const auto count = [&](LocalRequest::Search search) {
      return std::ranges::count_if(kind.waiting,
                                   [&](const auto& entry) { return entry.second->search == search; });
    };
    if (kind.waiting.begin()->second == request.get()) {  // once a class
      DMM_ASSERT(
          std::cmp_equal(kind.out, count(LocalRequest::Search::out) + count(LocalRequest::Search::gathering)));
      DMM_ASSERT(std::cmp_equal(kind.home, count(LocalRequest::Search::home)));
    }
    if (request->search == LocalRequest::Search::out) ++outstanding[request->target];
    if (request->kind->holds_here) demand += request->kind->processors;
  }
  parts.co_allocator.each_asked([&](const CoPart& part) { ++outstanding[*part.neighbour]; });
  for (const auto& [key, foreign] : parts.transit.passed()) ++outstanding[foreign.target];
  DMM_ASSERT(parts.queue.totals().demand() == demand);
  for (std::size_t n = 0; n < parts.neighbours.size(); ++n)
    DMM_ASSERT(parts.targets.of(n).outstanding == outstanding[n]);
}

}  // namespace dmm::site_steps
