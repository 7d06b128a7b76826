// Stories about lying neighbours: grants that were not asked for or that their sender can't give, messages in another
// site's name, and impossible chains and routes. The stage is in site_manager_stage.hpp.
#include <functional>

#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_lies_test {

using namespace dmm;
using namespace dmm::site_stage;

namespace {

const SiteName west("west");

/// A change that makes a grant impossible.
using Twist = std::function<void(Grant&)>;

void lengthen_chain(Grant& grant) {
  grant.chain = {north};
  for (int i = 0; i < 16; ++i) grant.chain.insert(grant.chain.begin() + 1, SiteName("s" + std::to_string(i)));
  grant.chain.insert(grant.chain.begin(), west);
  grant.chain.push_back(home);
  grant.lease.owner = west;
}

}  // namespace

// ---- grants --------------------------------------------------------------------------------------------------------

TEST_CASE("lies: an impossible grant is ignored, and the answer is still awaited [S106a]") {
  Twist twist;
  SUBCASE("nodes of a site manager") {
    twist = [](Grant& g) { g.nodes[0].resource_manager = at_north; };
  }
  SUBCASE("of a job manager") {
    twist = [](Grant& g) { g.nodes[0].resource_manager = job_manager_of(north, "fs0"); };
  }
  SUBCASE("of a party of no role") {
    twist = [](Grant& g) { g.nodes[0].resource_manager.role = static_cast<Role>(200); };
  }
  SUBCASE("of another site") {
    twist = [](Grant& g) { g.nodes[0].resource_manager.site = south; };
  }
  SUBCASE("of a party without a name") {
    twist = [](Grant& g) { g.nodes[0].resource_manager.name = {}; };
  }
  SUBCASE("a node twice") {
    twist = [](Grant& g) { g.nodes.push_back(g.nodes[0]); };
  }
  SUBCASE("no nodes") {
    twist = [](Grant& g) { g.nodes.clear(); };
  }
  SUBCASE("nodes of too many processors") {
    twist = [](Grant& g) { g.nodes[0].processors_per_node = 4'097; };
  }
  SUBCASE("too many processors") {
    twist = [](Grant& g) { g.nodes[0] = {resource_manager_of(north, "fs0"), delft, {{0, 2'441}}, 4'096, {}, 0}; };
  }
  SUBCASE("no term") {
    twist = [](Grant& g) { g.term = {}; };
  }
  SUBCASE("a lease of our own") {
    twist = [](Grant& g) { g.lease.owner = home, g.chain = {home, north, home}; };
  }
  SUBCASE("another's lease, by a chain that doesn't begin there") {
    twist = [](Grant& g) { g.lease.owner = south; };
  }
  SUBCASE("a chain that doesn't end here") {
    twist = [](Grant& g) { g.chain = {north, home, west}; };
  }
  SUBCASE("a chain that comes by another site") {
    twist = [](Grant& g) { g.chain = {north, south, home}; };
  }
  SUBCASE("a site in it twice") {
    twist = [](Grant& g) { g.chain = {north, west, north, home}; };
  }
  SUBCASE("one that is too long") { twist = lengthen_chain; }
  Stage stage;
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  const auto asked = stage.said_once<Delegate>(at_north);
  Grant made = grant(asked, north, 2);
  twist(made);
  stage.hear(at_north, made);
  CHECK(stage.refused(north, "grant") == 1);
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.said<Claim>(at_north).empty());
  CHECK(stage.manager.leases().size() == 0);
  CHECK(stage.manager.view(stage.now).requests_out == 1);
  stage.hear(at_north, grant(asked, north, 2));
  CHECK(stage.said<Grant>(alice).size() == 1);
}

TEST_CASE("lies: a grant of components not asked for, or far too large, is given back as bad [S106b]") {
  Twist twist;
  SUBCASE("another component") {
    twist = [](Grant& g) { g.nodes[0].component = 1; };
  }
  SUBCASE("a component that would take all memory") {
    twist = [](Grant& g) { g.nodes[0].component = UINT32_MAX; };
  }
  SUBCASE("one more") {
    twist = [](Grant& g) { g.nodes.push_back({resource_manager_of(north, "fs1"), delft, {{0, 1}}, 1, {}, 1}); };
  }
  SUBCASE("too few") {
    twist = [](Grant& g) { g.nodes[0].nodes = {{0, 0}}; };
  }
  SUBCASE("ten million for two") {
    twist = [](Grant& g) { g.nodes[0].nodes = {{0, 9'999'999}}; };
  }
  Stage stage;
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  Grant made = grant(stage.said_once<Delegate>(at_north), north, 2);
  twist(made);
  stage.hear(at_north, made);
  const Release back = stage.said_once<Release>(at_north);
  CHECK(back.lease == made.lease);
  CHECK(back.failed);
  CHECK(stage.refused(north, "grant") == 1);
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.manager.leases().size() == 0);
}

TEST_CASE("lies: a grant of too little, or by another way, is given back on its way, and others are asked") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.neighbours.push_back({west}); }));
  const Party at_west = site_manager_of(west);
  stage.up(at_west, true);
  stage.hear(at_west, Inventory{});
  stage.hear(at_south, delegate(bob, 1, 4));
  const auto [first, asked] = [&] {
    auto to_north = stage.said<Delegate>(at_north), to_west = stage.said<Delegate>(at_west);
    REQUIRE(to_north.size() + to_west.size() == 1);
    return to_north.empty() ? std::pair(west, to_west[0]) : std::pair(north, to_north[0]);
  }();
  const SiteName second = first == north ? west : north;
  Grant made = grant(asked, first, 4);
  made.chain = {first, home, south};
  SUBCASE("too few nodes") { made.nodes[0].nodes = {{0, 2}}; }
  SUBCASE("too many") { made.nodes[0].nodes = {{0, 4}}; }
  SUBCASE("a chain with a site more") { made.chain = {first, home, second, south}; }
  stage.hear(site_manager_of(first), made);
  CHECK(stage.said_once<Release>(site_manager_of(first)).lease == made.lease);
  CHECK(stage.refused(first, "grant") == 1);
  CHECK(stage.said<Grant>(at_south).empty());
  CHECK(stage.manager.leases().size() == 0);
  const Delegate again = stage.said_once<Delegate>(site_manager_of(second));
  Grant good = grant(again, second, 4);
  good.chain = {second, home, south};
  stage.hear(site_manager_of(second), good);
  CHECK(stage.said_once<Grant>(at_south).lease == good.lease);
}

