// The steps of owning.hpp.
#include "sitemgr/owning.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/comparing.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/node_groups.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/views.hpp"

namespace dmm::site_steps {

/// The same nodes as before, or other ones: leases on those that are gone end first.
static void take_offer(SiteStep& s, const NodeOffer& offer, const std::string& endpoint);
/// The nodes are wanted by users that the batch system or the host has beside this site: these nodes are
/// reclaimed.
static void hand_over(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, Duration grace);
/// The one component that used the lease has ended: its holder has nothing to release, and nothing is to be
/// cleaned.
static void end_with_job(SiteStep& s, HopLease& lease, const Party& manager);

void resource_manager_up(SiteStep& s, const Party& manager, bool restarted) {
  if (restarted) s.parts.providers.restarted(manager);
  if (!s.parts.owned.knows(manager)) return;                   // its Register follows
  if (restarted) return s.parts.owned.set_up(manager, false);  // until it says what is on its nodes
  // The silence may have been on our side alone: then it doesn't register again.
  s.parts.owned.set_up(manager, true);
  s.parts.providers.heard(manager);
  s.effects.log(Level::debug, "back", {}, {{"peer", to_text(manager)}});
}

void on(SiteStep& s, FromProvider from, Register& part) {
  Providers::Heard heard = s.parts.providers.hear(from.party, part);
  if (std::holds_alternative<std::monostate>(heard)) return;
  std::string fault;
  if (auto* malformed = std::get_if<std::string>(&heard)) fault = std::move(*malformed);
  const Register offer = fault.empty() ? std::move(std::get<Register>(heard)) : Register{};
  const NodeOffer nodes = offer_of(from.party, offer);
  if (fault.empty())
    fault = Providers::fault_of(offer, nodes, s.parts.owned, s.parts.settings.name,
                                s.parts.leases.latest(s.parts.incarnation));
  if (!fault.empty()) {
    s.effects.log(Level::warning, "refuse", {}, {{"peer", to_text(from.party)}, {"why", fault}});
    return s.effects.send(from.party, Fault{Register::type, fault});
  }
  const bool is_first = !s.parts.owned.knows(from.party);
  take_offer(s, nodes, offer.endpoint);
  s.parts.providers.heard(from.party);
  s.parts.owned.bring_back(from.party, nodes_of(nodes));  // it says again what is to be set aside
  compare(s, from.party, offer, is_first);
  s.effects.log(
      Level::info, "register", {},
      {{"peer", to_text(from.party)}, {"cluster", offer.cluster.text}, {"nodes", std::int64_t{offer.nodes}}});
}

void take_offer(SiteStep& s, const NodeOffer& offer, const std::string& endpoint) {
  const NodeOffer* known = s.parts.owned.find_offer(offer.manager);
  const bool is_other = !known || *known != offer;
  if (known) remove_nodes_of(s, offer.manager, s.parts.owned.removed_by(offer));
  s.parts.owned.take_offer(offer, endpoint);
  if (!is_other) return;
  s.parts.providers.offer_changed(offer.manager);
  if (known)
    s.effects.log(Level::info, "capacity", {},
                  {{"peer", to_text(offer.manager)}, {"nodes", std::int64_t{count(nodes_of(offer))}}});
}

void remove_nodes_of(SiteStep& s, const Party& manager, const NodeSet& removed) {
  if (removed.empty()) return;
  s.parts.owned.withhold(manager, removed);
  for (const LeaseId& id : s.parts.leases.on(manager)) {
    HopLease& lease = *s.parts.leases.find(id);
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
      remove_nodes(lease.cleaning.edit(), gone);
      changed(s, lease);
    }
    if (lease.nodes.empty()) lease.state = LeaseState::ending;
    if (lease.nodes.empty() && lease.cleaning.empty()) close(s, lease);
  }
}

void lose_nodes(SiteStep& s, const Party& manager) {
  for (const LeaseId& id : s.parts.leases.on(manager)) {
    HopLease& lease = *s.parts.leases.find(id);
    const std::vector<NodeGroup> lost = groups_on(lease.nodes, manager);
    if (lost.empty()) continue;
    tell_ended(s, lease, lost, LeaseEnd::node_lost, false);
    clean(s, lease, lost, LeaseEnd::node_lost, true);
  }
}

WhyNot forget(SiteStep& s, const ShortText& name) {
  const Party manager = resource_manager_of(s.parts.settings.name, name);
  const NodeOffer* offer = s.parts.owned.find_offer(manager);
  if (!offer) return "there is no resource manager " + name + " here";
  for (const auto& view : s.parts.owned.managers())
    if (view.party == manager && view.up) return name + " is up: stop it first, or let it offer other nodes";
  remove_nodes_of(s, manager, nodes_of(*offer));
  s.parts.owned.forget(manager);
  s.parts.providers.heard(manager);
  s.parts.providers.offer_changed(manager);
  s.effects.log(Level::info, "forget", {}, {{"peer", to_text(manager)}});
  return {};
}

