// The owner's side of resource managers: what they offer, whether it agrees with what was assigned to them, which nodes
// are clean again, which are set aside (docs/protocol.md section 8).
#include <algorithm>

#include "machine/assert.hpp"
#include "machine/planted.hpp"
#include "protocol/inventory.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// Those of the groups that are of one resource manager.
std::vector<NodeGroup> groups_on(const std::vector<NodeGroup>& groups, const Party& manager) {
  std::vector<NodeGroup> found;
  for (const NodeGroup& group : groups)
    if (group.resource_manager == manager) found.push_back(group);
  return found;
}

/// All nodes of one resource manager in these groups.
NodeSet nodes_on(const std::vector<NodeGroup>& groups, const Party& manager) {
  NodeSet nodes;
  for (const NodeGroup& group : groups)
    if (group.resource_manager == manager) nodes = unite(nodes, group.nodes);
  return nodes;
}

/// Why what a resource manager says about its nodes makes no sense; empty if it does.
std::string fault_of(const Register& offer) {
  if (offer.leases.size() != offer.leased.size()) return "each lease needs its nodes";
  NodeSet all;
  for (const NodeSet& nodes : offer.leased) {
    if (!is_well_formed(nodes) || nodes.empty()) return "the nodes of a lease are malformed";
    if (overlap(nodes, all)) return "a node is under two leases";
    all = unite(all, nodes);
  }
  if (!is_well_formed(offer.dirty) || overlap(offer.dirty, all)) return "the dirty nodes are malformed";
  all = unite(all, offer.dirty);
  if (!all.empty() && all.back().last >= offer.nodes) return "a node is beyond the last one";
  return {};
}

}  // namespace

void SiteManager::resource_manager_up(Step& s, const Party& manager, bool restarted) {
  if (restarted) registering_.erase(manager);
  if (!owned_.knows(manager)) return;  // its Register follows
  if (restarted) return owned_.set_up(manager, false);  // until it says what is on its nodes
  // The silence may have been on our side alone: then it doesn't register again.
  owned_.set_up(manager, true);
  lost_managers_.erase(manager);
  hints_dirty_ = true;
  s.out.log(Level::debug, "back", {}, {{"peer", to_text(manager)}});
}

void SiteManager::on(Step& s, const Party& from, Register& offer) {
  if (!gather(registering_[from], offer)) return;
  registering_.erase(from);
  const bool is_first = !owned_.knows(from);
  std::string fault = fault_of(offer);
  if (fault.empty()) fault = owned_.offer(from, offer);
  if (!fault.empty()) {
    s.out.log(Level::warning, "refuse", {}, {{"peer", to_text(from)}, {"why", fault}});
    s.out.send(from, Fault{Register::type, fault});
    return;
  }
  lost_managers_.erase(from);
  owned_.bring_back(from, {{0, offer.nodes - 1}});  // it says again what is to be set aside
  compare(s, from, offer, is_first);
  hints_dirty_ = true;
  s.out.log(Level::info, "register", {},
            {{"peer", to_text(from)}, {"cluster", offer.cluster.text}, {"nodes", std::int64_t{offer.nodes}}});
  recount_servable(s);
}

/// Our machine may have forgotten our last leases and remember some that were over: what the resource manager has under
/// a later lease isn't under an older one any more. What runs there without a lease may be of such a later one, too.
void SiteManager::forget_older(Step& s, const Party& manager, const Register& offer) {
  std::vector<Epoch> latest(offer.nodes);  // by node: under what it is there
  for (std::size_t i = 0; i < offer.leases.size(); ++i)
    each_node(offer.leased[i], [&](std::uint32_t node) { latest[node] = offer.leases[i].epoch; });
  each_node(offer.dirty, [&](std::uint32_t node) { latest[node] = {incarnation_, 0}; });
  for (const LeaseId& id : leases_.all()) {
    Lease& lease = *leases_.find(id);
    if (lease.upstream) continue;
    for (std::vector<NodeGroup>* groups : {&lease.nodes, &lease.cleaning}) {
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
        s.out.send(manager, Unassign{id, nodes_on(over, manager), {}, detached_for(lease)}, lease.request);
      }
      remove_nodes(*groups, over);
      owned_.put(manager, nodes_on(over, manager));  // to be withheld for the later one
    }
    if (lease.nodes.empty()) lease.state = LeaseState::ending;
    if (lease.nodes.empty() && lease.cleaning.empty()) close(s, lease);
  }
}

