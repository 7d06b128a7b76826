// The owner's side of resource managers: what they offer, which nodes are clean again, which are set aside, which are
// gone (docs/protocol.md section 8). How a register is compared with our record is in comparing.cpp.
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"
#include "protocol/text.hpp"
#include "sitemgr/groups.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// A resource manager says each minute that its part of a lease isn't used; what it said holds this long.
constexpr Duration idle_word = seconds(150);

/// Ranges of nodes that a part of an offer lists: those that are leased, and those that aren't clean.
std::size_t ranges_of(const Register& part) {
  std::size_t ranges = part.dirty.size() + part.leased.size();
  for (const NodeSet& nodes : part.leased) ranges += nodes.size();
  return ranges;
}

/// Why what a resource manager says about its nodes makes no sense; empty if it does.
std::string fault_of_leases(const Register& offer) {
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
  lost_managers_.set(manager, never);
  hints_dirty_ = true;
  s.out.log(Level::debug, "back", {}, {{"peer", to_text(manager)}});
}

void SiteManager::on(Step& s, FromProvider from, Register& offer) {
  const auto refuse = [&](const std::string& fault) {
    registering_.erase(from.party);
    s.out.log(Level::warning, "refuse", {}, {{"peer", to_text(from.party)}, {"why", fault}});
    s.out.send(from.party, Fault{Register::type, fault});
  };
  Register& so_far = registering_[from.party];
  // They share no node, so there are no more leases, nor ranges of nodes, than nodes.
  const std::size_t most = std::min(offer.nodes, nodes_per_manager_max);
  if (so_far.leases.size() + offer.leases.size() > most) return refuse("there are more leases than nodes");
  if (ranges_of(so_far) + ranges_of(offer) > most * 2) return refuse("it names more nodes than it has");
  if (!gather(so_far, offer)) return;
  registering_.erase(from.party);
  const bool is_first = !owned_.knows(from.party);
  const NodeOffer nodes = offer_of(from.party, offer);
  std::string fault = fault_of_leases(offer);
  if (fault.empty()) fault = owned_.fault_of(nodes);
  if (fault.empty()) fault = fault_of_epochs(offer);
  if (!fault.empty()) return refuse(fault);
  take_offer(s, nodes, offer.endpoint);
  lost_managers_.set(from.party, never);
  owned_.bring_back(from.party, nodes_of(nodes));  // it says again what is to be set aside
  compare(s, from.party, offer, is_first);
  hints_dirty_ = true;
  s.out.log(Level::info, "register", {},
            {{"peer", to_text(from.party)}, {"cluster", offer.cluster.text}, {"nodes", std::int64_t{offer.nodes}}});
}

/// A lease that we have yet to make can't be assigned: our clock or our directory was put back, or it errs. Either way
/// its nodes would obey nothing that we say.
std::string SiteManager::fault_of_epochs(const Register& offer) const {
  for (const LeaseId& id : offer.leases) {
    const bool is_later = id.epoch.incarnation > incarnation_ ||
                          (id.epoch.incarnation == incarnation_ && id.epoch.counter > leases_made_);
    if (id.owner != settings_.name || is_later)
      return "it names the lease " + to_text(id) + ", which this site manager has not made: was the directory of one " +
             "of the two put back?";
  }
  return {};
}

/// The same nodes as before, or other ones: leases on those that are gone end first.
void SiteManager::take_offer(Step& s, const NodeOffer& offer, const std::string& endpoint) {
  const NodeOffer* known = owned_.find_offer(offer.manager);
  const bool is_other = !known || *known != offer;
  if (known) remove_nodes_of(s, offer.manager, owned_.removed_by(offer));
  owned_.take_offer(offer, endpoint);
  if (!is_other) return;
  feasibility_.changed();
  if (s.out.ledger.wanted) changed_offers_.insert(offer.manager);
  if (known)
    s.out.log(Level::info, "capacity", {},
              {{"peer", to_text(offer.manager)}, {"nodes", std::int64_t{count(nodes_of(offer))}}});
}

/// Nodes that are no nodes any more are under no lease, and nothing has to be cleaned there.
void SiteManager::remove_nodes_of(Step& s, const Party& manager, const NodeSet& removed) {
  if (removed.empty()) return;
  owned_.withhold(manager, removed);
  for (const LeaseId& id : leases_.on(manager)) {
    Lease& lease = *leases_.find(id);
    const auto gone_of = [&](const std::vector<NodeGroup>& groups) {
      std::vector<NodeGroup> gone = groups_on(groups, manager);
      for (NodeGroup& group : gone) group.nodes = intersect(group.nodes, removed);
      std::erase_if(gone, [](const NodeGroup& group) { return group.nodes.empty(); });
      return gone;
    };
    if (const std::vector<NodeGroup> gone = gone_of(lease.nodes); !gone.empty()) {
      tell_ended(s, lease, gone, LeaseEnd::node_removed, false);
      account(s, lease, gone);
      remove_nodes(lease.nodes, gone);
      changed(s, lease);
    }
    if (const std::vector<NodeGroup> gone = gone_of(lease.cleaning); !gone.empty()) {
      remove_nodes(lease.cleaning, gone);
      changed(s, lease);
    }
    if (lease.nodes.empty()) lease.state = LeaseState::ending;
    if (lease.nodes.empty() && lease.cleaning.empty()) close(s, lease);
  }
}

