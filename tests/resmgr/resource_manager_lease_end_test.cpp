// How a lease ends without an order of its owner, told as stories: it was unused for too long, or the only component
// that it was for has ended.
#include <doctest/doctest.h>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace dmm::resource_manager_lease_end_test {

using namespace resmgr_stage;

TEST_CASE("resource manager: a lease without a job goes back to its owner") {
  Stage stage = Stage::leased();
  stage.wait(milliseconds(9'999));
  CHECK(stage.said<LeaseEnded>(owner).empty());
  stage.wait(milliseconds(1));
  const auto said = stage.said<LeaseEnded>(owner);
  REQUIRE(said.size() == 1);
  CHECK(said[0].lease == lease(1));
  CHECK(said[0].nodes.empty());
  CHECK(said[0].reason == LeaseEnd::idle);
  CHECK(said[0].confirmed);
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  CHECK(stage.said<Clean>(owner).size() == 1);
  stage.wait(seconds(100));
  CHECK(stage.said<LeaseEnded>(owner).empty());
}

TEST_CASE("resource manager: a lease for one component ends with it, and its owner hears so unasked [S127b]") {
  Stage stage = Stage::in_contact();
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true, true});
  stage.hear(alice, start(lease(1), job(1), {{0, 3}}));
  stage.put(TaskStarted{{job(1), 0}, 4711});
  CHECK(stage.said<Clean>(owner).empty());
  stage.end(job(1), 3);
  const auto said = stage.said<Clean>(owner);
  REQUIRE(said.size() == 1);
  CHECK(said[0].lease == lease(1));
  CHECK(said[0].nodes.empty());
  CHECK(stage.outcome().gave_back);
  CHECK(stage.manager.view().leases.empty());
  stage.hear(alice, start(lease(1), job(3), {{0, 3}}));
  CHECK(stage.said<Ended>(alice).back().fault == StartFault::no_lease);
  SUBCASE("asked all the same, it says so again") {
    stage.hear(owner, Unassign{lease(1), {{0, 3}}, {}, {}});
    CHECK(stage.said<Clean>(owner).size() == 1);
  }
  SUBCASE(
      "assigned again by an owner that forgot, it is refused, and whether the job manager knows is left open") {
    stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true, true});
    const auto ended = stage.said<LeaseEnded>(owner);
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].reason == LeaseEnd::unknown);
    CHECK_FALSE(ended[0].confirmed);
  }
  SUBCASE("the outcome says the same when it is asked for again, also after a restart") {
    stage.restart({});
    stage.forget_effects();
    stage.hear(alice, start(lease(1), job(1), {{0, 3}}));
    CHECK(stage.outcome().gave_back);
  }
}

TEST_CASE(
    "resource manager: a lease for one component outlives a job that never ran, and one that isn't alone there") {
  Stage stage = Stage::in_contact();
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true, true});
  SUBCASE("its program is missing: that is told before anything is started") {
    Start nothing = start(lease(1), job(1), {{0, 3}});
    nothing.program.arguments.clear();
    stage.hear(alice, nothing);
    CHECK_FALSE(stage.outcome().gave_back);
  }
  SUBCASE("another task runs on other nodes of it") {
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    stage.hear(alice, start(lease(1), job(2), {{2, 3}}));
    stage.end(job(1));
    CHECK_FALSE(stage.outcome().gave_back);
    CHECK(stage.said<Clean>(owner).empty());
    stage.end(job(2));
  }
  SUBCASE("it was taken back before: that is answered") {
    stage.hear(alice, start(lease(1), job(1), {{0, 3}}));
    stage.hear(owner, Unassign{lease(1), {{0, 3}}, {}, {}});
    stage.end(job(1));
    CHECK_FALSE(stage.outcome().gave_back);
  }
  stage.forget_effects();
  CHECK(stage.manager.view().tasks.size() >= 1);
}

TEST_CASE("resource manager: what waits, runs or ends under a lease keeps it") {
  Stage stage = Stage::running();
  stage.wait(seconds(50));
  stage.hear(alice, Stop{job(1), seconds(40)});
  stage.wait(seconds(30));
  stage.hear(alice, start(lease(1), job(2), {{0, 3}}));  // parked
  stage.end(job(1));
  stage.put(TaskStarted{{job(2), 0}, 4712});
  stage.wait(seconds(50));
  stage.end(job(2));
  stage.wait(milliseconds(9'999));
  CHECK(stage.said<LeaseEnded>(owner).empty());
  SUBCASE("its last outcome is with the job manager: the end is confirmed") {
    stage.hear(alice, Forget{job(1)});
    stage.hear(alice, Forget{job(2)});
    stage.wait(milliseconds(1));
    CHECK(stage.said<LeaseEnded>(owner).at(0).confirmed);
  }
  SUBCASE("or may not be") {
    stage.wait(milliseconds(1));
    CHECK_FALSE(stage.said<LeaseEnded>(owner).at(0).confirmed);
  }
  SUBCASE("the next job came just in time") {
    stage.hear(alice, start(lease(1), job(3), {{0, 1}}));
    stage.wait(seconds(50));
    CHECK(stage.said<LeaseEnded>(owner).empty());
  }
}

TEST_CASE("resource manager: a lease waits as long for its job as older work holds its nodes") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(2), {{0, 1}}, bob.site, true});  // job 1 is killed first
  stage.wait(seconds(50));
  CHECK(stage.said<LeaseEnded>(owner).empty());
  stage.end(job(1));
  stage.wait(seconds(10));
  const auto said = stage.said<LeaseEnded>(owner);
  REQUIRE(said.size() == 2);
  CHECK(said[0].lease == lease(1));  // this lease still has nodes 2-3
  CHECK(said[1].lease == lease(2));
}

TEST_CASE(
    "resource manager: of a lease that may be used elsewhere the owner is told that it is idle, each minute") {
  Stage stage;
  stage.put(LinkUp{owner, true, {}, {}});
  Assign far{lease(1), {{0, 3}}, alice.site, false};
  far.patience = seconds(20);
  stage.hear(owner, far);
  stage.wait(seconds(69));  // the longest idle time of a lease, and three round trips to its holder
  CHECK(stage.said<LeaseEnded>(owner).empty());
  stage.wait(seconds(2));
  const auto said = stage.said<LeaseEnded>(owner);
  REQUIRE(said.size() == 1);
  CHECK(said[0].reason == LeaseEnd::idle);
  CHECK_FALSE(said[0].confirmed);
  REQUIRE(said[0].nodes.size() == 1);
  CHECK(said[0].nodes[0].nodes == NodeSet{{0, 3}});
  stage.wait(seconds(120));
  CHECK(stage.said<LeaseEnded>(owner).size() == 2);
  stage.hear(alice, start(lease(1), job(1), {{0, 3}}));
  CHECK(stage.ordered<StartTask>().size() == 1);
}

TEST_CASE("resource manager: idle leases may be kept for ever") {
  Stage stage;
  ResourceManagerSettings settings = settings_of_8_nodes();
  settings.idle_lease_max = Duration{};
  stage.manager = ResourceManager(settings);
  stage.put(LinkUp{owner, true, {}, {}});
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true});
  stage.wait(seconds(1000));
  CHECK(stage.said<LeaseEnded>(owner).empty());
}

}  // namespace dmm::resource_manager_lease_end_test