/// For how long what runs on nodes that are being cleaned may go on.
Duration SiteManager::detached_for(const Lease& lease) const {
  return lease.detached ? settings_.detached_max : Duration{};
}

/// Our record says what is leased, the resource manager's what is running. What it lacks is assigned again; what it
/// has without us is taken back, and its nodes are free only when it says that they are clean.
void SiteManager::compare(Step& s, const Party& manager, const Register& offer, bool is_first) {
  if (DMM_PLANT(register_not_compared)) return;
  std::map<LeaseId, NodeSet> theirs;
  for (std::size_t i = 0; i < offer.leases.size(); ++i) theirs[offer.leases[i]] = offer.leased[i];
  NodeSet dirty = offer.dirty;
  if (is_first) {
    for (const LeaseId& id : leases_.all()) {  // out of the free ones, wherever they are to be put back
      const Lease& lease = leases_.get(id);
      if (lease.upstream) continue;
      owned_.withhold(manager, unite(nodes_on(lease.nodes, manager), nodes_on(lease.cleaning, manager)));
    }
    forget_older(s, manager, offer);
  }
  for (const LeaseId& id : leases_.all()) {  // rare: a session began
    Lease& lease = *leases_.find(id);
    if (lease.upstream) continue;
    const NodeSet leased = nodes_on(lease.nodes, manager), cleaning = nodes_on(lease.cleaning, manager);
    if (leased.empty() && cleaning.empty()) continue;
    owned_.withhold(manager, unite(leased, cleaning));
    const auto known = theirs.find(id);
    const NodeSet has = known == theirs.end() ? NodeSet{} : known->second;
    if (!contains(has, leased)) assign(s, lease, manager, leased);
    if (!cleaning.empty()) s.out.send(manager, Unassign{id, cleaning, {}, detached_for(lease)}, lease.request);
    dirty = subtract(dirty, cleaning);
    if (known != theirs.end()) known->second = subtract(subtract(has, leased), cleaning);
  }
  for (const auto& [id, nodes] : theirs)
    if (!nodes.empty() && !DMM_PLANT(unknown_lease_ignored)) take_unknown(s, manager, id, nodes);
  // Something runs there under a lease that neither of us knows: a newer one waits for its end.
  if (!dirty.empty()) take_unknown(s, manager, {settings_.name, {incarnation_, ++leases_made_}}, dirty);
}

void SiteManager::take_unknown(Step& s, const Party& manager, const LeaseId& id, const NodeSet& nodes) {
  s.out.log(Level::warning, "unknown_lease", {},
            {{"peer", to_text(manager)}, {"lease", to_text(id)}, {"nodes", to_text(nodes)}});
  const NodeSet withheld = owned_.withhold(manager, nodes);
  s.out.send(manager, Unassign{id, nodes, {}, settings_.detached_max});
  if (withheld.empty()) return;  // they are under a newer lease already
  Lease* lease = leases_.find(id);
  if (!lease) {
    Lease unknown;
    unknown.id = id;
    unknown.state = LeaseState::ending;
    unknown.granted = s.now;
    unknown.chain = {settings_.name};
    unknown.owner_ancestors = settings_.ancestors;
    unknown.detached = true;
    lease = &leases_.add(std::move(unknown));
  }
  add_nodes(lease->cleaning, {owned_.group_of(manager, withheld)});
  changed(s, *lease);
}

