// Stories about the site manager. Each tells a rule of docs/protocol.md by the messages that it receives and sends. The
// stage is in site_manager_stage.hpp.
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_life_test {

using namespace dmm;
using namespace dmm::site_stage;

static_assert(IsManager<SiteManager>);

namespace {

NodeSet nodes_of(const std::vector<NodeGroup>& groups) {
  REQUIRE(groups.size() == 1);
  return groups[0].nodes;
}

}  // namespace

// ---- nodes that are gone -------------------------------------------------------------------------------------------

TEST_CASE("site manager: leases on nodes no longer offered end as node_removed, and the rest stays [S124a]") {
  Stage stage;
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 4));
  const Grant kept = stage.said_once<Grant>(alice);
  const Grant lost = stage.lend_to(bob, 1, 4);
  REQUIRE(nodes_of(kept.nodes) == NodeSet{{0, 3}});
  REQUIRE(nodes_of(lost.nodes) == NodeSet{{4, 7}});
  stage.out.messages.clear();
  SUBCASE("all nodes of one lease") {
    stage.offer(4, {{kept.lease, {{0, 3}}}});
    const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
    CHECK(ended.lease == lost.lease);
    CHECK(ended.reason == LeaseEnd::node_removed);
    CHECK_FALSE(stage.manager.leases().contains(lost.lease));
  }
  SUBCASE("some nodes of it") {
    stage.offer(6, {{kept.lease, {{0, 3}}}, {lost.lease, {{4, 5}}}});
    const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
    CHECK(ended.reason == LeaseEnd::node_removed);
    CHECK(nodes_of(ended.nodes) == NodeSet{{6, 7}});
    CHECK(nodes_of(stage.manager.leases().get(lost.lease).nodes) == NodeSet{{4, 5}});
  }
  SUBCASE("those that it names as absent") {
    stage.offer(8, {{kept.lease, {{0, 3}}}, {lost.lease, {{6, 7}}}}, {{4, 5}});
    CHECK(nodes_of(stage.said_once<LeaseEnded>(at_south).nodes) == NodeSet{{4, 5}});
    CHECK(nodes_of(stage.manager.leases().get(lost.lease).nodes) == NodeSet{{6, 7}});
  }
  CHECK(nodes_of(stage.manager.leases().get(kept.lease).nodes) == NodeSet{{0, 3}});
  CHECK(stage.said<LeaseEnded>(alice).empty());
  CHECK(stage.said<Assign>(fs0).empty());
  CHECK(stage.said<Unassign>(fs0).empty());
}

TEST_CASE("site manager: a job manager is told of its nodes that are gone, and they are leased no more [S124a]") {
  Stage stage;
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 8));
  const Grant granted = stage.said_once<Grant>(alice);
  stage.offer(6, {{granted.lease, {{0, 5}}}});
  const LeaseEnded ended = stage.said_once<LeaseEnded>(alice);
  CHECK(ended.reason == LeaseEnd::node_removed);
  CHECK(nodes_of(ended.nodes) == NodeSet{{6, 7}});
  std::vector<NodeGroup> left = granted.nodes;
  remove_nodes(left, ended.nodes);
  stage.hear(alice, Release{granted.lease, left, false, false});
  CHECK(stage.said_once<Unassign>(fs0).nodes == NodeSet{{0, 5}});
  stage.hear(fs0, Clean{granted.lease, {}});
  CHECK(stage.manager.leases().size() == 0);
  stage.hear(at_south, delegate(bob, 1, 6));
  CHECK(nodes_of(stage.said_once<Grant>(at_south).nodes) == NodeSet{{0, 5}});
}

// ---- grants that aren't what was asked for -------------------------------------------------------------------------

TEST_CASE(
    "site manager: a grant of too few nodes goes back, the user hears nothing, another site is asked [S106b]") {
  Stage stage;
  stage.hear(alice, request(alice, 1, 4));
  const auto [first, asked] = stage.asked_next();
  stage.hear(site_manager_of(first), grant(asked, first, 3));
  const Release back = stage.said_once<Release>(site_manager_of(first));
  CHECK(back.lease == LeaseId{first, {1, 1}});
  CHECK(back.failed);
  CHECK(back.nodes.empty());
  CHECK(stage.said<Claim>(site_manager_of(first)).empty());
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.said<Refuse>(alice).empty());
  CHECK(stage.manager.leases().size() == 0);
  CHECK(stage.refused(first, "grant") == 1);
  CHECK(stage.manager.why(stage.now, asked.request.id).known);
  const auto [second, again] = stage.asked_next();
  CHECK(second == other_than(first));
  stage.hear(site_manager_of(second), grant(again, second, 4));
  CHECK(stage.said_once<Grant>(alice).nodes.size() == 1);
  CHECK(stage.said_once<Claim>(site_manager_of(second)).lease.owner == second);
}

