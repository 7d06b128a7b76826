// The resource manager and its leases, told as stories: nodes are leased and taken back, fences refuse what is old, and
// nodes count as clean when nothing runs on them.
#include <doctest/doctest.h>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace dmm::resource_manager_leases_test {

using namespace resmgr_stage;

TEST_CASE("resource manager: nodes are clean when nothing runs on them any more") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {{2, 3}}, {}, {}});
  CHECK(stage.said<Clean>(owner).at(0).nodes == NodeSet{{2, 3}});
  // Only node 0 is taken back, but the task there also holds node 1: the whole task ends.
  stage.hear(owner, Unassign{lease(1), {{0, 0}}, seconds(300), {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(300));
  stage.hear(owner, Unassign{lease(1), {}, seconds(1), {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(1));  // sooner: ordered again
  CHECK(stage.said<Clean>(owner).empty());
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  const auto cleans = stage.said<Clean>(owner);
  REQUIRE(cleans.size() == 2);
  CHECK(cleans[0].nodes == NodeSet{{0, 0}});
  CHECK(cleans[1].nodes == NodeSet{{1, 1}});
  CHECK(stage.manager.view().nodes_free == 8);
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});  // unknown by now
  CHECK(stage.said<Clean>(owner).at(0).lease == lease(1));
}

TEST_CASE("resource manager: an Unassign said twice while a task ends is answered twice, never early") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  CHECK(stage.said<Clean>(owner).empty());
  stage.end(job(1));
  CHECK(stage.said<Clean>(owner).size() == 2);
}

TEST_CASE("resource manager: parked Starts of a lease that is taken back fail") {
  Stage stage = Stage::running();
  stage.hear(alice, Stop{job(1), seconds(10)});
  stage.hear(alice, start(lease(1), job(2), {{0, 0}}));
  stage.forget_effects();
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  const Ended outcome = stage.outcome();
  CHECK(outcome.request == job(2));
  CHECK(outcome.fault == StartFault::no_lease);
}

TEST_CASE("resource manager: the fence refuses a lease older than what a node has seen") {
  Stage stage = Stage::in_contact();
  stage.hear(owner, Assign{lease(5), {{0, 3}}, alice.site});
  stage.hear(owner, Unassign{lease(5), {}, {}, {}});
  stage.forget_effects();
  Level level = Level::warning;
  SUBCASE("an earlier lease") { stage.hear(owner, Assign{lease(4), {{3, 4}}, bob.site}); }
  SUBCASE("the same lease after its end") {
    stage.hear(owner, Assign{lease(5), {{0, 3}}, alice.site});
    level = Level::info;  // its owner may have been away
  }
  SUBCASE("a node that doesn't exist") { stage.hear(owner, Assign{lease(6), {{7, 8}}, bob.site}); }
  SUBCASE("no nodes") { stage.hear(owner, Assign{lease(6), {}, bob.site}); }
  SUBCASE("a lease of another site") { stage.hear(owner, Assign{{bob.site, {1, 6}}, {{0, 3}}, bob.site}); }
  const auto answers = stage.said<LeaseEnded>(owner);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reason == LeaseEnd::unknown);
  CHECK(answers[0].confirmed);
  CHECK(stage.logged(level, "refuse"));
  CHECK(stage.manager.view().leases.empty());
}

TEST_CASE("resource manager: nodes that an absurd epoch has fenced are set aside, and told so [S132a]") {
  Stage stage = Stage::in_contact();
  const LeaseId absurd{home, {UINT64_MAX, UINT64_MAX}};
  stage.hear(owner, Assign{absurd, {{0, 3}}, alice.site});
  stage.hear(owner, Unassign{absurd, {}, {}, {}});
  stage.forget_effects();
  stage.hear(owner, Assign{lease(4), {{2, 5}}, bob.site});
  CHECK(stage.said<LeaseEnded>(owner).size() == 1);
  CHECK(stage.said<SetAside>(owner).empty());  // it may be a lease from before, which its owner found again
  stage.hear(owner, Assign{lease(4), {{2, 5}}, bob.site});
  CHECK(stage.said<SetAside>(owner).empty());
  stage.hear(owner, Assign{lease(5), {{2, 5}}, bob.site});
  const auto aside = stage.said<SetAside>(owner);
  REQUIRE(aside.size() == 1);
  CHECK(aside[0].nodes == NodeSet{{2, 3}});
  CHECK_FALSE(aside[0].back);
  CHECK(aside[0].text ==
        "had a lease of start 18446744073709551615 of its site, which is at 1: is its directory an older copy?");
  stage.forget_effects();
  stage.hear(owner, Assign{lease(6), {{3, 3}}, bob.site});
  CHECK(stage.said<SetAside>(owner).empty());
  stage.hear(owner, Assign{lease(7), {{4, 5}}, bob.site});  // the others serve
  CHECK(stage.manager.view().leases.size() == 1);
}

TEST_CASE("resource manager: work that goes on detached is taken back by the lease of an owner that forgot it") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {}, {}, seconds(3600)});
  stage.hear(owner, Unassign{lease(9), {{0, 3}}, {}, seconds(3600)});  // the owner's name for it since its restart
  CHECK(stage.ordered<EndTask>().empty());
  stage.hear(owner, Unassign{lease(9), {{0, 3}}, seconds(5), {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(5));
  CHECK(stage.said<Clean>(owner).empty());
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK(stage.said<Clean>(owner).size() >= 1);
}

TEST_CASE("resource manager: no lease comes where a later one was already taken back") {
  Stage stage = Stage::leased();
  stage.hear(owner, Unassign{lease(3), {{0, 0}}, {}, {}});  // never assigned, but promised all the same
  stage.hear(owner, Assign{lease(1), {{0, 4}}, alice.site});
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  stage.hear(owner, Assign{lease(3), {{0, 0}}, bob.site});
  stage.hear(owner, Assign{lease(2), {{0, 0}}, bob.site});
  CHECK(stage.said<LeaseEnded>(owner).size() == 2);
  CHECK(stage.manager.view().nodes_free == 8);
}

TEST_CASE("resource manager: a refusal doesn't confirm while a task of the lease is still ending") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {}, seconds(10), {}});
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site});
  CHECK_FALSE(stage.said<LeaseEnded>(owner).at(0).confirmed);
}

TEST_CASE("resource manager: an Assign said again changes nothing") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site});
  CHECK(stage.effects.messages.empty());
  CHECK(stage.effects.tasks.empty());
  CHECK(stage.manager.view().leases.size() == 1);
}

TEST_CASE("resource manager: a newer lease drives an older one from its nodes, and starts when they are clean") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(2), {{1, 2}}, bob.site});
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  stage.hear(bob, start(lease(2), job_of(bob, 1), {{1, 2}}));
  stage.wait(seconds(20));  // longer than a Start waits for its lease
  CHECK(stage.ordered<StartTask>().empty());
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  CHECK(stage.said<Clean>(owner).empty());
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK(stage.said<Clean>(owner).at(0).nodes == NodeSet{{0, 0}, {3, 3}});
  CHECK(stage.ordered<StartTask>().at(0).id.request == job_of(bob, 1));
}

TEST_CASE("resource manager: nodes aren't clean while a task of an older lease still ends there") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(2), {{1, 2}}, bob.site});
  stage.hear(owner, Unassign{lease(2), {}, {}, {}});
  CHECK(stage.said<Clean>(owner).empty());
  stage.end(job(1));
  CHECK(stage.said<Clean>(owner).at(0).lease == lease(2));
}

}  // namespace dmm::resource_manager_leases_test
