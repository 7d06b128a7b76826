// A co-allocated job at its job manager: its leases come together and end one by one.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace co_allocated_job_test {

using namespace dmm;
using namespace dmm::job_stage;

const Party far = resource_manager_of(SiteName("das-4"), "far");
const LeaseId second{SiteName("das-4"), {1, 7}};

Grant far_grant(const RequestId& id, std::vector<NodeGroup> nodes) {
  Grant made = grant(id, std::move(nodes), second);
  made.chain = {SiteName("das-4"), home};
  made.tries = 1;
  return made;
}

/// Two components of 4 processors: the first on two nodes at das-3, the second on two nodes at das-4.
GrantSet two_leases(const RequestId& id) {
  return {id, {grant(id, {group(fs0, {0, 1}, 0)}), far_grant(id, {group(far, {4, 5}, 1)})}};
}

struct TwoSites : Stage {
  explicit TwoSites(JobManagerSettings settings = settings_of_alice()) : Stage(std::move(settings)) {
    up(far, true);
    submit({sleeper({4, 4})});
    out = {};
    out.ledger.wanted = true;
  }
  void start() {
    hear(site, two_leases(request(1)));
    hear(fs0, Started{request(1), 0, 1});
    hear(far, Started{request(1), 1, 2});
    REQUIRE(state(1) == JobState::running);
  }
  /// The leases that were released to the home site, in order.
  std::vector<LeaseId> released() {
    std::vector<LeaseId> leases;
    for (const Release& release : said<Release>(site)) leases.push_back(release.lease);
    return leases;
  }
};

TEST_CASE("co-allocated job: it starts each component under its own lease, and knows all nodes") {
  TwoSites stage;
  stage.hear(site, two_leases(request(1)));
  const auto here = stage.said<Start>(fs0), there = stage.said<Start>(far);
  REQUIRE(here.size() == 1);
  REQUIRE(there.size() == 1);
  CHECK(here[0].lease == lease);
  CHECK(here[0].component == 0);
  CHECK(there[0].lease == second);
  CHECK(there[0].component == 1);
  CHECK(there[0].nodes == NodeSet{{4, 5}});
  const auto& environment = there[0].program.environment;
  CHECK(std::ranges::count(environment, "DMM_NODES=das-3/delft/fs0:0-1;das-4/delft/far:4-5") == 1);
  CHECK(std::ranges::count(environment, "DMM_PROCESSORS=8") == 1);
  CHECK(std::ranges::count(environment, "DMM_COMPONENTS=2") == 1);
  const JobView view = *stage.manager.job(1);
  REQUIRE(view.places.size() == 2);
  CHECK(view.places[0].lease.owner == SiteName("das-3"));
  CHECK(view.places[1].components == std::vector<std::uint32_t>{1});
  CHECK(view.hops == 2);
  CHECK(view.tries == 4);
}

TEST_CASE("co-allocated job: it isn't charged if a component heeds its owner's warning and the rest is stopped") {
  for (const LeaseEnd reason : {LeaseEnd::reclaimed, LeaseEnd::preempted})
    for (const bool is_first : {true, false}) {
      TwoSites stage;
      stage.start();
      stage.hear(site, LeaseEnded{second, {}, reason, false, {}});
      CHECK(stage.said<Stop>(fs0).size() == 1);
      if (is_first) stage.hear(far, ended(request(1), 0, 1));
      stage.hear(fs0, ended(request(1), EndKind::stopped, 0));
      if (!is_first) stage.hear(far, ended(request(1), 0, 1));
      CHECK(stage.state(1) == JobState::waiting);
      const JobView view = *stage.manager.job(1);
      CHECK(view.reruns == 0);
      CHECK(interruptions_of(view.past, view.past_causes) == 1);
    }
}

TEST_CASE("co-allocated job: at its end it gives each lease back with its own nodes") {
  TwoSites stage;
  stage.start();
  stage.hear(fs0, ended(request(1), 0, 0));
  CHECK(stage.said<Release>(site).empty());
  stage.hear(far, ended(request(1), 0, 1));
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 2);
  CHECK(releases[0].lease == lease);
  CHECK(releases[0].nodes == std::vector{group(fs0, {0, 1}, 0)});
  CHECK(releases[1].lease == second);
  CHECK(releases[1].nodes == std::vector{group(far, {4, 5}, 1)});
}

TEST_CASE("co-allocated job: nodes that come a second time go back, and the record keeps its reasons") {
  TwoSites stage;
  stage.start();
  stage.released();
  GrantSet again = two_leases(request(1));
  again.grants[0].lease = {home, {1, 8}};
  again.grants[1].lease = {home, {1, 9}};
  again.placement = "another placement";
  stage.hear(site, again);
  CHECK(stage.released().size() == 2);
  CHECK(stage.manager.job(1)->placement == "");
}

