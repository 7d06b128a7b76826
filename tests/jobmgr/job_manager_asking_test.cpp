// The job manager asks its site, and gets a grant that differs from its request or is of no use.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_asking_test {

using namespace dmm;
using namespace dmm::job_stage;

TEST_CASE("asking: a grant of other nodes than were asked for is given back, and the job asks once more") {
  Stage stage;
  stage.submit({sleeper({2, 2})});
  std::vector<NodeGroup> nodes;
  SUBCASE("a component is missing") { nodes = {group(fs0, {0, 0})}; }
  SUBCASE("one is too small") {
    stage.submit({sleeper({4})});
    nodes = {group(fs0, {0, 0}), group(fs1, {0, 0}, 1)};
    nodes[1].processors_per_node = 1;
  }
  SUBCASE("one is too large") { nodes = {group(fs0, {0, 3}), group(fs1, {0, 0}, 1)}; }
  SUBCASE("a component that wasn't asked for") {
    nodes = {group(fs0, {0, 0}), group(fs1, {0, 0}, 1), group(fs1, {1, 1}, 2)};
  }
  SUBCASE("a number that would take all memory") { nodes = {group(fs0, {0, 0}), group(fs1, {0, 0}, UINT32_MAX)}; }
  stage.said<Request>(site);
  stage.hear(site, grant(request(1), nodes));
  const auto released = stage.said<Release>(site);
  REQUIRE(released.size() == 1);
  CHECK(released[0].failed);
  const auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == request(1, 2));
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->reruns == 0);
}

TEST_CASE("asking: an unanswered Start is given up, its nodes go back as bad, and the job asks once more") {
  Stage stage;
  stage.submit({sleeper()});
  Grant far = grant(request(1), {group(fs0, {0, 1})});
  far.round_trip = seconds(10);
  stage.hear(site, far);
  CHECK(stage.said<Start>(fs0).size() == 1);
  stage.pass(seconds(139));  // the limit, and two round trips
  CHECK(stage.said<Release>(site).empty());
  stage.pass(seconds(2));
  const auto released = stage.said<Release>(site);
  REQUIRE(released.size() == 1);
  CHECK(released[0].failed);
  CHECK(stage.said<Stop>(fs0).size() == 1);
  stage.hear(fs0, ended(request(1), EndKind::stopped));
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->attempt == 2);
}

TEST_CASE("asking: waiting jobs are asked for a piece at a time, and not while the site takes nothing") {
  Stage stage;
  std::vector<JobDescription> jobs(2'500, sleeper());
  stage.take(LinkPressed{site, true});
  stage.submit(jobs);
  CHECK(stage.said<Request>(site).empty());
  stage.take(LinkPressed{site, false});
  CHECK(stage.said<Request>(site).size() == 1'000);
  CHECK(stage.manager.next_deadline() <= stage.now);
  stage.settle();
  stage.settle();
  const auto rest = stage.said<Request>(site);
  REQUIRE(rest.size() == 1'500);
  CHECK(rest.front().id == request(1'001));
  CHECK(rest.back().id == request(2'500));
  CHECK(stage.manager.next_deadline() > stage.now);
  stage.up(site, true);  // everything again
  stage.settle();
  stage.settle();
  CHECK(stage.said<Request>(site).size() == 2'500);
}

}  // namespace job_manager_asking_test
