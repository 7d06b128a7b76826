// Stories about what a site can hold: which requests are refused for good and which wait, the effects of nodes that are
// gone, and which resource managers are believed. The stage is in site_manager_stage.hpp.
#include "protocol/text.hpp"
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_sizes_test {

using namespace dmm;
using namespace dmm::site_stage;

namespace {

const Party fs1 = resource_manager_of(home, "fs1");

/// A neighbour reports one cluster of this size, and nothing beyond it.
Reach reach_of(std::uint32_t processors) {
  Reach reach;
  reach.entries.assign(16, {true, {}});
  reach.entries[0].classes.push_back({0, {}, processors, processors, {}});
  return reach;
}

HintEntry hint_of(std::uint32_t lendable, std::uint32_t largest) {
  HintEntry hint;
  hint.lendable = lendable;
  hint.largest = largest;
  hint.complete = true;
  return hint;
}

Request staying(std::uint64_t job, std::uint32_t processors) {
  Request asked = request(alice, job, processors);
  asked.dttl = 0;
  return asked;
}

Holding held(const Grant& granted) {
  Holding holding;
  holding.lease = granted.lease;
  holding.request = granted.request;
  holding.nodes = granted.nodes;
  holding.chain = granted.chain;
  return holding;
}

}  // namespace

// ---- what is too large ---------------------------------------------------------------------------------------------

TEST_CASE("sizes: a drained site tells that it lends nothing, and how large it is all the same [S74a]") {
  Stage stage;
  stage.offer(8);
  stage.pass(seconds(1));
  REQUIRE(stage.told(north).at(0).lendable == 8);
  const std::vector<ReachEntry> before = stage.told_reach(north);
  REQUIRE(before.at(0).classes.at(0).largest == 8);
  REQUIRE(stage.manager.drain(stage.now, home, stage.out));
  stage.settle();
  stage.pass(seconds(61));
  const HintEntry told = stage.told(north).at(0);
  CHECK(told.lendable == 0);
  CHECK(told.largest == 8);
  CHECK(told.complete);
  CHECK(stage.told_reach(north) == before);
  stage.up(at_north, true);
  CHECK(stage.said<Reach>(at_north).back().entries == before);
}

TEST_CASE("sizes: before any resource manager has come a site is as large as configured [S74]") {
  Stage stage;
  stage.hear(alice, staying(1, 8));
  stage.hear(alice, staying(2, 9));
  const Refuse refused = stage.said_once<Refuse>(alice);
  CHECK(refused.request.job == 2);
  CHECK(refused.largest == 8);
  stage.offer_by(fs1, 2);
  stage.pass(seconds(3600));
  CHECK(stage.said<Refuse>(alice).empty());
  stage.offer_by(fs0, 6);
  CHECK(stage.said_once<Grant>(alice).request.job == 1);
}

TEST_CASE(
    "sizes: a site that is busy, drained, down or not heard yet is as large as it is configured to be [S74]") {
  Stage stage(settings_with([](SiteSettings& settings) {
    settings.clusters[0].nodes = 4;
    settings.co_allocate = false;
  }));
  stage.offer(4);
  stage.hear(at_north, reach_of(8));
  stage.hear(at_south, reach_of(2));
  SUBCASE("north lends nothing now") { stage.hear(at_north, Beat{}, {hint_of(0, 8)}); }
  SUBCASE("north's hint knows of no cluster") { stage.hear(at_north, Beat{}, {hint_of(0, 0)}); }
  SUBCASE("north is down") { stage.down(at_north); }
  SUBCASE("this site was restarted, and has heard no party") {
    stage.restart();
    stage.up(alice, true);
    stage.hear(alice, Inventory{});
  }
  SUBCASE("this site is drained") {
    REQUIRE(stage.manager.drain(stage.now, home, stage.out));
    stage.settle();
  }
  stage.hear(alice, request(alice, 1, 8));
  stage.hear(alice, request(alice, 2, 4));
  stage.hear(alice, staying(3, 4));
  stage.pass(seconds(3600));
  CHECK(stage.said<Refuse>(alice).empty());
  stage.hear(alice, request(alice, 4, 9));
  const Refuse refused = stage.said_once<Refuse>(alice);
  CHECK(refused.request.job == 4);
  CHECK(refused.reason == RefusalReason::too_large);
  CHECK(refused.largest == 8);
  // However it is divided, if all its components must be at one site.
  Request flexible = request(alice, 5, 9);
  flexible.need.kind = RequestKind::flexible;
  stage.hear(alice, std::move(flexible));
  const Refuse divided = stage.said_once<Refuse>(alice);
  CHECK(divided.reason == RefusalReason::too_large);
  CHECK(divided.text == "needs 1 processor in one cluster and 9 at one site");
}

TEST_CASE("sizes: without configured nodes a site is as large as its resource managers ever offered [S74]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.clusters[0].nodes = 0; }));
  stage.hear(alice, staying(1, 1'000));
  stage.offer_by(fs0, 4);
  stage.offer_by(fs1, 4);
  stage.pass(seconds(3600));
  CHECK(stage.said<Refuse>(alice).empty());  // more nodes may come, as long as none came back

  stage.restart();
  stage.up(alice, true);
  stage.hear(alice, Inventory{});
  stage.up(fs0, true);
  stage.offer_by(fs0, 4);
  stage.hear(alice, staying(2, 6));
  stage.hear(alice, staying(3, 9));
  CHECK(stage.said_once<Refuse>(alice).request.job == 3);
  stage.pass(seconds(3600));
  CHECK(stage.said<Grant>(alice).empty());
  SUBCASE("it comes back") {
    stage.up(fs1, true);
    stage.offer_by(fs1, 4);
    CHECK(stage.said_once<Grant>(alice).request.job == 2);
  }
  SUBCASE("it is gone for good, as the owner says") {
    CHECK(stage.manager.forget(stage.now, "fs1", stage.out).empty());
    stage.settle();
    const Refuse refused = stage.said_once<Refuse>(alice);
    CHECK(refused.request.job == 2);
    CHECK(refused.reason == RefusalReason::too_large);
    CHECK(refused.largest == 4);
    CHECK_FALSE(stage.manager.forget(stage.now, "fs1", stage.out).empty());
  }
}

TEST_CASE("sizes: requests that all become hopeless at once are refused a piece at a time") {
  constexpr std::size_t waiting = 2'500;
  Stage stage(settings_with([](SiteSettings& settings) { settings.clusters[0].nodes = 0; }));
  stage.offer_by(fs0, 4);
  stage.offer_by(fs1, 4);
  stage.restart();
  stage.up(alice, true);
  stage.hear(alice, Inventory{});
  stage.up(fs0, true);
  stage.offer_by(fs0, 4);
  for (std::uint64_t job = 1; job <= waiting; ++job)
    stage.manager.receive(stage.now, Received{alice, staying(job, 6), {}, {}}, stage.out);
  stage.settle();
  REQUIRE(stage.manager.forget(stage.now, "fs1", stage.out).empty());
  stage.settle();
  std::size_t refused = stage.said<Refuse>(alice).size();
  CHECK(refused == 1'000);
  while (refused < waiting) {
    REQUIRE(stage.manager.next_deadline() <= stage.now);  // it goes on at once
    stage.settle();
    refused += stage.said<Refuse>(alice).size();
  }
  CHECK(stage.manager.next_deadline() > stage.now);
  CHECK(stage.manager.queue().size() == 0);
}

TEST_CASE("sizes: only a resource manager that is down can be forgotten, and its leases end then") {
  Stage stage;
  stage.offer(8);
  const Grant lent = stage.lend_to(bob, 1, 8);
  CHECK_FALSE(stage.manager.forget(stage.now, "fs0", stage.out).empty());
  CHECK(stage.manager.view(stage.now).processors == 8);
  stage.down(fs0);
  CHECK(stage.manager.forget(stage.now, "fs0", stage.out).empty());
  stage.settle();
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == lent.lease);
  CHECK(ended.reason == LeaseEnd::node_removed);
  CHECK(stage.manager.leases().size() == 0);
  CHECK(stage.manager.view(stage.now).processors == 0);
  CHECK(stage.manager.view(stage.now).resource_managers.empty());
}

// ---- nodes that are gone after a restart ---------------------------------------------------------------------------

TEST_CASE("sizes: a restarted site ends leases on nodes that its resource manager no longer offers [S124a]") {
  Stage stage;
  stage.offer(8);
  const Grant kept = stage.lend_to(bob, 1, 4);
  const Grant gone = stage.lend_to(bob, 2, 4);
  REQUIRE(gone.nodes.at(0).nodes == NodeSet{{4, 7}});
  stage.restart();
  stage.up(at_south, true);
  Inventory books;
  books.borrowed = {held(kept), held(gone)};
  stage.hear(at_south, books);
  stage.up(fs0, true);
  stage.offer(4, {{kept.lease, {{0, 3}}}});
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == gone.lease);
  CHECK(ended.reason == LeaseEnd::node_removed);
  CHECK(stage.manager.view(stage.now).processors == 4);
  CHECK(stage.manager.view(stage.now).processors_busy == 4);
  CHECK(stage.manager.view(stage.now).load == 1.0);
  // Its nodes are taken back. It answers as ordered, with nodes that it doesn't have any more.
  stage.hear(fs0, Clean{gone.lease, {{4, 7}}});
  stage.hear(at_south, Release{kept.lease, {}, false, false});
  stage.hear(fs0, Clean{kept.lease, {{0, 3}}});
  CHECK(stage.manager.view(stage.now).processors_busy == 0);
  CHECK(stage.manager.leases().size() == 0);
  stage.hear(at_south, delegate(bob, 3, 4));
  CHECK(stage.said_once<Grant>(at_south).nodes.at(0).nodes == NodeSet{{0, 3}});
}

// ---- owners come first ---------------------------------------------------------------------------------------------

TEST_CASE("sizes: a local request that has waited for five minutes takes lent nodes back, by default") {
  Duration after = seconds(300);
  SUBCASE("as it is") {}
  SUBCASE("sooner") { after = seconds(20); }
  SUBCASE("never") { after = Duration{}; }
  SiteSettings settings = settings_of_home();
  if (after != seconds(300)) settings.reclaim_after = after;
  Stage stage(settings);
  stage.offer(8);
  const Grant lent = stage.lend_to(bob, 1, 8);
  stage.hear(alice, staying(1, 8));
  if (after == Duration{}) {
    stage.pass_renewed(seconds(3600), at_south, 1);
    CHECK(stage.said<LeaseEnded>(at_south).empty());
    return;
  }
  stage.pass_renewed(after - milliseconds(1), at_south, 1);
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  stage.pass(milliseconds(1));
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.reason == LeaseEnd::reclaimed);
  CHECK(ended.grace == seconds(300));
  stage.hear(fs0, Clean{lent.lease, {}});
  CHECK(stage.said_once<Grant>(alice).request.job == 1);
}

namespace {

/// South's user asks again; its job had nodes for `ran` until `owner` took them back.
Delegate delegate_again(std::uint64_t job, const SiteName& owner, Duration ran, std::uint32_t round) {
  Delegate asked = delegate(bob, job, 8, {}, round);
  asked.request.past = {1, ran, {owner}};
  return asked;
}

}  // namespace

TEST_CASE("sizes: a site that interrupted a job lends to it again when all others were asked [S138f]") {
  SiteName interrupted_by = home;
  Duration ran = seconds(10);
  RejectReason reason = RejectReason::others_first;
  SUBCASE("we did") {}
  SUBCASE("we lend for no longer than it ran") {
    interrupted_by = north;
    ran = seconds(200);
  }
  SUBCASE("neither") {
    interrupted_by = north;
    reason = RejectReason::no_capacity;
  }
  Stage stage(settings_with([](SiteSettings& settings) {
    settings.lease_length_max = seconds(100);
    settings.protected_max = seconds(150);
  }));
  stage.offer(8);
  stage.down(at_north);
  stage.hear(at_south, delegate_again(1, interrupted_by, ran, 1));
  if (reason == RejectReason::others_first) {
    CHECK(stage.said_once<Reject>(at_south).reason == reason);
    stage.hear(at_south, delegate_again(1, interrupted_by, ran, 2));
  }
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE("sizes: a job that was interrupted keeps its nodes twice as long as it had them [S138f]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.lease_length_max = seconds(1000); }));
  stage.offer(8);
  stage.down(at_north);
  stage.hear(at_south, delegate_again(1, north, seconds(900), 1));
  const Grant lent = stage.said_once<Grant>(at_south);
  CHECK(lent.length == seconds(1800));
  stage.hear(at_south, Claim{lent.lease, lent.request, {}});
  stage.hear(alice, staying(1, 8));
  SUBCASE("a local request waits for that") {
    stage.pass_renewed(seconds(1800) - milliseconds(1), at_south, 1);
    CHECK(stage.said<LeaseEnded>(at_south).empty());
    stage.pass_renewed(seconds(40), at_south, 1);
    CHECK(stage.said_once<LeaseEnded>(at_south).reason != LeaseEnd::released);
  }
  SUBCASE("also after a restart") {
    stage.restart();
    stage.up(at_south, false);
    stage.offer(8);
    stage.hear(alice, staying(1, 8));
    stage.pass_renewed(seconds(600), at_south, 1);
    CHECK(stage.said<LeaseEnded>(at_south).empty());
  }
  SUBCASE("the owner's order doesn't") {
    CHECK(stage.manager.reclaim(stage.now, "south", seconds(10), stage.out) == 1);
    stage.settle();
    CHECK(stage.said_once<LeaseEnded>(at_south).reason == LeaseEnd::reclaimed);
  }
}

// ---- what is charged -----------------------------------------------------------------------------------------------

TEST_CASE("sizes: the totals of what was lent are kept over a restart, dropped records included") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.usage_records_max = 2; }));
  stage.offer(8);
  for (std::uint64_t job = 1; job <= 5; ++job) {
    const Grant lent = stage.lend_to(bob, job, 8);
    stage.pass(seconds(10));
    stage.hear(at_south, Release{lent.lease, {}, false, false});
    stage.hear(fs0, Clean{lent.lease, {}});
  }
  const auto totals = [&] { return stage.manager.usage_totals().at({UsageRecord::Direction::lent, south}); };
  REQUIRE(stage.manager.usage().records().size() == 2);
  CHECK(totals().leases == 5);
  CHECK(totals().processor_microseconds == 400'000'000);
  stage.restart();
  CHECK(stage.manager.usage().records().size() == 2);
  CHECK(totals().leases == 5);
  CHECK(totals().processor_microseconds == 400'000'000);
}

