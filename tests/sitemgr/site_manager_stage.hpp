// The stage of the stories about the site manager of `home`. The test plays its neighbours `north` and `south`, its job
// manager alice and its resource manager fs0, with short functions for their messages. The ledger is compared after
// every step. fs0 offers no nodes until `offer` is called.
#pragma once

#include "sitemgr/site_manager.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/checked_ledger.hpp"
#include "tests/said.hpp"

namespace dmm::site_stage {

inline const SiteName home("home"), north("north"), south("south");
inline const Party at_north = site_manager_of(north), at_south = site_manager_of(south);
inline const Party alice = job_manager_of(home, "alice"), bob = job_manager_of(south, "bob");
inline const Party fs0 = resource_manager_of(home, "fs0");
inline const ClusterName delft("delft");

/// One configured cluster of 8 nodes with one processor each.
inline SiteSettings settings_of_home() {
  SiteSettings settings;
  settings.name = home;
  settings.neighbours = {{north}, {south}};
  ClusterSettings cluster;
  cluster.name = delft;
  cluster.nodes = 8;
  settings.clusters = {cluster};
  return settings;
}

/// These settings with one change.
template <class Change>
SiteSettings settings_with(Change change) {
  SiteSettings settings = settings_of_home();
  change(settings);
  return settings;
}

/// The other neighbour.
inline const SiteName& other_than(const SiteName& site) { return site == north ? south : north; }

/// The settings of a home with this number of configured nodes instead of 8; 0: no configured nodes.
inline SiteSettings home_with_nodes(std::uint32_t nodes) {
  SiteSettings settings = settings_of_home();
  settings.clusters.front().nodes = nodes;
  return settings;
}

inline ResourceNeed need_of(std::uint32_t processors) {
  ResourceNeed need;
  need.components.push_back({processors, {}, {}});
  return need;
}

inline Request request(const Party& user, std::uint64_t job, std::uint32_t processors, Duration length = {}) {
  Request asked;
  asked.id = {user.site, user.name, job, 1};
  asked.need = need_of(processors);
  asked.origin_user = user.name;
  asked.length = length;
  return asked;
}

/// A delegation for a user of a neighbour, sent by that neighbour.
inline Delegate delegate(const Party& user, std::uint64_t job, std::uint32_t processors, Duration length = {},
                         std::uint32_t round = 1) {
  Delegate asked;
  asked.request = request(user, job, processors, length);
  asked.round = round;
  asked.dttl = 4;
  asked.tries_left = 15;
  asked.answer_within = seconds(10);
  asked.chain = {user.site};
  asked.stay = 1;
  return asked;
}

/// A neighbour's answers to a delegation.
inline Reject reject(const Delegate& asked, const SiteName& by, RejectReason reason, std::uint32_t tries_left) {
  return {asked.request.id, asked.part, asked.round, reason, tries_left, {{by, reason}}};
}
inline Grant grant(const Delegate& asked, const SiteName& by, std::uint32_t nodes, std::uint64_t counter = 1) {
  Grant made;
  made.request = asked.request.id;
  made.round = asked.round;
  made.lease = {by, {1, counter}};
  made.nodes = {{resource_manager_of(by, "fs0"), delft, {{0, nodes - 1}}, 1, {}, 0}};
  made.term = seconds(30);
  made.chain = {by, home};
  return made;
}

/// With the default settings: the silence, and a little more.
constexpr Duration stale_after = seconds(3);

struct Stage {
  SiteManager manager;
  SiteManagerEffects out;
  Instant now{seconds(1000).microseconds};
  CheckedLedger<SiteManager> ledger;
  std::uint64_t incarnation = 1;

