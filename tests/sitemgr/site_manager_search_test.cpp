// Stories about the search for nodes elsewhere: which neighbours are asked, how often, for how long, and how one
// request or neighbour may affect the others. The stage is in site_manager_stage.hpp.
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_search_test {

using namespace dmm;
using namespace dmm::site_stage;

namespace {

const Party gpus = resource_manager_of(home, "gpus");
const Party carol = job_manager_of(north, "carol");
const Attributes gpu{{"gpu", "yes"}};

HintEntry hint_of(std::uint32_t lendable) {
  HintEntry hint;
  hint.lendable = hint.largest = lendable;
  return hint;
}

/// A request for nodes with a GPU and this much memory.
Request gpu_request(std::uint64_t job, std::uint64_t memory_bytes = 0) {
  Request asked = request(alice, job, 1);
  asked.need.constraints = Constraints{memory_bytes, gpu};
  return asked;
}

}  // namespace

// ---- rounds over restarts ------------------------------------------------------------------------------------------

TEST_CASE(
    "search: after a restart of the home site its requests are in another stay, in rounds from 1 again [S71]") {
  Stage stage;
  const Delegate first = ask_north(stage);
  CHECK(first.round == 1);
  stage.restart();
  for (const Party& peer : {at_north, alice}) {
    stage.up(peer, true);
    stage.hear(peer, Inventory{});
  }
  stage.hear(alice, request(alice, 1, 2));
  const Delegate second = stage.said_once<Delegate>(at_north);
  CHECK(second.request.id == first.request.id);
  CHECK(second.round == 1);
  CHECK(second.stay != first.stay);
}

TEST_CASE("search: after its job manager's silence a request goes on in the same stay, or begins another [S71]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.answer_limit = seconds(100); }));
  const Delegate first = ask_north(stage);
  stage.down(alice);
  stage.pass(seconds(31));
  REQUIRE(stage.manager.view(stage.now).requests_waiting == 0);
  stage.said<Delegate>(at_north);
  SUBCASE("the job manager is heard again") {
    stage.up(alice, false);
    stage.settle();
    const Delegate next = stage.said_once<Delegate>(at_north);
    CHECK(next.stay == first.stay);
    CHECK(next.round > first.round);
  }
  SUBCASE("the job manager was restarted, and asks for it") {
    stage.up(alice, true);
    stage.hear(alice, Inventory{});
    stage.hear(alice, request(alice, 1, 2));
    const Delegate next = stage.said_once<Delegate>(at_north);
    CHECK(next.stay != first.stay);
    CHECK(next.round == 1);
  }
}

TEST_CASE("search: a request in another stay is no copy of what was seen, a repeated round of one stay is [S71]") {
  Stage stage;
  stage.offer(8);
  stage.down(at_north);
  Delegate asked = delegate(bob, 1, 9);  // never servable: it only matters that it was considered
  const auto answer = [&] {
    stage.hear(at_south, asked);
    return stage.said_once<Reject>(at_south).reason;
  };
  for (asked.round = 1; asked.round <= 38; ++asked.round) CHECK(answer() == RejectReason::never_servable);
  asked.round = 1;
  CHECK(answer() == RejectReason::already_seen);
  asked.stay = 2;
  CHECK(answer() == RejectReason::never_servable);
  CHECK(answer() == RejectReason::already_seen);
}

// ---- one request and the others ------------------------------------------------------------------------------------

TEST_CASE("search: any number of requests that don't fit keep no other one from what is idle") {
  Stage stage(home_with_nodes(100));
  stage.offer(100);
  Register offered;
  offered.cluster = delft;
  offered.nodes = 2;
  offered.memory_bytes = 1'000;
  offered.attributes = gpu;
  stage.hear(gpus, offered);
  bool alike = true;
  SUBCASE("all alike") {}
  SUBCASE("each of another kind") { alike = false; }
  for (std::uint64_t job = 1; job <= 300; ++job) stage.hear(alice, gpu_request(job, alike ? 0 : job));
  CHECK(stage.said<Grant>(alice).size() == 2);
  for (std::uint64_t job = 301; job <= 400; ++job) stage.hear(alice, request(alice, job, 1));
  CHECK(stage.said<Grant>(alice).size() == 100);
}

TEST_CASE("search: requests that are alike are looked at as one, however many there are") {
  Stage stage;
  for (std::uint64_t job = 1; job <= 2'000; ++job) stage.hear(alice, request(alice, job, job % 2 == 0 ? 9 : 10));
  CHECK(stage.manager.queue().size() == 2'000);
  CHECK(stage.manager.queue().classes() == 2);
  for (std::uint64_t job = 2; job <= 2'000; job += 2) stage.hear(alice, Cancel{request(alice, job, 9).id});
  CHECK(stage.manager.queue().classes() == 1);
}

TEST_CASE("search: nodes that come free go to requests that fit, past any number that don't") {
  Stage stage(home_with_nodes(100));
  stage.offer_by(gpus, 2, gpu);
  stage.offer(100);
  stage.hear(alice, request(alice, 1, 100));
  const Grant all = stage.said_once<Grant>(alice);
  for (std::uint64_t job = 1'001; job <= 1'300; ++job) stage.hear(alice, gpu_request(job));
  for (std::uint64_t job = 2; job <= 101; ++job) stage.hear(alice, request(alice, job, 1));
  CHECK(stage.said<Grant>(alice).size() == 2);
  stage.hear(alice, Release{all.lease, all.nodes, false, false});
  stage.hear(fs0, Clean{all.lease, {}});
  CHECK(stage.said<Grant>(alice).size() == 100);
}

TEST_CASE("search: a request that no neighbour can be asked for keeps no other from a neighbour with room [S72]") {
  Stage stage;
  stage.hear(at_north, Beat{}, {hint_of(1'000)});
  stage.hear(at_south, Beat{}, {hint_of(12)});
  std::uint64_t job = 0;
  for (std::uint32_t width = 200; width < 300; ++width) stage.hear(alice, request(alice, ++job, width));
  for (int i = 0; i < 300; ++i) stage.hear(alice, request(alice, ++job, 100));
  CHECK(stage.said<Delegate>(at_north).size() == 4);  // its window
  CHECK(stage.said<Delegate>(at_south).empty());
  stage.hear(alice, request(alice, ++job, 10));  // too wide for home
  CHECK(stage.said_once<Delegate>(at_south).request.id.job == job);
  stage.hear(alice, request(alice, ++job, 2));
  CHECK(stage.said_once<Delegate>(at_south).request.id.job == job);
}

TEST_CASE("search: a full home site asks others for requests that it could serve itself, and refuses none [S74]") {
  Stage stage;
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 8));
  stage.said_once<Grant>(alice);
  stage.hear(alice, request(alice, 2, 8));
  const auto [first, asked] = stage.asked_next();
  CHECK(asked.request.id.job == 2);
  stage.hear(site_manager_of(first), reject(asked, first, RejectReason::never_servable, 14));
  const auto [second, again] = stage.asked_next();
  stage.hear(site_manager_of(second), reject(again, second, RejectReason::never_servable, 13));
  stage.pass(seconds(3600));
  CHECK(stage.said<Refuse>(alice).empty());
}

TEST_CASE("search: an owner keeps for its users what they could use, and nothing else [S75]") {
  Stage stage(home_with_nodes(100));
  stage.offer(100);
  stage.offer_by(gpus, 2, gpu);
  for (std::uint64_t job = 1; job <= 108; ++job) stage.hear(alice, gpu_request(job));
  stage.down(at_north);
  stage.pass(seconds(61));
  CHECK(stage.told(south).at(0).lendable == 100);
  stage.hear(at_south, delegate(bob, 1, 100));
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE("search: what an owner's wide request can't use for lack of width is lent, cluster by cluster [S75]") {
  Stage stage(settings_with([](SiteSettings& settings) {
    ClusterSettings small;
    small.name = ClusterName("small");
    small.nodes = 4;
    settings.clusters.push_back(small);
    settings.delegate = false;
  }));
  const Party fs9 = resource_manager_of(home, "fs9");
  stage.offer(8);
  Register offered;
  offered.cluster = ClusterName("small");
  offered.nodes = 4;
  stage.hear(fs9, offered);
  stage.down(at_north);
  stage.hear(alice, request(alice, 1, 5));
  stage.said_once<Grant>(alice);
  stage.hear(alice, request(alice, 2, 6));  // only the large cluster can ever serve it
  stage.hear(at_south, delegate(bob, 1, 3));
  CHECK(stage.said_once<Grant>(at_south).nodes.at(0).resource_manager == fs9);
  stage.hear(at_south, delegate(bob, 2, 3));
  CHECK(stage.said_once<Reject>(at_south).reason == RejectReason::not_lending);
}

// ---- neighbours that say nothing -----------------------------------------------------------------------------------

TEST_CASE("search: a neighbour that answers nothing is asked less and less often, until it answers [S73]") {
  Stage stage;
  Delegate asked = ask_north(stage);
  CHECK(asked.answer_within == seconds(10));
  const auto keep_silent = [&] {
    stage.pass(asked.answer_within);
    CHECK(stage.said_once<Withdraw>(at_north).round == asked.round);
  };
  // For how many seconds north isn't asked afterwards, although a request waits that was sent to no neighbour yet.
  std::uint64_t job = 1;
  const auto rest = [&] {
    stage.hear(alice, Cancel{asked.request.id});
    stage.hear(alice, request(alice, ++job, 2));
    std::vector<Delegate> next = stage.said<Delegate>(at_north);
    std::int64_t rested = 0;
    for (; next.empty() && rested < 1'000; ++rested) {
      stage.pass(seconds(1));
      next = stage.said<Delegate>(at_north);
    }
    REQUIRE(next.size() == 1);
    asked = next[0];
    return rested;
  };
  keep_silent();
  CHECK(rest() == 0);  // one answer may be lost on its way
  for (const std::int64_t alone : {20, 40, 80, 160, 300, 300}) {
    keep_silent();
    CHECK(rest() == alone);
  }
  stage.hear(at_north, reject(asked, north, RejectReason::no_capacity, 14));
  stage.hear(alice, request(alice, ++job, 2));
  CHECK(stage.said_once<Delegate>(at_north).request.id.job == job);
}

TEST_CASE("search: silence halves the window as a refusal does [S72]") {
  Stage stage;
  stage.down(at_south);
  REQUIRE(stage.target(north).window == 4);
  ask_north(stage);
  stage.pass(seconds(10));
  CHECK(stage.target(north).window == 2);
}

TEST_CASE("search: a site waits half an hour at most for an answer, whatever the neighbour says [S73]") {
  Stage stage;
  Delegate asked = delegate(bob, 1, 2);
  asked.answer_within = seconds(90LL * 365 * 86400);
  stage.hear(at_south, asked);
  const Delegate passed = stage.said_once<Delegate>(at_north);
  CHECK(passed.answer_within == seconds(1'620));
  stage.pass(seconds(1'619));
  CHECK(stage.said<Reject>(at_south).empty());
  stage.pass(seconds(1));
  CHECK(stage.said_once<Withdraw>(at_north).request == asked.request.id);
  const Reject answer = stage.said_once<Reject>(at_south);
  REQUIRE(answer.asked.size() == 2);
  CHECK(answer.asked[0].reason == RejectReason::no_answer);
}

TEST_CASE("search: each site on the way waits for nine tenths of what the one before it does [S73]") {
  Stage stage;
  stage.hear(at_south, delegate(bob, 1, 2));
  CHECK(stage.said_once<Delegate>(at_north).answer_within == seconds(9));
}

TEST_CASE("search: a site that asks one neighbour after the other gives each nine tenths of what is left [S73]") {
  const SiteName west("west");
  const Party at_west = site_manager_of(west);
  Stage stage(settings_with([&](SiteSettings& settings) { settings.neighbours.push_back({west}); }));
  stage.up(at_west, true);
  stage.hear(at_west, Inventory{});
  stage.hear(at_south, delegate(bob, 1, 2));
  const Delegate first = stage.said_once<Delegate>(at_north);
  CHECK(first.answer_within == seconds(9));
  stage.pass(seconds(4));
  stage.hear(at_north, reject(first, north, RejectReason::no_capacity, 14));
  CHECK(stage.said_once<Delegate>(at_west).answer_within == seconds(6) * 9 / 10);
}

// ---- limits for each neighbour -------------------------------------------------------------------------------------

TEST_CASE("search: the limit of delegations that aren't answered is each neighbour's own [S91]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.delegations_per_link_max = 2; }));
  for (std::uint64_t job = 1; job <= 2; ++job) {
    stage.hear(at_south, delegate(bob, job, 2));
    stage.said_once<Delegate>(at_north);
  }
  stage.hear(at_north, delegate(carol, 1, 2));
  CHECK(stage.said<Reject>(at_north).empty());
  CHECK(stage.said_once<Delegate>(at_south).request.id.user == "carol");
  stage.hear(at_south, delegate(bob, 3, 2));
  const Reject refused = stage.said_once<Reject>(at_south);
  CHECK(refused.reason == RejectReason::limit_reached);
  CHECK(refused.asked.back().reason == RejectReason::delegations_limit);
  CHECK(refused.asked.back().most == 2);
  stage.hear(at_south, Withdraw{request(bob, 1, 2).id, 0, 1});
  stage.hear(at_south, delegate(bob, 4, 2));
  CHECK(stage.said<Reject>(at_south).empty());
}

TEST_CASE("search: a neighbour's own limits hold for it alone") {
  Stage stage(settings_with([](SiteSettings& settings) {
    settings.neighbours[1].limits.leases = 1;
    settings.neighbours[0].limits.processors = 4;
  }));
  stage.offer(8);
  stage.lend_to(bob, 1, 2);
  stage.hear(at_south, delegate(bob, 2, 2));
  stage.hear(at_north, reject(stage.said_once<Delegate>(at_north), north, RejectReason::no_capacity, 14));
  const auto expect_limit = [](const Reject& refused, RejectReason which, std::uint32_t most) {
    CHECK(refused.reason == RejectReason::limit_reached);
    CHECK(refused.asked.back().reason == which);
    CHECK(refused.asked.back().most == most);
  };
  expect_limit(stage.said_once<Reject>(at_south), RejectReason::leases_limit, 1);
  stage.lend_to(carol, 1, 2);
  stage.lend_to(carol, 2, 2);
  stage.down(at_south);
  stage.hear(at_north, delegate(carol, 3, 1));
  expect_limit(stage.said_once<Reject>(at_north), RejectReason::processors_limit, 4);
}

// ---- what neighbours are told about waiting requests ---------------------------------------------------------------

TEST_CASE("search: hints tell how much waits in vain, and how wide its first is [S60]") {
  Stage stage;
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 6));
  stage.pass(seconds(1));
  CHECK(stage.told(north).at(0).queued == 0);
  stage.hear(alice, request(alice, 2, 5));
  stage.hear(alice, request(alice, 3, 7));
  stage.pass(seconds(61));
  CHECK(stage.told(north).at(0).queued == 16);  // 12, rounded
  CHECK(stage.told(north).at(0).width == 5);
  stage.hear(alice, Cancel{request(alice, 2, 5).id});
  stage.hear(alice, Cancel{request(alice, 3, 7).id});
  stage.pass(seconds(61));
  CHECK(stage.told(north).at(0).queued == 0);
}

TEST_CASE("search: neighbours hear a site's small news each minute, those of farther sites each five [S63]") {
  Stage stage;
  stage.offer(8);
  stage.pass(seconds(1));
  stage.hear(at_south, Beat{}, {hint_of(32)});
  stage.pass(seconds(1));
  const auto told = [&](std::size_t distance) { return stage.told(north).at(distance).lendable; };
  REQUIRE(told(0) == 8);
  REQUIRE(told(1) == 32);
  HintEntry fewer = hint_of(32);
  fewer.lendable = 31;
  stage.hear(at_south, Beat{}, {fewer});
  stage.pass(seconds(62));
  CHECK(told(1) == 32);
  SUBCASE("of both") {
    stage.hear(alice, request(alice, 1, 2));
    stage.settle();
    CHECK(told(0) == 6);
    CHECK(told(1) == 31);
  }
  SUBCASE("of farther sites alone") {
    stage.pass(seconds(235));
    CHECK(told(1) == 32);
    stage.pass(seconds(5));
    CHECK(told(1) == 31);
  }
}

TEST_CASE("search: a borrower that yields to another is heard by its hint alone, and gets the next nodes [S75]") {
  Stage stage;
  stage.offer(8);
  const Grant first = stage.lend_to(carol, 1, 8);
  HintEntry waits;
  waits.queued = 8;
  waits.width = 8;
  stage.hear(at_south, Beat{}, {waits});
  stage.pass_renewed(seconds(60), at_north, 1);
  CHECK(stage.said<Renewed>(at_north).back().wanted == std::vector<LeaseId>{first.lease});
  stage.hear(at_north, Release{first.lease, {}, false, false});
  stage.hear(fs0, Clean{first.lease, {}});
  stage.hear(at_north, delegate(carol, 2, 8));
  CHECK(stage.said_once<Reject>(at_north).reason == RejectReason::not_in_turn);
  stage.hear(at_south, delegate(bob, 1, 8));
  CHECK(stage.said<Grant>(at_south).size() == 1);
}

TEST_CASE(
    "search: a borrower in its cooldown is told when that is over, if nothing else happens meanwhile [S75a]") {
  Stage stage;
  stage.offer(8);
  stage.down(at_north);
  const auto told = [&] { return stage.told(south).at(0).lendable; };
  Duration rest = seconds(60);
  SUBCASE("since nodes were taken back") {
    const Grant lent = stage.lend_to(bob, 1, 8);
    REQUIRE(stage.manager.reclaim(stage.now, "south", {}, stage.out) == 1);
    stage.settle();
    stage.hear(fs0, Clean{lent.lease, {}});
  }
  SUBCASE("since it let offers lapse") {
    for (std::uint64_t job = 1; job <= 2; ++job) {
      stage.hear(at_south, delegate(bob, job, 8));
      const Grant offered = stage.said_once<Grant>(at_south);
      stage.pass(seconds(5));
      stage.hear(fs0, Clean{offered.lease, {}});
    }
    rest = seconds(20);
  }
  stage.pass(rest - milliseconds(1));
  CHECK(told() == 0);
  stage.said<Beat>(at_south);
  stage.pass(seconds(1));
  CHECK(told() == 8);
  CHECK(stage.said<Beat>(at_south).size() == 1);
}

}  // namespace site_manager_search_test