/// A resource manager has been silent for a term: nothing new is started there. What runs may go on, if its job manager
/// is heard; this site will know when the resource manager is back.
void SiteManager::lose_nodes(Step& s, const Party& manager) {
  for (const LeaseId& id : leases_.on(manager)) {
    Lease& lease = *leases_.find(id);
    const std::vector<NodeGroup> lost = groups_on(lease.nodes, manager);
    if (lost.empty()) continue;
    tell_ended(s, lease, lost, LeaseEnd::node_lost, false);
    clean(s, lease, lost, LeaseEnd::node_lost, true);
  }
}

std::string SiteManager::forget(Instant now, const ShortText& name, Effects& effects) {
  Step s{now, effects};
  const Party manager = resource_manager_of(settings_.name, name);
  const NodeOffer* offer = owned_.find_offer(manager);
  if (!offer) return "there is no resource manager " + name + " here";
  for (const auto& view : owned_.managers())
    if (view.party == manager && view.up) return name + " is up: stop it first, or let it offer other nodes";
  remove_nodes_of(s, manager, nodes_of(*offer));
  owned_.forget(manager);
  lost_managers_.set(manager, never);
  feasibility_.changed();
  hints_dirty_ = true;
  if (effects.ledger.wanted) changed_offers_.insert(manager);
  effects.log(Level::info, "forget", {}, {{"peer", to_text(manager)}});
  return {};
}

/// `holder` is the sink's site.
void SiteManager::assign(Step& s, const Lease& lease, const Party& manager, const NodeSet& nodes) {
  const bool once = settings_.lease_ends_with_job && is_for_one_component(lease);
  const ShortText user = lease.downstream ? ShortText() : lease.request.user;
  s.out.send(manager,
             Assign{lease.id, nodes, lease.request.site, is_alone(lease, manager), once, user, lease.round_trip},
             lease.request);
}

void SiteManager::on(Step& s, FromProvider from, Clean& message) {
  Lease* lease = leases_.find(message.lease);
  if (!lease || lease->upstream) return ignore("unknown_lease");
  if (!is_well_formed(message.nodes)) return ignore("malformed");
  // Said to us before our restart: the resource manager registers first, and is asked again then.
  if (!owned_.knows(from.party)) return ignore("not_registered");
  if (message.nodes.empty() && !lease->downstream) end_with_job(s, *lease, from.party);
  for (NodeGroup& group : lease->cleaning) {
    if (group.resource_manager != from.party) continue;
    NodeSet rest = message.nodes.empty() ? NodeSet{} : subtract(group.nodes, message.nodes);
    owned_.put(from.party, subtract(group.nodes, rest));
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

void SiteManager::on(Step& s, FromProvider from, SetAside& aside) {
  if (!is_well_formed(aside.nodes)) return ignore("malformed");
  if (aside.back)
    owned_.bring_back(from.party, aside.nodes);
  else
    owned_.set_aside(from.party, aside.nodes, aside.text);
  hints_dirty_ = true;
  s.out.log(Level::warning, aside.back ? "brought_back" : "set_aside", {},
            {{"peer", to_text(from.party)}, {"nodes", to_text(aside.nodes)}, {"why", aside.text}});
}

void SiteManager::on(Step& s, FromProvider from, LeaseEnded& ended) {
  Lease* lease = leases_.find(ended.lease);
  if (!lease || lease->upstream) return ignore("unknown_lease");
  if (ended.reason == LeaseEnd::idle && !is_idle_everywhere(s, *lease, from.party)) return;
  std::vector<NodeGroup> over = groups_on(lease->nodes, from.party);
  if (ended.reason == LeaseEnd::idle) over = lease->nodes;
  if (!ended.nodes.empty() && ended.reason != LeaseEnd::idle)
    over = without(over, without(over, ended.nodes));  // those of them that it names
  if (over.empty()) return;
  const bool is_idle = ended.reason == LeaseEnd::idle;
  const LeaseEnd reason = is_idle ? LeaseEnd::idle : LeaseEnd::unknown;
  tell_ended(s, *lease, over, reason, ended.confirmed);
  // Where several have nodes of it, one may have got a job since it said so.
  clean(s, *lease, over, reason, is_idle && lease->managers.size() > 1);
}

/// Whether all resource managers that have nodes of the lease said of late that nothing uses their part.
bool SiteManager::is_idle_everywhere(Step& s, const Lease& lease, const Party& from) {
  if (is_alone(lease, from)) return true;
  auto& said = idle_parts_[lease.id];
  said[from] = s.now;
  const bool everywhere = std::ranges::all_of(lease.nodes, [&](const NodeGroup& group) {
    const auto at = said.find(group.resource_manager);
    return at != said.end() && s.now - at->second < idle_word;
  });
  if (everywhere) idle_parts_.erase(lease.id);
  return everywhere;
}

}  // namespace dmm