TEST_CASE(
    "lies: a lender with nodes that start nothing isn't asked for a while, though it grants each time [S73]") {
  Stage stage;
  stage.down(at_south);
  std::uint64_t job = 0;
  const auto serve = [&](bool failed) {
    stage.hear(alice, request(alice, ++job, 2));
    const Grant made = grant(stage.said_once<Delegate>(at_north), north, 2, job);
    stage.hear(at_north, made);
    CHECK(stage.said_once<Grant>(alice).lease == made.lease);
    stage.hear(alice, Release{made.lease, {}, false, failed});
  };
  for (const Duration alone : {seconds(10), seconds(20)}) {
    serve(true);
    CHECK(stage.target(north).asked_from() == stage.now + alone);
    stage.hear(alice, request(alice, ++job, 2));
    CHECK(stage.said<Delegate>(at_north).empty());
    stage.hear(alice, Cancel{{home, "alice", job, 1}});
    stage.pass(alone);
  }
  serve(false);
  serve(true);
  CHECK(stage.target(north).asked_from() == stage.now + seconds(10));
}

TEST_CASE("lies: a term of more than a day is taken for a day [S106a]") {
  Stage stage;
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  Grant made = grant(stage.said_once<Delegate>(at_north), north, 2);
  made.term = seconds(10LL * 365 * 86400);
  stage.hear(at_north, made);
  CHECK(stage.said_once<Grant>(alice).term == term_max - stale_after - term_max / 100);
}

// ---- in another's name ---------------------------------------------------------------------------------------------