TEST_CASE("co-allocated job: a lease at home that ended with its only component isn't given back again") {
  TwoSites stage;
  GrantSet set = two_leases(request(1));
  const LeaseId own{home, {1, 3}};
  const Party here = resource_manager_of(home, "nodes");
  stage.up(here, true);
  set.grants[0] = grant(request(1), {group(here, {0, 1}, 0)}, own);
  set.grants[0].chain = {home};
  stage.hear(site, set);
  stage.hear(here, Started{request(1), 0, 1});
  stage.hear(far, Started{request(1), 1, 2});
  Ended end = ended(request(1), 0, 0);
  end.gave_back = true;
  stage.hear(here, end);
  stage.hear(far, ended(request(1), 0, 1));
  CHECK(stage.released() == std::vector{second});
}

TEST_CASE("co-allocated job: without one lease it stops everywhere and gives the other lease back [S106d]") {
  TwoSites stage;
  stage.start();
  stage.hear(site, LeaseEnded{second, {}, LeaseEnd::reclaimed, false, seconds(5)});
  CHECK(stage.said<Stop>(fs0).size() == 1);
  CHECK(stage.said<Stop>(far).size() == 1);
  CHECK(stage.state(1) == JobState::ending);
  stage.hear(fs0, ended(request(1), EndKind::stopped, 0));
  stage.hear(far, ended(request(1), EndKind::lease_ended, 1));
  CHECK(stage.released() == std::vector{lease});
  stage.pass(seconds(600));
  const auto again = stage.said<Request>(site);
  REQUIRE(again.size() == 1);
  CHECK(again[0].id == request(1, 2));
  CHECK(stage.manager.job(1)->past.owners == SiteNames{SiteName("das-4")});
  CHECK(stage.manager.job(1)->reruns == 0);
}

TEST_CASE("co-allocated job: leases that don't fit the job all go back as bad, and it asks once more [S106c]") {
  TwoSites stage;
  GrantSet set = two_leases(request(1));
  SUBCASE("a component is missing") { set.grants[1].nodes = {group(far, {4, 5}, 0)}; }
  SUBCASE("a component under two leases") {
    set.grants[0].nodes = {group(fs0, {0, 0}, 0), group(fs1, {0, 1}, 1)};
    set.grants[1].nodes = {group(far, {4, 4}, 0)};
  }
  SUBCASE("a lease twice") { set.grants[1].lease = lease; }
  SUBCASE("a lease for another request") { set.grants[1].request = request(9); }
  stage.hear(site, set);
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 2);
  CHECK(releases[0].failed);
  CHECK(releases[1].failed);
  CHECK(stage.said<Request>(site).size() == 1);
  CHECK(stage.said<Start>(fs0).empty());
}

TEST_CASE("co-allocated job: a set without leases makes a job manager ask once more, and nothing else [S106c]") {
  TwoSites stage;
  stage.hear(site, GrantSet{request(1), {}});
  CHECK(stage.released().empty());
  CHECK(stage.said<Request>(site).size() == 1);
  CHECK(stage.state(1) == JobState::waiting);
}

TEST_CASE("co-allocated job: a doubled set of leases is taken once, and a late set is given back") {
  TwoSites stage;
  stage.start();
  stage.hear(site, two_leases(request(1)));
  CHECK(stage.released().empty());
  stage.cancel(1);
  stage.hear(fs0, ended(request(1), EndKind::stopped, 0));
  stage.hear(far, ended(request(1), EndKind::stopped, 1));
  stage.said<Release>(site);
  stage.hear(site, two_leases(request(1)));
  CHECK(stage.released() == std::vector{lease, second});
}

TEST_CASE("co-allocated job: a component that can't be started makes only its own lease come back as bad") {
  TwoSites stage;
  stage.hear(site, two_leases(request(1)));
  stage.hear(fs0, Started{request(1), 0, 1});
  stage.pass(stage.manager.settings().start_limit + seconds(1));
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 2);
  CHECK_FALSE(releases[0].failed);
  CHECK(releases[1].failed);
}

TEST_CASE("co-allocated job: it is found again after a restart, with each lease and its way") {
  TwoSites stage;
  stage.start();
  stage.restart();
  REQUIRE(stage.out.routes.size() == 2);
  CHECK(stage.out.routes[1].to == far);
  CHECK(stage.out.routes[1].path == SiteNames{home, SiteName("das-4")});
  stage.up(site, true);
  const auto inventories = stage.said<Inventory>(site);
  REQUIRE(inventories.size() == 1);
  REQUIRE(inventories[0].borrowed.size() == 2);
  for (const Holding& held : inventories[0].borrowed)
    CHECK(held.nodes == std::vector{held.lease == lease ? group(fs0, {0, 1}, 0) : group(far, {4, 5}, 1)});
  CHECK(stage.manager.job(1)->places.size() == 2);
  // The site knows only the first lease: the second is lost, and the attempt with it.
  Holding known;
  known.lease = lease;
  known.request = request(1);
  known.nodes = {group(fs0, {0, 1}, 0)};
  known.left = seconds(30);
  stage.hear(site, Inventory{{known}, {}, true});
  CHECK(stage.manager.job(1)->nodes == std::vector{group(fs0, {0, 1}, 0)});
}

