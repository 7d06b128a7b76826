// The steps of comparing.hpp.
#include "sitemgr/comparing.hpp"

#include <algorithm>
#include <map>

#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/node_groups.hpp"
#include "sitemgr/owning.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/views.hpp"

namespace dmm::site_steps {

/// Our host may have forgotten our last leases and remember some that were over: what the resource manager has
/// under a later lease isn't under an older one any more. What runs there without a lease may be of such a later
/// one, too.
static void forget_older(SiteStep& s, const Party& manager, const Register& offer);
/// For how long what runs on nodes that are being cleaned may go on.
static Duration detached_for(const SiteParts& parts, const HopLease& lease);
static void take_unknown(SiteStep& s, const Party& manager, const LeaseId& id, const NodeSet& nodes);

void forget_older(SiteStep& s, const Party& manager, const Register& offer) {
  std::vector<Epoch> latest(offer.nodes);  // by node: under what it is there
  for (std::size_t i = 0; i < offer.leases.size(); ++i)
    each_node(offer.leased[i], [&](std::uint32_t node) { latest[node] = offer.leases[i].epoch; });
  each_node(offer.dirty, [&](std::uint32_t node) { latest[node] = {s.parts.incarnation, 0}; });
  for (const LeaseId& id : s.parts.leases.on(manager)) {
    HopLease& lease = *s.parts.leases.find(id);
    for (std::vector<NodeGroup>* groups : {&lease.nodes, &lease.cleaning.edit()}) {
      std::vector<NodeGroup> over = groups_on(*groups, manager);
      for (NodeGroup& group : over) {
        NodeSet outdated;
        each_node(group.nodes, [&](std::uint32_t node) {
          if (node < latest.size() && id.epoch < latest[node]) append(outdated, node);
        });
        group.nodes = std::move(outdated);
      }
      std::erase_if(over, [](const NodeGroup& group) { return group.nodes.empty(); });
      if (over.empty()) continue;
      changed(s, lease);
      if (groups == &lease.nodes) {
        tell_ended(s, lease, over, LeaseEnd::unknown, false);
        account(s, lease, over);
      } else {
        s.effects.send(manager, Unassign{id, nodes_on(over, manager), {}, detached_for(s.parts, lease)},
                       lease.request);
      }
      remove_nodes(*groups, over);
      s.parts.owned.put(manager, nodes_on(over, manager));  // to be withheld for the later one
    }
    if (lease.nodes.empty()) lease.state = LeaseState::ending;
    if (lease.nodes.empty() && lease.cleaning.empty()) close(s, lease);
  }
}

Duration detached_for(const SiteParts& parts, const HopLease& lease) {
  return lease.detached ? parts.settings.detached_max : Duration{};
}

void compare(SiteStep& s, const Party& manager, const Register& offer, bool is_first) {
  if (DMM_PLANT(register_not_compared)) return;
  std::map<LeaseId, NodeSet> theirs;
  for (std::size_t i = 0; i < offer.leases.size(); ++i) theirs[offer.leases[i]] = offer.leased[i];
  NodeSet dirty = offer.dirty;
  if (is_first) {
    // Nodes that were taken out of service while we were away are under no lease any more.
    const NodeOffer& now_offered = *s.parts.owned.find_offer(manager);
    NodeSet gone;
    for (const LeaseId& id : s.parts.leases.on(manager)) {
      const HopLease& lease = s.parts.leases.get(id);
      const NodeSet has = unite(nodes_on(lease.nodes, manager), nodes_on(lease.cleaning, manager));
      gone = unite(gone, subtract(has, nodes_of(now_offered)));
    }
    remove_nodes_of(s, manager, gone);
    for (const LeaseId& id :
         s.parts.leases.on(manager)) {  // out of the free ones, wherever they are to be put back
      const HopLease& lease = s.parts.leases.get(id);
      s.parts.owned.withhold(manager, unite(nodes_on(lease.nodes, manager), nodes_on(lease.cleaning, manager)));
    }
    forget_older(s, manager, offer);
  }
  for (const LeaseId& id : s.parts.leases.on(manager)) {
    HopLease& lease = *s.parts.leases.find(id);
    const NodeSet leased = nodes_on(lease.nodes, manager), cleaning = nodes_on(lease.cleaning, manager);
    if (leased.empty() && cleaning.empty()) continue;
    s.parts.owned.withhold(manager, unite(leased, cleaning));
    const auto known = theirs.find(id);
    const NodeSet has = known == theirs.end() ? NodeSet{} : known->second;
    if (!contains(has, leased)) assign(s, lease, manager, leased);
    if (!cleaning.empty())
      s.effects.send(manager, Unassign{id, cleaning, {}, detached_for(s.parts, lease)}, lease.request);
    dirty = subtract(dirty, cleaning);
    if (known != theirs.end()) known->second = subtract(subtract(has, leased), cleaning);
  }
  for (const auto& [id, nodes] : theirs)
    if (!nodes.empty() && !DMM_PLANT(unknown_lease_ignored)) take_unknown(s, manager, id, nodes);
  // Something runs there under a lease that neither of us knows: a newer one waits for its end.
  if (!dirty.empty())
    take_unknown(s, manager, {s.parts.settings.name, s.parts.leases.new_epoch(s.parts.incarnation)}, dirty);
}

void take_unknown(SiteStep& s, const Party& manager, const LeaseId& id, const NodeSet& nodes) {
  s.effects.log(Level::warning, "unknown_lease", {},
                {{"peer", to_text(manager)}, {"lease", to_text(id)}, {"nodes", to_text(nodes)}});
  const NodeSet withheld = s.parts.owned.withhold(manager, nodes);
  s.effects.send(manager, Unassign{id, nodes, {}, s.parts.settings.detached_max});
  if (withheld.empty()) return;  // they are under a newer lease already
  HopLease* lease = s.parts.leases.find(id);
  if (!lease) {
    HopLease unknown;
    unknown.id = id;
    unknown.state = LeaseState::ending;
    unknown.granted = s.now;
    unknown.term = s.parts.settings.term;
    unknown.chain = {s.parts.settings.name};
    unknown.detached = true;
    lease = &s.parts.leases.add(std::move(unknown));
  }
  // A lease that was made on other resource managers has this one, too, until its nodes are clean.
  if (s.parts.leases.add_manager(*lease, manager)) s.parts.relays.carry(*lease, manager);
  add_nodes(lease->cleaning.edit(), {s.parts.owned.group_of(manager, withheld)});
  changed(s, *lease);
}

}  // namespace dmm::site_steps