void SiteManager::recount_servable(Step& s) {
  std::vector<LocalRequest*> at_home;
  for (const auto& [arrival, request] : queue_.all()) {
    queue_.set_servable(*request, servable_when_idle(request->request.need));
    fresh_.push_back(request->request.id);
    if (!request->servable && request->search == LocalRequest::Search::home) at_home.push_back(request.get());
  }
  for (LocalRequest* request : at_home) refuse_if_too_large(s, *request);
}

/// A resource manager has been silent for a term: nothing new is started there. What runs may go on, if its job manager
/// is heard; this site will know when the resource manager is back.
void SiteManager::lose_nodes(Step& s, const Party& manager) {
  for (const LeaseId& id : leases_.all()) {  // rare
    Lease& lease = *leases_.find(id);
    if (lease.upstream) continue;
    const std::vector<NodeGroup> lost = groups_on(lease.nodes, manager);
    if (lost.empty()) continue;
    tell_ended(s, lease, lost, LeaseEnd::node_lost, false);
    clean(s, lease, lost, true);
  }
}

/// `holder` is the sink's site.
void SiteManager::assign(Step& s, const Lease& lease, const Party& manager, const NodeSet& nodes) {
  const bool once = settings_.lease_ends_with_job && is_for_one_component(lease);
  s.out.send(manager, Assign{lease.id, nodes, lease.request.site, is_alone(lease, manager), once}, lease.request);
}

void SiteManager::on(Step& s, const Party& from, Clean& message) {
  Lease* lease = leases_.find(message.lease);
  if (!lease || lease->upstream || !is_well_formed(message.nodes)) return;
  if (!owned_.knows(from)) return;  // said to us before our restart: it registers first, and is asked again then
  if (message.nodes.empty() && !lease->downstream) end_with_job(s, *lease, from);
  for (NodeGroup& group : lease->cleaning) {
    if (group.resource_manager != from) continue;
    NodeSet rest = message.nodes.empty() ? NodeSet{} : subtract(group.nodes, message.nodes);
    owned_.put(from, subtract(group.nodes, rest));
    group.nodes = std::move(rest);
  }
  std::erase_if(lease->cleaning, [](const NodeGroup& group) { return group.nodes.empty(); });
  changed(s, *lease);
  hints_dirty_ = true;
  if (s.out.wants(Level::debug)) s.out.log(Level::debug, "clean", lease->request, {{"lease", to_text(lease->id)}});
  if (lease->nodes.empty() && lease->cleaning.empty()) close(s, *lease);
}

/// The one component that used the lease has ended: its holder has nothing to release, and nothing is to be cleaned.
void SiteManager::end_with_job(Step& s, Lease& lease, const Party& manager) {
  const std::vector<NodeGroup> back = groups_on(lease.nodes, manager);
  if (back.empty()) return;
  take_from_users(s, lease, back, nullptr);
  take_for_cleaning(s, lease, back);
}

void SiteManager::on(Step& s, const Party& from, SetAside& aside) {
  if (!is_well_formed(aside.nodes)) return;
  if (aside.back)
    owned_.bring_back(from, aside.nodes);
  else
    owned_.set_aside(from, aside.nodes, aside.text);
  hints_dirty_ = true;
  s.out.log(Level::warning, aside.back ? "brought_back" : "set_aside", {},
            {{"peer", to_text(from)}, {"nodes", to_text(aside.nodes)}, {"why", aside.text}});
}

void SiteManager::on(Step& s, const Party& from, LeaseEnded& ended) {
  Lease* lease = leases_.find(ended.lease);
  if (!lease || lease->upstream) return;
  std::vector<NodeGroup> over = groups_on(lease->nodes, from);
  if (!ended.nodes.empty()) over = without(over, without(over, ended.nodes));  // those of them that it names
  if (over.empty()) return;
  tell_ended(s, *lease, over, ended.reason == LeaseEnd::idle ? LeaseEnd::idle : LeaseEnd::unknown, ended.confirmed);
  clean(s, *lease, over, false);
}

}  // namespace dmm