// ---- resource managers that err or lie -----------------------------------------------------------------------------

TEST_CASE("sizes: a lease that this site has yet to make isn't believed, and neither are the nodes that obey it") {
  Stage stage;
  LeaseId later{home, {1, 1}};
  SUBCASE("the next one") {}
  SUBCASE("of a later start") { later.epoch.incarnation = 2; }
  SUBCASE("the greatest there is") { later.epoch = {UINT64_MAX, UINT64_MAX}; }
  SUBCASE("of another site") { later = {north, {1, 1}}; }
  stage.offer(8, {{later, {{0, 3}}}});
  const Fault fault = stage.said_once<Fault>(fs0);
  CHECK(fault.about == Register::type);
  CHECK(fault.text.find(to_text(later)) != std::string::npos);
  CHECK(stage.said<Unassign>(fs0).empty());
  CHECK(stage.manager.view(stage.now).processors == 0);
  stage.offer(8);
  CHECK(stage.lend_to(bob, 1, 8).lease == LeaseId{home, {1, 1}});
}

TEST_CASE("sizes: an endless Register is called wrong when it lists more than there can be [S124]") {
  Stage stage(home_with_nodes(0));
  Register part;
  part.cluster = delft;
  part.nodes = 100;
  part.last = false;
  SUBCASE("leases") {
    for (std::uint64_t counter = 1; counter <= 30; ++counter) part.leases.push_back({home, {1, counter}});
  }
  SUBCASE("nodes of leases") { part.leased.assign(30, {{0, 0}}); }
  SUBCASE("nodes of no lease") {
    for (std::uint32_t node = 0; node < 80; node += 2) part.dirty.push_back({node, node});
  }
  std::vector<Fault> faults;
  for (int parts = 0; parts < 20 && faults.empty(); ++parts) {
    stage.hear(fs0, part);
    faults = stage.said<Fault>(fs0);
  }
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].about == Register::type);
  stage.offer(100);  // no free node is left
  CHECK(stage.said<Fault>(fs0).empty());
  CHECK(stage.manager.view(stage.now).processors == 100);
}