TEST_CASE("lies: an owner's own grant stands above one that another site made in its name") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.window_first = 1; }));
  stage.down(at_south);
  stage.hear(alice, request(alice, 1, 2));
  const auto to_north = stage.said_once<Delegate>(at_north);
  stage.up(at_south, false);
  stage.hear(alice, request(alice, 2, 2));
  const auto to_south = stage.said_once<Delegate>(at_south);
  Grant in_their_name = grant(to_south, north, 2);
  in_their_name.chain = {north, south, home};
  stage.hear(at_south, in_their_name);
  CHECK(stage.said_once<Grant>(alice).request == to_south.request.id);
  stage.hear(at_north, grant(to_north, north, 2));
  CHECK(stage.said_once<LeaseEnded>(alice).reason == LeaseEnd::unknown);
  CHECK(stage.said_once<Grant>(alice).request == to_north.request.id);
  CHECK(stage.refused(south, "grant") == 1);
  CHECK(stage.refused(north, "grant") == 0);
  CHECK(stage.said_once<Claim>(at_north).lease == in_their_name.lease);
  CHECK(stage.manager.leases().get(in_their_name.lease).chain == SiteNames{north, home});
}

TEST_CASE("lies: a neighbour that names another's request first doesn't keep that from being heard [S71]") {
  Stage stage;
  stage.offer(8);
  Delegate in_their_name = delegate(bob, 1, 2);
  in_their_name.chain = {south, north};
  stage.hear(at_north, in_their_name);
  CHECK(stage.said<Grant>(at_north).size() == 1);
  stage.hear(at_south, delegate(bob, 1, 2));
  CHECK(stage.said<Reject>(at_south).empty());
  CHECK(stage.said<Grant>(at_south).size() == 1);
  stage.hear(at_south, delegate(bob, 1, 2));  // but its own Delegate is taken only once
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::already_seen);
}

TEST_CASE("lies: a request passed on in another site's name makes way for its home site's own word") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.neighbours.push_back({west}); }));
  const Party at_west = site_manager_of(west);
  stage.up(at_west, true);
  stage.hear(at_west, Inventory{});
  Delegate in_their_name = delegate(bob, 1, 2);
  in_their_name.chain = {south, north};
  stage.hear(at_north, in_their_name);
  stage.said_once<Delegate>(at_west);  // south is in the chain
  stage.hear(at_south, delegate(bob, 1, 2));
  CHECK(stage.said_once<Withdraw>(at_west).request == in_their_name.request.id);
  CHECK(stage.said_once<Reject>(at_north).reason == RejectReason::already_seen);
  CHECK(stage.said<Delegate>(at_north).size() + stage.said<Delegate>(at_west).size() == 1);
  CHECK(stage.said<Reject>(at_south).empty());
}

// ---- delegations ---------------------------------------------------------------------------------------------------

TEST_CASE("lies: a delegation by an impossible chain is malformed [S90] [S91]") {
  Stage stage;
  stage.offer(8);
  Delegate asked = delegate(bob, 1, 2);
  SUBCASE("another home") { asked.chain = {west, south}; }
  SUBCASE("another sender") { asked.chain = {south, west}; }
  SUBCASE("a site twice") { asked.chain = {south, west, south}; }
  SUBCASE("a site without a name") { asked.request.id.site = west, asked.chain = {west, SiteName(), south}; }
  SUBCASE("no chain") { asked.chain.clear(); }
  SUBCASE("one that is too long") {
    asked.chain = {south};
    for (int i = 0; i < 16; ++i) asked.chain.insert(asked.chain.begin(), SiteName("s" + std::to_string(i)));
    asked.request.id.site = asked.chain.front();
  }
  SUBCASE("more hops than there are") { asked.dttl = 17; }
  SUBCASE("no user") { asked.request.id.user = {}; }
  SUBCASE("a user of no possible name") { asked.request.id.user = "no name"; }
  stage.hear(at_south, asked);
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::malformed);
  CHECK(stage.refused(south, "delegate") == 1);
  CHECK(stage.manager.leases().size() == 0);
}