  /// All parties are in contact, and have no leases in their inventories.
  explicit Stage(SiteSettings settings = settings_of_home()) : manager(std::move(settings), 1) {
    out.ledger.wanted = true;
    for (const Party& peer : {at_north, at_south, alice}) {
      up(peer, true);
      hear(peer, Inventory{});
    }
    up(fs0, true);
    out.messages.clear();
  }
  void take(SiteManager::Input input) {
    manager.receive(now, std::move(input), out);
    settle();
  }
  void settle() {
    manager.settle(now, out);
    manager.check_invariants();
    ledger.take(out.ledger, manager);
  }
  void hear(const Party& from, Message message, CapacityHint hint = {}) {
    take(Received{from, std::move(message), {}, std::move(hint)});
  }
  /// The link is up. A neighbour's Beats vouch for the leases that it lends.
  void up(const Party& peer, bool restarted) {
    take(LinkUp{peer, restarted, {}, {}});
    take(LinkStanding{peer, true, stale_after, now});
  }
  void down(const Party& peer) {
    take(LinkStanding{peer, false, {}, now});
    take(LinkDown{peer});
  }
  /// The site manager ends and starts again. No other party is in contact yet.
  void restart() {
    manager = SiteManager(manager.settings(), ++incarnation);
    manager.restore(now, ledger.after_the_process());
    out = {};
    out.ledger.wanted = true;
    settle();
  }
  /// Lets time pass, with a settle at every deadline on the way, as a shell does.
  void pass(Duration length) {
    const Instant until = now + length;
    for (int settles = 0; manager.next_deadline() <= until; ++settles) {
      REQUIRE(settles < 100'000);
      now = std::max(now, manager.next_deadline());
      settle();
    }
    now = until;
    settle();
  }
  /// The same, while a borrower renews `leases` leases every three seconds.
  void pass_renewed(Duration length, const Party& borrower, std::uint32_t leases) {
    const Instant until = now + length;
    while (now < until) {
      pass(std::min(seconds(3), until - now));
      hear(borrower, Renew{leases});
    }
  }
  /// Takes the messages of one type to a party since the last call.
  template <class M>
  std::vector<M> said(const Party& to) {
    return take_said<M>(out.messages, to);
  }
  /// The same; there must be exactly one.
  template <class M>
  M said_once(const Party& to) {
    std::vector<M> found = said<M>(to);
    REQUIRE(found.size() == 1);
    return std::move(found[0]);
  }
  /// The only neighbour that was asked, and its Delegate.
  std::pair<SiteName, Delegate> asked_next() {
    auto to_north = said<Delegate>(at_north), to_south = said<Delegate>(at_south);
    REQUIRE(to_north.size() + to_south.size() == 1);
    return to_north.empty() ? std::pair(south, to_south[0]) : std::pair(north, to_north[0]);
  }
  /// A resource manager registers nodes with these attributes; none is under a lease.
  void offer_by(const Party& resource_manager, std::uint32_t nodes, Attributes attributes = {}) {
    Register offered;
    offered.cluster = delft;
    offered.nodes = nodes;
    offered.attributes = std::move(attributes);
    hear(resource_manager, std::move(offered));
  }
  /// fs0 registers its nodes; it reports leases as the site manager assigned them.
  void offer(std::uint32_t nodes, std::vector<std::pair<LeaseId, NodeSet>> leased = {}, NodeSet absent = {}) {
    Register offered;
    offered.cluster = delft;
    offered.nodes = nodes;
    offered.absent = std::move(absent);
    for (auto& [lease, set] : leased) {
      offered.leases.push_back(lease);
      offered.leased.push_back(std::move(set));
    }
    hear(fs0, std::move(offered));
  }
  /// Lends to a neighbour's user; the neighbour has claimed the lease.
  Grant lend_to(const Party& user, std::uint64_t job, std::uint32_t processors) {
    const Party borrower = site_manager_of(user.site);
    hear(borrower, delegate(user, job, processors));
    Grant made = said_once<Grant>(borrower);
    hear(borrower, Claim{made.lease, made.request, {}});
    return made;
  }
  const Neighbour& neighbour(const SiteName& site) const {
    return manager.neighbours()[*manager.neighbours().find(site)];
  }
  const std::vector<ReachEntry>& told_reach(const SiteName& site) const {
    return manager.feasibility().told(*manager.neighbours().find(site));
  }
  const CapacityHint& told(const SiteName& site) const {
    return manager.hints().told(*manager.neighbours().find(site));
  }
  const Targets::State& target(const SiteName& site) const {
    return manager.targets().of(*manager.neighbours().find(site));
  }
  std::uint64_t refused(const SiteName& site, std::string_view what) const {
    const auto& refused = neighbour(site).refused;
    const auto found = refused.find(what);
    return found == refused.end() ? 0 : found->second;
  }
};

/// A stage with a request of its job manager for job 1; north was asked for it.
inline Delegate ask_north(Stage& stage) {
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  return stage.said_once<Delegate>(at_north);
}

}  // namespace dmm::site_stage