/// A job that goes on without a component after the owner has taken its nodes back.
struct GoingOn : TwoSites {
  GoingOn() {
    cancel(1);
    JobDescription job = sleeper({4, 4});
    job.goes_on = true;
    submit({std::move(job)});
    out.messages.clear();
    hear(site, two_leases(request(2)));
    hear(fs0, Started{request(2), 0, 1});
  }
  void all_run() {
    hear(far, Started{request(2), 1, 2});
    REQUIRE(state(2) == JobState::running);
    out.messages.clear();
  }
  void reclaim() { hear(site, LeaseEnded{second, {}, LeaseEnd::reclaimed, false, seconds(5)}); }
};

TEST_CASE("job that goes on: it finishes without a component that its owner took back [S151]") {
  GoingOn stage;
  stage.all_run();
  stage.reclaim();
  CHECK(stage.state(2) == JobState::running);
  CHECK(stage.said<Stop>(fs0).empty());
  CHECK(stage.said<Stop>(far).empty());  // its owner ends it, after the grace
  SUBCASE("its end is told") { stage.hear(far, ended(request(2), EndKind::lease_ended, 1)); }
  SUBCASE("its end is confirmed by the owner") {
    stage.hear(site, LeaseEnded{second, {group(far, {4, 5}, 1)}, LeaseEnd::reclaimed, true, {}});
  }
  SUBCASE("no party tells its end") { stage.pass(seconds(600)); }
  SUBCASE("over a restart") {
    stage.restart();
    stage.up(site, false);
    stage.hear(far, ended(request(2), EndKind::lease_ended, 1));
  }
  CHECK(stage.state(2) == JobState::running);
  stage.hear(fs0, ended(request(2), 0, 0));
  CHECK(stage.state(2) == JobState::finished);
  CHECK(stage.manager.job(2)->text == "went on without component 1 (reclaimed by its owner, das-4)");
  CHECK(stage.manager.job(2)->reruns == 0);
  CHECK(stage.released() == std::vector{lease});
}

TEST_CASE("job that goes on: it gives back the remaining nodes of a component that was taken from it [S151]") {
  GoingOn stage;
  stage.all_run();
  // The owner removes one of the two nodes; the other would be idle until the job's end.
  stage.hear(site, LeaseEnded{second, {group(far, {5, 5}, 1)}, LeaseEnd::node_removed, false, {}});
  CHECK(stage.released().empty());
  CHECK(stage.manager.job(2)->left_behind ==
        "went on without component 1 (its node was taken out of service by its owner, das-4)");
  SUBCASE("when its end is told") { stage.hear(far, ended(request(2), EndKind::lease_ended, 1)); }
  SUBCASE("when no end of it is told in time") { stage.pass(seconds(600)); }
  CHECK(stage.state(2) == JobState::running);
  CHECK(stage.released() == std::vector{second});
  stage.hear(fs0, ended(request(2), 0, 0));
  CHECK(stage.state(2) == JobState::finished);
  CHECK(stage.released() == std::vector{lease});
}

TEST_CASE("job that goes on: it ends all the same with the status of what is left of it") {
  GoingOn stage;
  stage.all_run();
  Ended taken = ended(request(2), EndKind::lease_ended, 1);
  taken.lease_end = LeaseEnd::reclaimed;
  stage.hear(far, taken);  // the resource manager's message comes first
  stage.reclaim();
  stage.hear(fs0, ended(request(2), 3, 0));
  CHECK(stage.state(2) == JobState::failed);
  CHECK(stage.manager.job(2)->exit->code == 3);
}

TEST_CASE("job that goes on: it reruns if nothing is left, if nothing ran yet, and after other trouble") {
  GoingOn stage;
  SUBCASE("all components are taken back") {
    stage.all_run();
    stage.reclaim();
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, false, seconds(5)});
  }
  SUBCASE("the others haven't begun") { stage.reclaim(); }
  SUBCASE("a node broke") {
    stage.all_run();
    stage.hear(far, ended(request(2), EndKind::lost, 1));
  }
  CHECK(stage.state(2) == JobState::ending);
  stage.hear(fs0, ended(request(2), EndKind::stopped, 0));
  stage.hear(far, ended(request(2), EndKind::stopped, 1));
  stage.pass(seconds(600));
  CHECK(stage.state(2) == JobState::waiting);
  CHECK(stage.manager.job(2)->attempt == 2);
}

TEST_CASE("job that goes on: its user's cancellation stops all of it") {
  GoingOn stage;
  stage.all_run();
  stage.reclaim();
  stage.cancel(2);
  CHECK(stage.said<Stop>(fs0).size() == 1);
  CHECK(stage.said<Stop>(far).size() == 1);
  stage.hear(fs0, ended(request(2), EndKind::stopped, 0));
  stage.hear(far, ended(request(2), EndKind::stopped, 1));
  CHECK(stage.state(2) == JobState::cancelled);
}

}  // namespace co_allocated_job_test
