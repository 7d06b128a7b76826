// Stories about leases for jobs: which lease may serve another job, and which nodes a job of known length gets. The
// stage is in site_manager_stage.hpp.
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_lease_choice_test {

using namespace dmm;
using namespace dmm::site_stage;

TEST_CASE("lease choice: no job is put on a lease that ends before it does [S105]") {
  Stage stage;
  Delegate asked = ask_north(stage);
  Grant lent = grant(asked, north, 2);
  lent.length = seconds(100);
  stage.hear(at_north, lent);
  const Grant first = stage.said_once<Grant>(alice);
  stage.said_once<Claim>(at_north);
  stage.pass(seconds(5));
  stage.hear(at_north, Renewed{seconds(30), {}, {}});
  Duration declared;
  bool fits = false;
  SUBCASE("it may run for longer than is left, less a minute") { declared = seconds(36); }
  SUBCASE("it runs for no longer") { declared = seconds(34), fits = true; }
  SUBCASE("nothing is said, and more than half of the lease is left") { fits = true; }
  stage.hear(alice, request(alice, 2, 2, declared));
  stage.said<Delegate>(at_north);
  stage.hear(alice, Release{first.lease, first.nodes, false, false});
  CHECK(stage.said<Grant>(alice).size() == (fits ? 1 : 0));
  CHECK(stage.said<Release>(at_north).size() == (fits ? 0 : 1));
}

TEST_CASE(
    "lease choice: a lease past its half serves no job of unknown length, and an old one none at all [S105]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.reuse_length_max = seconds(80); }));
  Delegate asked = ask_north(stage);
  Grant lent = grant(asked, north, 2);
  std::int64_t age = 0;
  SUBCASE("half of it is over") { lent.length = seconds(100), age = 51; }
  SUBCASE("it is as old as any is used again") { age = 80; }
  stage.hear(at_north, lent);
  const Grant first = stage.said_once<Grant>(alice);
  for (; age > 0; age -= 3) {
    stage.pass(seconds(std::min<std::int64_t>(age, 3)));
    stage.hear(at_north, Renewed{seconds(30), {}, {}});
  }
  stage.hear(alice, request(alice, 2, 2));
  stage.said<Delegate>(at_north);
  stage.hear(alice, Release{first.lease, first.nodes, false, false});
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.said<Release>(at_north).size() == 1);
}

TEST_CASE("lease choice: a lease serves no more jobs than one may [S105]") {
  Stage stage(settings_with([](SiteSettings& settings) { settings.reuse_jobs_max = 3; }));
  stage.hear(at_north, grant(ask_north(stage), north, 2));
  for (std::uint64_t job = 2; job <= 4; ++job) {
    const Grant last = stage.said_once<Grant>(alice);
    stage.hear(alice, request(alice, job, 2));
    stage.hear(alice, Release{last.lease, last.nodes, false, false});
  }
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.said<Release>(at_north).size() == 1);
}

TEST_CASE("lease choice: no job is put on a lease for longer than its nodes are likely to be spared") {
  Stage stage;
  Grant lent = grant(ask_north(stage), north, 2);
  lent.expected = seconds(500);
  stage.hear(at_north, lent);
  const Grant first = stage.said_once<Grant>(alice);
  CHECK(first.expected == seconds(500));
  stage.pass(seconds(100));
  SUBCASE("it declares more") {
    stage.hear(alice, request(alice, 2, 2, seconds(350)));
    stage.said<Delegate>(at_north);
    stage.hear(alice, Release{first.lease, first.nodes, false, false});
    CHECK(stage.said<Grant>(alice).empty());
    CHECK(stage.said<Release>(at_north).size() == 1);
  }
  SUBCASE("it declares less") {
    stage.hear(alice, request(alice, 2, 2, seconds(300)));
    stage.hear(alice, Release{first.lease, first.nodes, false, false});
    CHECK(stage.said_once<Grant>(alice).expected == seconds(400));
  }
}

TEST_CASE("lease choice: a delegated job gets nodes likely to be spared for its declared time") {
  const Party fs1 = resource_manager_of(home, "fs1");
  Stage stage;
  stage.up(fs1, true);
  stage.offer_by(fs0, 2);
  stage.offer_by(fs1, 2);
  CHECK(stage.manager.expect("fs0", stage.now + seconds(100)));
  CHECK(stage.manager.expect("fs1", stage.now + seconds(1'000)));
  CHECK_FALSE(stage.manager.expect("fs2", stage.now));
  const auto lent_by = [&](std::uint64_t job, Duration length) {
    stage.hear(at_south, delegate(bob, job, 1, length));
    const Grant made = stage.said_once<Grant>(at_south);
    return std::pair(made.nodes[0].resource_manager, made.expected);
  };
  CHECK(lent_by(1, seconds(50)) == std::pair(fs0, seconds(100)));
  CHECK(lent_by(2, seconds(200)) == std::pair(fs1, seconds(1'000)));
}

}  // namespace site_manager_lease_choice_test