// ---- how long leases last ------------------------------------------------------------------------------------------

TEST_CASE("site manager: a lease at its longest is taken back with its grace, renewed or not [S118]") {
  Stage stage(settings_with([](SiteSettings& settings) {
    settings.lease_length_max = seconds(100);
    settings.reclaim_grace = seconds(40);
  }));
  stage.offer(8);
  const Grant granted = stage.lend_to(bob, 1, 2);
  CHECK(granted.length == seconds(100));
  CHECK(granted.grace == seconds(40));
  stage.pass_renewed(seconds(99), at_south, 1);
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  CHECK(stage.said<Unassign>(fs0).empty());
  stage.pass(seconds(1));
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == granted.lease);
  CHECK(ended.reason == LeaseEnd::at_longest);
  CHECK(ended.grace == seconds(40));
  const Unassign unassign = stage.said_once<Unassign>(fs0);
  CHECK(unassign.grace == seconds(40));
  CHECK(unassign.detached == Duration{});
  stage.hear(fs0, Clean{granted.lease, {}});
  CHECK(stage.manager.leases().size() == 0);
}

TEST_CASE(
    "site manager: a silent holder's lease ends as expired, at its owner a 30th of its term late [S119] [S46g]") {
  Stage stage;
  stage.offer(8);
  stage.lend_to(bob, 1, 2);
  stage.pass(seconds(3'600));
  stage.take(LinkDown{at_south, seconds(3), seconds(1)});  // the site's last Beat left a second ago
  stage.pass(seconds(30) - microseconds(1));
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  stage.pass(microseconds(1));
  CHECK(stage.said_once<LeaseEnded>(at_south).reason == LeaseEnd::expired);
  CHECK(stage.said_once<Unassign>(fs0).detached == seconds(3600));
}

TEST_CASE("site manager: a grant before its lender's first Beat promises no term yet [S121a]") {
  Stage stage;
  stage.down(at_south);
  stage.take(LinkStanding{at_north, false, {}, stage.now});
  stage.hear(alice, request(alice, 1, 2));
  const Delegate asked = stage.said_once<Delegate>(at_north);
  stage.pass(seconds(6));
  stage.hear(at_north, grant(asked, north, 2));
  CHECK(stage.said_once<Renewed>(alice).terms.at(0).left == not_known);
  CHECK(stage.said_once<Grant>(alice).term == seconds(24));  // what is left of its own right, asked for 6 s ago
  stage.take(LinkStanding{at_north, true, stale_after, stage.now});
  CHECK(stage.said_once<Renewed>(alice).terms.at(0).left == seconds(30) - stale_after - milliseconds(300));
}

TEST_CASE(
    "site manager: a site says when its Beats stop vouching for a lease, and when they resume [S121a] [S46f]") {
  Stage stage;
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  stage.hear(at_north, grant(stage.said_once<Delegate>(at_north), north, 2));
  const Grant handed = stage.said_once<Grant>(alice);
  CHECK(handed.term == seconds(30) - stale_after - milliseconds(300));
  stage.pass(seconds(3'600));
  SUBCASE("it hears its lender too late") {
    stage.take(LinkStanding{at_north, false, {}, stage.now - seconds(3)});
    const Renewed frozen = stage.said_once<Renewed>(alice);
    REQUIRE(frozen.terms.size() == 1);
    CHECK(frozen.terms[0].left == not_known);
    SUBCASE("and then again") {
      stage.take(LinkStanding{at_north, true, seconds(5), stage.now});
      CHECK(stage.said_once<Renewed>(alice).terms.at(0).left == milliseconds(24'700));
      stage.pass(seconds(3'600));
      CHECK(stage.said<LeaseEnded>(alice).empty());
    }
    SUBCASE("and not again for a term") {
      stage.pass(seconds(27) - microseconds(1));
      CHECK(stage.said<LeaseEnded>(alice).empty());
      stage.pass(microseconds(1));
      CHECK(stage.said_once<LeaseEnded>(alice).reason == LeaseEnd::expired);
    }
  }
  SUBCASE("its lender says what it knows, which is no news") {
    stage.hear(at_north, Renewed{{}, {{handed.lease, seconds(30)}}, {}, true});
    CHECK(stage.said<Renewed>(alice).empty());
    stage.hear(at_north, Renewed{{}, {{handed.lease, seconds(20)}}, {}, true});
    CHECK(stage.said_once<Renewed>(alice).terms.at(0).left == seconds(20) - stale_after - milliseconds(200));
  }
  SUBCASE("its lender says the same of its own") {
    Received said{at_north, Renewed{{}, {{handed.lease, not_known}}, {}, true}, {}, {}};
    said.proved = stage.now - seconds(1);
    stage.take(std::move(said));
    CHECK(stage.said_once<Renewed>(alice).terms.at(0).left == not_known);
    stage.pass(seconds(29) - microseconds(1));
    CHECK(stage.said<LeaseEnded>(alice).empty());
    stage.pass(microseconds(1));
    CHECK(stage.said_once<LeaseEnded>(alice).reason == LeaseEnd::expired);
  }
}

TEST_CASE("site manager: a request declared to run longer than any lease lasts is rejected as too_long [S86a]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.lease_length_max = seconds(100); }));
  stage.offer(8);
  stage.down(at_north);
  stage.hear(at_south, delegate(bob, 1, 2, seconds(101)));
  const Reject rejected = stage.said_once<Reject>(at_south);
  CHECK(rejected.reason == RejectReason::too_long);
  CHECK(rejected.tries_left == 15);
  stage.hear(at_south, delegate(bob, 2, 2, seconds(100)));
  CHECK(stage.said_once<Grant>(at_south).length == seconds(160));
}

// ---- borrowers that are lent nothing for a while -------------------------------------------------------------------

namespace {

/// South's user asks and is granted nodes, but south never claims them.
void let_lapse(Stage& stage, std::uint64_t job) {
  stage.hear(at_south, delegate(bob, job, 2));
  const Grant granted = stage.said_once<Grant>(at_south);
  stage.pass(seconds(5) - microseconds(1));
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  stage.pass(microseconds(1));
  CHECK(stage.said_once<LeaseEnded>(at_south).reason == LeaseEnd::not_claimed);
  stage.hear(fs0, Clean{granted.lease, {}});
}

}  // namespace

TEST_CASE(
    "site manager: a borrower that lets a second offer in a row lapse is lent nothing for 20 s [S109] [S75a]") {
  Stage stage;
  stage.offer(8);
  stage.down(at_north);
  let_lapse(stage, 1);
  let_lapse(stage, 2);
  stage.hear(at_south, delegate(bob, 3, 2));
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::not_lending);
  stage.pass(seconds(20) - microseconds(1));
  stage.hear(at_south, delegate(bob, 4, 2));
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::not_lending);
  stage.pass(microseconds(1));
  stage.hear(at_south, delegate(bob, 5, 2));
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE("site manager: a claim between two offers that lapse makes good for the first [S75a]") {
  Stage stage;
  stage.offer(8);
  stage.down(at_north);
  let_lapse(stage, 1);
  stage.lend_to(bob, 2, 2);
  let_lapse(stage, 3);
  stage.hear(at_south, delegate(bob, 4, 2));
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE("site manager: a borrower that lost nodes by a reclaim is lent nothing for 60 s, others are [S75a]") {
  Stage stage;
  stage.offer(8);
  stage.lend_to(bob, 1, 2);
  CHECK(stage.manager.reclaim(stage.now, "south", seconds(10), stage.out) == 1);
  stage.settle();
  CHECK(stage.said_once<LeaseEnded>(at_south).reason == LeaseEnd::reclaimed);
  const Party carol = job_manager_of(north, "carol");
  stage.hear(at_north, delegate(carol, 1, 2));
  CHECK(stage.said<Grant>(at_north).size() == 1);
  stage.down(at_north);
  stage.hear(at_south, delegate(bob, 2, 2));
  const auto kept = stage.said_once<Reject>(at_south);
  CHECK(kept.reason == RejectReason::not_lending);
  REQUIRE(kept.asked.size() == 1);
  CHECK(kept.asked[0].reason == RejectReason::kept_off);
  stage.pass(seconds(60));
  stage.hear(at_south, delegate(bob, 3, 2));
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE(
    "site manager: a loan is reclaimed under the name of the neighbour, and under that of the site that has it") {
  Stage stage;
  stage.offer(8);
  const Party far = job_manager_of(SiteName("far"), "dave");
  Delegate asked = delegate(far, 1, 2);
  asked.chain = {far.site, south};
  stage.hear(at_south, asked);
  const Grant lent = stage.said_once<Grant>(at_south);
  stage.hear(at_south, Claim{lent.lease, lent.request, {}});
  std::string lease_or_site = "south";
  SUBCASE("the neighbour") {}
  SUBCASE("the site that has it") { lease_or_site = "far"; }
  CHECK(stage.manager.may_drain(SiteName(lease_or_site)));
  CHECK(!stage.manager.may_drain(SiteName("nosuch")));
  CHECK(stage.manager.reclaim(stage.now, "nosuch", seconds(10), stage.out) == 0);
  CHECK(stage.manager.reclaim(stage.now, lease_or_site, seconds(10), stage.out) == 1);
}

TEST_CASE("site manager: a neighbour's jobs go on detached when it is taken out of links [S114a]") {
  Stage stage;
  stage.offer(8);
  const Grant lent = stage.lend_to(bob, 1, 2);
  SiteSettings without = settings_of_home();
  std::erase_if(without.neighbours, [](const NeighbourSettings& one) { return one.site == south; });
  CHECK(stage.manager.reconfigure(stage.now, without, stage.out).empty());
  stage.settle();
  CHECK(stage.said_once<LeaseEnded>(at_south).reason == LeaseEnd::link_removed);
  const Unassign unassign = stage.said_once<Unassign>(fs0);
  CHECK(unassign.detached == seconds(3600));
  CHECK(unassign.reason == LeaseEnd::link_removed);
  stage.hear(fs0, Clean{lent.lease, {}});
  CHECK(stage.manager.leases().size() == 0);
}

TEST_CASE("site manager: a lender taken into links again is relied on from its first vouching Beat [S46f]") {
  Stage stage;
  SiteSettings without = settings_of_home();
  std::erase_if(without.neighbours, [](const NeighbourSettings& one) { return one.site == north; });
  for (const SiteSettings& settings : {without, settings_of_home()}) {
    CHECK(stage.manager.reconfigure(stage.now, settings, stage.out).empty());
    stage.settle();
  }
  stage.take(LinkUp{at_north, true, {}, {}});
  stage.hear(at_north, Inventory{});
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  stage.hear(at_north, grant(stage.said_once<Delegate>(at_north), north, 2));
  stage.said_once<Grant>(alice);
  SUBCASE("none comes") {
    stage.pass(seconds(30) - microseconds(1));
    CHECK(stage.said<LeaseEnded>(alice).empty());
    stage.pass(microseconds(1));
    CHECK(stage.said_once<LeaseEnded>(alice).reason == LeaseEnd::expired);
  }
  SUBCASE("one comes") {
    stage.take(LinkStanding{at_north, true, stale_after, stage.now});
    stage.pass(seconds(3'600));
    CHECK(stage.said<LeaseEnded>(alice).empty());
  }
}

TEST_CASE("site manager: a borrower that renews too few leases for longer than a term has to compare them again") {
  Stage stage;
  stage.offer(8);
  stage.lend_to(bob, 1, 2);
  stage.pass_renewed(seconds(30), at_south, 0);
  CHECK(stage.out.renewals.empty());
  SUBCASE("in vain") {
    stage.pass_renewed(seconds(3), at_south, 0);
    CHECK(stage.out.renewals == std::vector<Party>{at_south});
    CHECK(stage.refused(south, "renews_too_few") == 1);
  }
  SUBCASE("once it has renewed all of them it isn't") {
    stage.pass_renewed(seconds(3), at_south, 1);
    stage.pass_renewed(seconds(30), at_south, 0);
    CHECK(stage.out.renewals.empty());
  }
  CHECK(stage.manager.leases().size() == 1);
}

// ---- the search ----------------------------------------------------------------------------------------------------

TEST_CASE("site manager: a drained site asks others for its users, even with idle nodes") {
  Stage stage;
  stage.offer(8);
  REQUIRE(stage.manager.drain(stage.now, home, stage.out));
  stage.settle();
  stage.hear(alice, request(alice, 1, 2));
  CHECK(stage.said<Grant>(alice).empty());
  stage.asked_next();
  SUBCASE("and serves them again when it is resumed") {
    REQUIRE(stage.manager.resume(stage.now, home, stage.out));
    stage.settle();
    CHECK(stage.said_once<Grant>(alice).origin == Origin::local);
    CHECK(stage.said<Withdraw>(at_north).size() + stage.said<Withdraw>(at_south).size() == 1);
  }
}

TEST_CASE("site manager: a neighbour can't have spent more of the budget than it names sites") {
  Stage stage;
  stage.hear(alice, request(alice, 1, 2));
  const auto [first, asked] = stage.asked_next();
  CHECK(asked.tries_left == 15);
  CHECK(asked.dttl == 4);
  Reject answer = reject(asked, first, RejectReason::no_capacity, 0);
  std::uint32_t left = 13;
  SUBCASE("it names itself alone") {}
  SUBCASE("it names all sites that it may have asked") {
    for (int i = 0; i < 14; ++i) answer.asked.insert(answer.asked.begin(), answer.asked[0]);
    left = 0;
  }
  SUBCASE("it gives back more than there was") {
    answer.tries_left = 100;
    left = 14;
  }
  stage.hear(site_manager_of(first), answer);
  const auto [second, again] = stage.asked_next();
  CHECK(second == other_than(first));
  CHECK(again.tries_left == left);
  CHECK(again.round == 1);
}

TEST_CASE("site manager: a home site asks no more neighbours in a round than the budget allows [S69]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.tries_per_round = 1; }));
  stage.hear(alice, request(alice, 1, 2));
  const auto [first, asked] = stage.asked_next();
  CHECK(asked.tries_left == 0);
  stage.hear(site_manager_of(first), reject(asked, first, RejectReason::no_capacity, 0));
  CHECK(stage.said<Delegate>(at_north).size() + stage.said<Delegate>(at_south).size() == 0);
  CHECK(stage.manager.view(stage.now).requests_pausing == 1);
  stage.pass(seconds(2));
  CHECK(stage.asked_next().second.round == 2);
}

TEST_CASE("site manager: a hint wakes no more requests than may be asked for at once, whatever it promises") {
  Stage stage(settings_with([](SiteSettings& settings) {
    settings.window_max = 3;
    settings.pause_first = seconds(60);
  }));
  stage.down(at_south);
  for (std::uint64_t job = 1; job <= 50; ++job) stage.hear(alice, request(alice, job, 1));
  std::vector<RequestId> asked;
  for (auto open = stage.said<Delegate>(at_north); !open.empty(); open = stage.said<Delegate>(at_north))
    for (const Delegate& one : open) {
      asked.push_back(one.request.id);
      // Not for lack of nodes, which would close the window.
      stage.hear(at_north, reject(one, north, RejectReason::dttl_exhausted, 14));
    }
  REQUIRE(stage.manager.view(stage.now).requests_pausing == 50);
  HintEntry much;
  std::size_t woken = 0;
  SUBCASE("much") {
    much.lendable = much.largest = 4'000'000'000;
    woken = 3;
  }
  SUBCASE("little") {
    much.lendable = much.largest = 2;
    woken = 2;
  }
  stage.hear(at_north, Beat{}, {much});
  const auto again = stage.said<Delegate>(at_north);
  REQUIRE(again.size() == woken);
  for (std::size_t i = 0; i < again.size(); ++i) {
    CHECK(again[i].request.id == asked[i]);
    CHECK(again[i].round == 2);
  }
  CHECK(stage.manager.view(stage.now).requests_pausing == 50 - woken);
}

TEST_CASE("site manager: invented resource managers get at most twice a cluster's configured size [S124]") {
  Stage stage;
  stage.offer(8);
  const auto invent = [&](int number, std::uint32_t nodes) {
    const Party manager = resource_manager_of(home, "invented-" + std::to_string(number));
    stage.up(manager, true);
    Register offered;
    offered.cluster = delft;
    offered.nodes = nodes;
    stage.hear(manager, std::move(offered));
    return stage.said<Fault>(manager);
  };
  const auto too_many = invent(1, 9);
  REQUIRE(too_many.size() == 1);
  CHECK(too_many[0].text ==
        "cluster delft would have 17 nodes, more than twice the 8 that the site's configuration gives it");
  CHECK(invent(2, 8).empty());
  CHECK(invent(3, 1).size() == 1);
  CHECK(stage.manager.view(stage.now).processors == 16);
}

}  // namespace site_manager_life_test