void assign(SiteStep& s, const HopLease& lease, const Party& manager, const NodeSet& nodes, Duration held) {
  const bool once = s.parts.settings.lease_ends_with_job && is_for_one_component(lease);
  const ShortText user = lease.downstream ? ShortText() : lease.request.user;
  s.effects.send(
      manager,
      Assign{lease.id, nodes, lease.request.site, is_alone(lease, manager), once, user, lease.round_trip + held},
      lease.request);
}

void on(SiteStep& s, FromProvider from, Clean& message) {
  HopLease* lease = s.parts.leases.find(message.lease);
  if (!lease || lease->upstream) return s.parts.ignore("unknown_lease");
  if (!is_well_formed(message.nodes)) return s.parts.ignore("malformed");
  // Said to us before our restart: the resource manager registers first, and is asked again then.
  if (!s.parts.owned.knows(from.party)) return s.parts.ignore("not_registered");
  if (message.nodes.empty() && !lease->downstream) end_with_job(s, *lease, from.party);
  for (NodeGroup& group : lease->cleaning) {
    if (group.resource_manager != from.party) continue;
    NodeSet rest = message.nodes.empty() ? NodeSet{} : subtract(group.nodes, message.nodes);
    s.parts.owned.put(from.party, subtract(group.nodes, rest));
    group.nodes = std::move(rest);
  }
  std::erase_if(lease->cleaning.edit(), [](const NodeGroup& group) { return group.nodes.empty(); });
  changed(s, *lease);
  if (s.effects.wants(Level::debug))
    s.effects.log(Level::debug, "clean", lease->request, {{"lease", to_text(lease->id)}});
  if (lease->nodes.empty() && lease->cleaning.empty()) close(s, *lease);
}

void end_with_job(SiteStep& s, HopLease& lease, const Party& manager) {
  const std::vector<NodeGroup> back = groups_on(lease.nodes, manager);
  if (back.empty()) return;
  take_from_users(s, lease, back, nullptr);
  take_for_cleaning(s, lease, back);
}

void on(SiteStep& s, FromProvider from, SetAside& aside) {
  if (!is_well_formed(aside.nodes)) return s.parts.ignore("malformed");
  if (aside.back)
    s.parts.owned.bring_back(from.party, aside.nodes);
  else
    s.parts.owned.set_aside(from.party, aside.nodes, aside.text);
  s.effects.log(Level::warning, aside.back ? "brought_back" : "set_aside", {},
                {{"peer", to_text(from.party)}, {"nodes", to_text(aside.nodes)}, {"why", aside.text}});
}

void hand_over(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, Duration grace) {
  s.effects.log(Level::info, "reclaim", lease.request,
                {{"lease", to_text(lease.id)},
                 {"holder", lease.chain.empty() ? std::string() : std::string(lease.chain.back().text)},
                 {"reason", std::string(to_text(LeaseEnd::reclaimed))},
                 {"grace", grace.in_seconds()}});
  tell_ended(s, lease, nodes, LeaseEnd::reclaimed, false, grace);
  clean(s, lease, nodes, LeaseEnd::reclaimed, false, grace);
}

void on(SiteStep& s, FromProvider from, LeaseEnded& ended) {
  HopLease* lease = s.parts.leases.find(ended.lease);
  if (!lease || lease->upstream) return s.parts.ignore("unknown_lease");
  if (ended.reason == LeaseEnd::idle && !s.parts.leases.is_idle_everywhere(s.now, *lease, from.party)) return;
  std::vector<NodeGroup> over = groups_on(lease->nodes, from.party);
  if (ended.reason == LeaseEnd::idle) over = lease->nodes;
  if (!ended.nodes.empty() && ended.reason != LeaseEnd::idle)
    over = without(over, without(over, ended.nodes));  // those of them that it names
  if (over.empty()) return;
  if (ended.reason == LeaseEnd::reclaimed) return hand_over(s, *lease, over, ended.grace);
  const bool is_idle = ended.reason == LeaseEnd::idle;
  const LeaseEnd reason = is_idle ? LeaseEnd::idle : LeaseEnd::unknown;
  tell_ended(s, *lease, over, reason, ended.confirmed);
  // Where several have nodes of it, one may have got a job since it said so.
  clean(s, *lease, over, reason, is_idle && lease->managers.size() > 1);
}

}  // namespace dmm::site_steps