TEST_CASE("lies: a frame over more sites than a chain has is dropped, even between holders of a lease [S53]") {
  Stage stage;
  stage.hear(at_south, delegate(bob, 1, 2));
  Grant made = grant(stage.said_once<Delegate>(at_north), north, 2);
  made.chain = {north, home, south};
  stage.hear(at_north, made);
  const Party far = resource_manager_of(north, "fs0");
  const auto send = [&](std::size_t sites) {
    SiteNames path{south, home, north};
    while (path.size() < sites) path.insert(path.begin() + 2, SiteName("s" + std::to_string(path.size())));
    stage.hear(at_south, Relay{bob, far, path, 1, "frame"});
  };
  send(3);
  CHECK(stage.said<Relay>(at_north).size() == 1);
  for (const std::size_t sites : {18, 3'000}) send(sites);
  CHECK(stage.refused(south, "relay") == 2);
}

TEST_CASE(
    "lies: a resource manager that names a lease of other nodes has them cleaned, and nothing else changes") {
  Stage stage(home_with_nodes(16));
  stage.offer(8);
  const Grant lent = stage.lend_to(bob, 1, 8);
  const Party fs1 = resource_manager_of(home, "fs1");
  stage.up(fs1, true);
  Register offered;
  offered.cluster = delft;
  offered.nodes = 8;
  offered.leases = {lent.lease};
  offered.leased = {{{0, 1}}};
  stage.hear(fs1, std::move(offered));
  CHECK(stage.said_once<Unassign>(fs1).lease == lent.lease);
  stage.hear(at_south, Release{lent.lease, {}, false, false});
  stage.hear(fs0, Clean{lent.lease, {}});
  stage.hear(fs1, Clean{lent.lease, {}});
  stage.pass(seconds(10'000));
  CHECK(stage.manager.view(stage.now).processors == 16);
  CHECK(stage.manager.view(stage.now).processors_busy == 0);
}

TEST_CASE("lies: a job manager of another site asks for nothing in the name of a user here") {
  Stage stage;
  stage.offer(8);
  const Party other = job_manager_of(south, alice.name);
  stage.up(other, true);
  stage.hear(other, request(alice, 1, 4));
  CHECK(stage.said_once<Refuse>(other).reason == RefusalReason::malformed);
  stage.hear(alice, request(alice, 1, 9));
  stage.hear(other, Cancel{request(alice, 1, 9).id});
  CHECK(stage.manager.view(stage.now).requests_waiting == 1);
}

TEST_CASE("lies: what a hint says is bounded before anything is made of it") {
  Stage stage;
  HintEntry most;
  most.lendable = most.largest = most.queued = most.width = most.round_trip_ms = UINT32_MAX;
  stage.hear(at_south, Beat{}, {most, most});
  for (const HintEntry& heard : stage.neighbour(south).hint) {
    CHECK(heard.lendable == processors_max);
    CHECK(heard.queued == processors_max);
    CHECK(heard.width == processors_max);
    CHECK(heard.round_trip_ms == 400'000);
  }
  CHECK(stage.neighbour(south).hint.size() == 2);
}

// ---- parts and files -----------------------------------------------------------------------------------------------

namespace {

/// A part of a request at this site that gives up these leases.
Delegate part_giving_up(const Party& user, std::uint64_t job, std::vector<LeaseId> leases) {
  Delegate asked = delegate(user, job, 6);
  asked.part = 1;
  asked.request.need.kind = RequestKind::fixed;
  asked.request.need.components[0].site = home;
  asked.gives_up = std::move(leases);
  asked.gives_up_grace = seconds(1);
  return asked;
}

/// A lease of six of the eight nodes, held by a user of south.
LeaseId lent(Stage& stage) {
  stage.offer(8);
  return stage.lend_to(bob, 1, 6).lease;
}

const Party carl = job_manager_of(north, "carl");

}  // namespace

TEST_CASE(
    "lies: a home site's own leases end for a part that gives them up, and the part gets their nodes [S76h]") {
  Stage stage;
  const LeaseId lease = lent(stage);
  stage.hear(at_south, part_giving_up(bob, 2, {lease}));
  const auto ended = stage.said_once<LeaseEnded>(at_south);
  CHECK(ended.lease == lease);
  CHECK(ended.reason == LeaseEnd::preempted);
  CHECK(ended.grace == seconds(1));
  CHECK(stage.said_once<Unassign>(fs0).reason == LeaseEnd::preempted);
  stage.hear(fs0, Clean{lease, {}});
  stage.pass(seconds(1));
  CHECK(stage.said_once<Grant>(at_south).part == 1);
}

TEST_CASE("lies: a part can't give up a lease of another sink, of another link or of no site [S76h]") {
  Stage stage;
  const LeaseId lease = lent(stage);
  stage.hear(at_north, part_giving_up(carl, 2, {lease, {home, {1, 77}}, {north, {1, 1}}}));
  Delegate another = part_giving_up(bob, 3, {lease});
  another.chain = {south, north};
  stage.hear(at_north, another);
  CHECK(stage.said<LeaseEnded>(at_south).empty());
  CHECK(stage.said<Unassign>(fs0).empty());
  stage.hear(at_south, part_giving_up(bob, 4, {}));
  CHECK(stage.said<LeaseEnded>(at_south).empty());
}

TEST_CASE("lies: a part counts as claimed only once its home site has claimed it [S108a]") {
  Stage stage;
  Request asked = request(alice, 1, 4);
  asked.need.kind = RequestKind::fixed;
  asked.need.components = {{4, north, delft}, {4, south, delft}};
  stage.hear(alice, asked);
  stage.pass(seconds(1));
  for (const Party& at : {at_north, at_south}) {
    ClusterReport report;
    report.site = at.site;
    report.cluster = delft;
    report.idle = report.total = 4;
    stage.hear(at, Clusters{{report}});
  }
  const auto grant_of = [&](const Party& at) {
    const Delegate delegate = stage.said_once<Delegate>(at);
    Grant made = grant(delegate, at.site, 4);
    made.part = delegate.part;
    return made;
  };
  const Grant first = grant_of(at_north), second = grant_of(at_south);
  stage.hear(at_north, first);
  stage.hear(at_north, Claimed{first.lease, first.request});
  CHECK(stage.said<Claim>(at_north).empty());
  stage.hear(at_south, second);
  CHECK(stage.said_once<Claim>(at_north).lease == first.lease);
  CHECK(stage.said_once<Claim>(at_south).lease == second.lease);
  stage.hear(at_south, Claimed{second.lease, second.request});
  CHECK(stage.said<GrantSet>(alice).empty());
  stage.hear(at_north, Claimed{first.lease, first.request});
  CHECK(stage.said_once<GrantSet>(alice).grants.size() == 2);
}

TEST_CASE("lies: a Prefetch that leads nowhere, or has been everywhere, goes no further [S88e]") {
  Stage stage;
  InputFiles files;
  files.push_back({"f", {{"http://h/f", north}}, 7, ShortText(std::string(64, '5'))});
  const RequestId mine = request(alice, 1, 2).id, others = request(bob, 1, 2).id;
  Prefetch wanted{mine, home, delft, {}, files};
  SUBCASE("no node of the cluster keeps files") { stage.offer(8), stage.hear(alice, wanted); }
  SUBCASE("no way is known") { wanted.site = SiteName("west"), stage.hear(alice, wanted); }
  SUBCASE("another user's request") { wanted.request = others, stage.hear(alice, wanted); }
  SUBCASE("no files") { wanted.files = {{"../f", {{"http://h/f", north}}, 7, {}}}, stage.hear(alice, wanted); }
  CHECK(stage.said<Prefetch>(fs0).empty());
  CHECK(stage.said<Prefetch>(at_north).empty());
  CHECK(stage.said<Prefetch>(at_south).empty());
}

TEST_CASE("lies: a site that takes no files for a neighbour's job says so at once [S88e]") {
  Stage stage;
  InputFiles files;
  files.push_back({"f", {{"http://h/f", north}}, 7, ShortText(std::string(64, '5'))});
  stage.offer(8);
  stage.hear(at_south, Prefetch{request(bob, 1, 2).id, home, delft, {south}, files});
  const auto answer = stage.said_once<Prefetched>(at_south);
  CHECK(answer.request == request(bob, 1, 2).id);
  CHECK(answer.site == home);
  CHECK(answer.cluster == delft);
  CHECK(answer.path == std::vector<SiteName>{south});
  CHECK_FALSE(answer.text.empty());
}

TEST_CASE("lies: a Prefetched goes back along its path alone [S88f]") {
  Stage stage;
  const Prefetched fetched{request(bob, 1, 2).id, north, delft, {south, home}};
  stage.hear(at_north, fetched);
  CHECK(stage.said_once<Prefetched>(at_south).path == std::vector<SiteName>{south});
  for (const std::vector<SiteName>& path : {std::vector<SiteName>{}, {south}, {SiteName("west"), home}, {home}}) {
    Prefetched lie = fetched;
    lie.path = path;
    stage.hear(at_north, lie);
    CHECK(stage.said<Prefetched>(at_south).empty());
    CHECK(stage.said<Prefetched>(at_north).empty());
  }
}

}  // namespace site_manager_lies_test