TEST_CASE("sizes: one resource manager can't offer so much that no other has room [S124]") {
  Stage stage(home_with_nodes(0));
  stage.offer_by(fs1, 100'001);
  CHECK(stage.said_once<Fault>(fs1).about == Register::type);
  Register wide;
  wide.cluster = delft;
  wide.nodes = 1;
  wide.processors_per_node = 4'097;
  stage.hear(fs1, wide);
  CHECK(stage.said_once<Fault>(fs1).about == Register::type);
  stage.offer_by(fs1, 100'000);
  stage.offer_by(fs0, 500);
  CHECK(stage.said<Fault>(fs0).empty());
  CHECK(stage.manager.view(stage.now).processors == 100'500);
}

// ---- unused leases -------------------------------------------------------------------------------------------------

TEST_CASE("sizes: a lease on two resource managers is idle when both said lately that nothing uses it [S127a]") {
  Stage stage;
  stage.offer_by(fs0, 4);
  stage.offer_by(fs1, 4);
  const Grant lent = stage.lend_to(bob, 1, 8);
  REQUIRE(lent.nodes.size() == 2);
  stage.pass_renewed(seconds(100), at_south, 1);  // renewed without end
  CHECK(stage.out.renewals.empty());              // one lease, however many resource managers
  const auto idle = [&](const NodeGroup& group) {
    stage.hear(group.resource_manager, LeaseEnded{lent.lease, {group}, LeaseEnd::idle, false, {}});
  };
  idle(lent.nodes[0]);
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  idle(lent.nodes[0]);
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  SUBCASE("the first said so long ago") {
    stage.pass_renewed(seconds(150), at_south, 1);
    idle(lent.nodes[1]);
    CHECK(stage.said<LeaseEnded>(at_south).empty());
    idle(lent.nodes[0]);
  }
  SUBCASE("just now") { idle(lent.nodes[1]); }
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == lent.lease);
  CHECK(ended.reason == LeaseEnd::idle);
  CHECK_FALSE(ended.confirmed);
  for (const Party& manager : {fs0, fs1}) CHECK(stage.said_once<Unassign>(manager).detached > Duration{});
}

TEST_CASE("sizes: nodes that a resource manager gives back are reclaimed, with their grace [S128a]") {
  Stage stage;
  stage.offer_by(fs0, 4);
  stage.offer_by(fs1, 4);
  const Grant lent = stage.lend_to(bob, 1, 8);
  REQUIRE(lent.nodes.size() == 2);
  const NodeGroup& back = lent.nodes[0];
  stage.hear(back.resource_manager, SetAside{back.nodes, false, "wanted by others"});
  stage.hear(back.resource_manager, LeaseEnded{lent.lease, {back}, LeaseEnd::reclaimed, false, seconds(4)});
  const LeaseEnded ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == lent.lease);
  CHECK(ended.reason == LeaseEnd::reclaimed);
  CHECK(ended.grace == seconds(4));
  REQUIRE(ended.nodes.size() == 1);
  CHECK(ended.nodes[0].resource_manager == back.resource_manager);
  const Unassign order = stage.said_once<Unassign>(back.resource_manager);
  CHECK(order.grace == seconds(4));
  CHECK(order.detached == Duration{});
  CHECK(order.reason == LeaseEnd::reclaimed);
  CHECK(stage.said<Unassign>(lent.nodes[1].resource_manager).empty());  // the rest of the lease goes on
}

TEST_CASE("sizes: a neighbour has no more leases at a time than one may have") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.leases_per_link_max = 2; }));
  stage.offer(8);
  stage.down(at_north);
  const Grant first = stage.lend_to(bob, 1, 1);
  stage.lend_to(bob, 2, 1);
  stage.hear(at_south, delegate(bob, 3, 1));
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::limit_reached);
  stage.hear(at_south, Release{first.lease, {}, false, false});
  stage.hear(fs0, Clean{first.lease, {}});
  stage.lend_to(bob, 4, 1);
}

}  // namespace site_manager_sizes_test
