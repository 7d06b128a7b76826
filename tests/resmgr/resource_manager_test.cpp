// The resource manager, told as stories: its owner leases nodes to borrowers, job managers start tasks on them, links
// fail, and the nodes come back clean. resource_manager_random_test.cpp drives it in any order.
#include <doctest/doctest.h>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace dmm::resource_manager_test {

using namespace resmgr_stage;

TEST_CASE("resource manager: offers its nodes when its site manager comes into contact") {
  Stage stage;
  stage.put(LinkUp{owner, true, {}, {}});
  const auto offers = stage.said<Register>(owner);
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].cluster == ClusterName{"fs1"});
  CHECK(offers[0].nodes == 8);
  CHECK(offers[0].processors_per_node == 2);
  CHECK(offers[0].leases.empty());

  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site});
  stage.put(LinkDown{owner});
  CHECK_FALSE(stage.manager.view().registered);
  stage.put(LinkUp{owner, false, {}, {}});
  CHECK(stage.said<Register>(owner).at(0).leases == std::vector{lease(1)});
  CHECK(stage.manager.view().registered);
}

TEST_CASE("resource manager: a task that awaits its Go says how it is reached, and goes when it is told [S137c]") {
  Stage stage = Stage::leased();
  stage.hear(alice, Go{job(1), 0, {}});  // there is no such task
  Start order = start(lease(1), job(1), {{0, 1}});
  order.program.awaits_go = true;
  stage.hear(alice, order);
  CHECK(stage.ordered<StartTask>().at(0).program.awaits_go);
  stage.hear(alice, Go{job(1), 0, {}});  // it isn't ready
  CHECK(stage.ordered<GoTask>().empty());
  stage.put(TaskStarted{{job(1), 0}, 4711, {}, "10.0.0.7:40121/5f3a"});
  CHECK(stage.said<Started>(alice).at(0).contact == "10.0.0.7:40121/5f3a");
  stage.hear(alice, Go{job(1), 0, {Part{0, 2, 4, "10.0.0.7:40121/5f3a"}}});
  REQUIRE(stage.ordered<GoTask>().size() == 1);
  stage.end(job(1), 0);
  stage.hear(alice, Go{job(1), 0, {}});
  CHECK(stage.ordered<GoTask>().empty());
}

TEST_CASE("resource manager: a job starts, runs, ends, is fetched and forgotten") {
  Stage stage = Stage::leased();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  REQUIRE(stage.effects.tasks.size() == 2);
  CHECK(std::holds_alternative<KeepTasks>(stage.effects.tasks[0]));  // before there is a task to keep
  CHECK(stage.ordered<StartTask>().at(0).program.arguments.at(0) == "hostname");
  CHECK(stage.said<Started>(alice).empty());

  stage.put(TaskStarted{{job(1), 0}, 4711});
  CHECK(stage.said<Started>(alice).at(0).process == 4711);
  CHECK(stage.logged(Level::info, "started"));
  const ResourceManagerView busy = stage.manager.view();
  CHECK(busy.nodes_free == 4);
  CHECK(busy.leases.at(0).holder == alice.site);
  CHECK(busy.leases.at(0).tasks == 1);
  CHECK(busy.tasks.at(0).state == TaskState::running);
  CHECK(busy.tasks.at(0).process == 4711);

  stage.end(job(1), 3);
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == EndKind::exited);
  CHECK(outcome.code == 3);
  CHECK(outcome.wall == seconds(7));
  CHECK(stage.logged(Level::info, "ended"));

  stage.hear(alice, Fetch{job(1), 0, Stream::error, 100});
  stage.hear(alice, Fetch{job(1), 0, Stream::error, 100});
  CHECK(stage.ordered<ReadOutput>().size() == 1);
  stage.put(OutputRead{{job(1), 0}, Stream::error, 100, "text", 104});
  stage.put(OutputRead{{job(1), 0}, Stream::error, 100, "text", 104});
  const auto chunks = stage.said<Chunk>(alice);
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].data == "text");
  CHECK(chunks[0].last);

  stage.hear(alice, Forget{job(1)});
  CHECK(stage.ordered<RemoveTask>().size() == 1);
  CHECK(stage.manager.view().tasks.empty());
  CHECK(stage.manager.view().counts.started == 1);
  CHECK(stage.manager.view().counts.ended == 1);
}

TEST_CASE("resource manager: a Start that overtook its Assign waits for a term") {
  Stage stage = Stage::in_contact();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  stage.hear(alice, start(lease(2), job(2), {{4, 4}}));
  stage.wait(seconds(1));
  CHECK(stage.effects.messages.empty());
  stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site});
  CHECK(stage.ordered<StartTask>().at(0).id.request == job(1));
  stage.wait(seconds(28));
  CHECK(stage.effects.messages.empty());
  stage.wait(seconds(1));
  const Ended late = stage.outcome();
  CHECK(late.request == job(2));
  CHECK(late.kind == EndKind::start_failed);
  CHECK(late.fault == StartFault::no_lease);
  CHECK(stage.manager.view().counts.failed == 1);
}

TEST_CASE("resource manager: starts only on nodes of the lease that nothing runs on") {
  Stage stage = Stage::running();
  SUBCASE("a job runs there") {
    stage.hear(alice, start(lease(1), job(2), {{1, 2}}));
    CHECK(stage.outcome().fault == StartFault::nodes_busy);
    CHECK(stage.logged(Level::warning, "refuse"));
  }
  SUBCASE("no such nodes") {
    stage.hear(alice, start(lease(1), job(2), {{3, 8}}));
    CHECK(stage.outcome().fault == StartFault::no_lease);
  }
  SUBCASE("nodes of another lease") {
    stage.hear(owner, Assign{lease(2), {{4, 7}}, bob.site});
    stage.hear(alice, start(lease(1), job(2), {{3, 4}}));
    CHECK(stage.outcome().fault == StartFault::no_lease);
  }
  SUBCASE("a lease of another owner") {
    stage.hear(alice, start({SiteName{"das-9"}, {1, 1}}, job(2), {{2, 3}}));
    CHECK(stage.outcome().fault == StartFault::no_lease);
  }
  SUBCASE("no program") {
    Start nothing = start(lease(1), job(2), {{2, 3}});
    nothing.program.arguments.clear();
    stage.hear(alice, nothing);
    const Ended outcome = stage.outcome();
    CHECK(outcome.kind == EndKind::start_failed);
    CHECK_FALSE(outcome.text.empty());
  }
  CHECK(stage.ordered<StartTask>().empty());
}

TEST_CASE("resource manager: a Start said again is answered again") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.said<Started>(alice).size() == 1);
  stage.end(job(1), 5);
  CHECK(stage.outcome().code == 5);
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.outcome().code == 5);
  CHECK(stage.ordered<StartTask>().empty());
}

TEST_CASE("resource manager: what the backend can't start is told with its reason") {
  Stage stage = Stage::leased();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  TaskEnded report;
  report.id = {job(1), 0};
  report.kind = EndKind::start_failed;
  report.fault = StartFault::executable_missing;
  report.text = "no hostname";
  stage.put(report);
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == EndKind::start_failed);
  CHECK(outcome.fault == StartFault::executable_missing);
  CHECK(outcome.text == "no hostname");
  CHECK(stage.said<Started>(alice).empty());
}

TEST_CASE("resource manager: a later attempt waits for the end of the earlier one") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(1), job(1, 2), {{2, 3}}));
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  CHECK(stage.ordered<StartTask>().empty());
  stage.wait(seconds(5));
  stage.end_killed(job(1, 1));
  CHECK(stage.outcome().kind == EndKind::stopped);
  CHECK(stage.ordered<StartTask>().at(0).id.request == job(1, 2));
  stage.hear(alice, Forget{job(1, 1)});
  stage.hear(alice, start(lease(1), job(1, 1), {{0, 1}}));  // comes late after all
  CHECK(stage.outcome().kind == EndKind::stopped);
}

TEST_CASE("resource manager: a later attempt under another lease starts when the earlier one has ended") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(2), {{6, 7}}, alice.site});
  stage.hear(alice, start(lease(2), job(1, 2), {{6, 6}}));
  CHECK(stage.ordered<StartTask>().empty());
  stage.end(job(1, 1));
  CHECK(stage.ordered<StartTask>().at(0).id.request == job(1, 2));
}

TEST_CASE("resource manager: Stop ends all components, parked ones too, and the next job waits for them") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(1), job(1), {{2, 2}}, 1));
  stage.hear(alice, start(lease(9), job(1), {{7, 7}}, 2));
  stage.forget_effects();
  stage.hear(alice, Stop{job(1), seconds(10)});
  CHECK(stage.ordered<EndTask>().size() == 2);
  CHECK(stage.outcome().component == 2);
  stage.hear(alice, Stop{job(1), seconds(20)});  // no sooner: not ordered again
  CHECK(stage.ordered<EndTask>().empty());
  stage.outcome();  // component 2 is over, and told again
  stage.hear(alice, start(lease(1), job(2), {{1, 2}}));
  stage.wait(seconds(5));
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::stopped);
  CHECK(stage.ordered<StartTask>().empty());
  stage.end(job(1), 0, 1);
  CHECK(stage.ordered<StartTask>().at(0).id.request == job(2));
}

TEST_CASE("resource manager: Stop of an unknown request is answered") {
  Stage stage = Stage::in_contact();
  stage.hear(alice, Stop{job(7), {}});
  const Ended outcome = stage.outcome();
  CHECK(outcome.request == job(7));
  CHECK(outcome.kind == EndKind::stopped);
}

TEST_CASE("resource manager: each may say only what is theirs") {
  Stage stage = Stage::running();
  stage.hear(bob, start(lease(1), job(2), {{2, 3}}));
  stage.hear(bob, Stop{job(1), {}});
  stage.hear(bob, Fetch{job(1), 0, Stream::output, 0});
  stage.hear(bob, Forget{job(1)});
  stage.hear(bob, Unassign{lease(1), {}, {}, {}});
  stage.hear(bob, Fault{1, "a Fault is never answered"});
  CHECK(stage.said<Fault>(bob).size() == 5);
  stage.hear(owner, Stop{job(1), {}});
  CHECK(stage.said<Fault>(owner).size() == 1);
  CHECK(stage.effects.messages.empty());
  CHECK(stage.effects.tasks.empty());
}

TEST_CASE("resource manager: a lease for one user can't be used, or kept from that user, by another") {
  Stage stage = Stage::in_contact();
  const Party mallory = job_manager_of(alice.site, "mallory");
  stage.put(LinkUp{mallory, true, {}, {}});
  const auto assign = [&] { stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true, true, alice.name}); };
  const auto try_it = [&](const Party& thief) { stage.hear(thief, start(lease(1), job_of(thief, 1), {{0, 1}})); };
  SUBCASE("when it was assigned before") {
    assign();
    try_it(mallory);
  }
  SUBCASE("when the thief guessed it before it was assigned") {
    try_it(mallory);
    CHECK(stage.said<Ended>(mallory).empty());
    assign();
  }
  CHECK(stage.outcome(mallory).fault == StartFault::no_lease);
  CHECK(stage.ordered<StartTask>().empty());
  try_it(bob);  // of another site
  CHECK(stage.outcome(bob).fault == StartFault::no_lease);
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.ordered<StartTask>().size() == 1);
  CHECK(stage.said<LeaseEnded>(owner).empty());
}

TEST_CASE("resource manager: a restarted site manager ends nothing, and is told what is there") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {{0, 0}}, seconds(300), {}});
  stage.hear(alice, start(lease(1), job(2), {{2, 2}}));
  stage.forget_effects();
  stage.put(LinkUp{owner, true, {}, {}});
  CHECK(stage.ordered<EndTask>().empty());
  const Register offer = stage.said<Register>(owner).at(0);
  CHECK(offer.leases == std::vector{lease(1)});
  CHECK(offer.leased.at(0) == NodeSet{{1, 3}});
  CHECK(offer.dirty == NodeSet{{0, 0}});
  // The owner doesn't remember the answers, so it orders again: both orders are answered.
  stage.hear(owner, Unassign{lease(1), {{0, 0}}, {}, {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK(stage.said<Clean>(owner).size() == 2);
}

TEST_CASE(
    "resource manager: ends work by itself only when both the owner and the job manager are silent for a term") {
  Stage stage = Stage::running();
  stage.put(LinkDown{alice});
  stage.wait(seconds(100));
  stage.put(LinkUp{alice, false, {}, {}});
  stage.put(LinkDown{owner});
  stage.wait(seconds(100));
  CHECK(stage.ordered<EndTask>().empty());  // only one of the two: the job runs on
  stage.put(LinkDown{alice});
  stage.wait(milliseconds(29'999));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(milliseconds(1));
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  CHECK(stage.logged(Level::warning, "lost_contact"));
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lost_contact);
  CHECK(stage.manager.view().leases.at(0).closed);

  stage.put(LinkUp{alice, false, {}, {}});
  stage.hear(alice, start(lease(1), job(2), {{0, 1}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  stage.put(LinkUp{owner, false, {}, {}});
  CHECK(stage.said<Register>(owner).at(0).leases == std::vector{lease(1)});
  stage.hear(owner, Unassign{lease(1), {}, {}, {}});
  CHECK(stage.said<Clean>(owner).size() == 1);
}

TEST_CASE("resource manager: what came to its end before it was killed has ended by itself [S139a]") {
  Stage stage = Stage::running();
  EndKind expected = EndKind::exited;
  SUBCASE("its lease was closed by a manager that had been stopped meanwhile") {
    stage.put(LinkDown{owner});
    stage.put(LinkDown{alice});
    stage.wait(seconds(30));
  }
  SUBCASE("its lease was taken back at once") { stage.hear(owner, Unassign{lease(1), {}, {}, {}}); }
  SUBCASE("but an exit after a SIGTERM may be the answer to that") {
    stage.hear(owner, Unassign{lease(1), {}, seconds(5), {}});
    stage.hear(owner, Unassign{lease(1), {}, {}, {}});
    expected = EndKind::lease_ended;
  }
  SUBCASE("and what the job manager stops is stopped") {
    stage.hear(alice, Stop{job(1), {}});
    expected = EndKind::stopped;
  }
  CHECK(stage.ordered<EndTask>().size() >= 1);
  stage.end(job(1), 3);
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == expected);
  CHECK(outcome.code == 3);
}

TEST_CASE("resource manager: what heeds a warning and ends with exit status 0 has done its work [S139a]") {
  Stage stage = Stage::running();
  SUBCASE("its owner reclaims its nodes") { stage.hear(owner, Unassign{lease(1), {}, seconds(5), {}}); }
  SUBCASE("its job manager stops it, since they are reclaimed") { stage.hear(alice, Stop{job(1), seconds(5)}); }
  stage.end(job(1), 0);
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == EndKind::exited);
  CHECK(outcome.code == 0);
}

TEST_CASE("resource manager: the term of lost contact counts from when the second of the two fell silent") {
  Stage stage = Stage::running();
  bool owner_first = false;
  SUBCASE("the job manager") {}
  SUBCASE("the owner") { owner_first = true; }
  stage.put(LinkDown{owner_first ? owner : alice});
  stage.wait(seconds(100));
  stage.put(LinkDown{owner_first ? alice : owner});
  stage.wait(milliseconds(29'999));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(milliseconds(1));
  CHECK(stage.ordered<EndTask>().size() == 1);
}

TEST_CASE("resource manager: silence counts from the last word, not from when it was noticed") {
  Stage stage = Stage::running();
  stage.wait(seconds(20));
  stage.put(LinkDown{owner, seconds(3)});
  stage.put(LinkDown{alice, seconds(9)});
  stage.wait(seconds(26));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(seconds(2));  // a term after the later of the two was heard
  CHECK(stage.ordered<EndTask>().size() == 1);
}

TEST_CASE("resource manager: what is being killed already doesn't close its lease") {
  Stage stage = Stage::running();
  stage.hear(alice, Stop{job(1), {}});
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.wait(seconds(60));
  CHECK_FALSE(stage.manager.view().leases.at(0).closed);
}

TEST_CASE("resource manager: lost contact doesn't wait for the end of a grace, nor touch what is heard") {
  Stage stage = Stage::running();
  stage.put(LinkUp{bob, true, {}, {}});
  stage.hear(owner, Assign{lease(2), {{4, 5}}, bob.site});
  stage.hear(bob, start(lease(2), job_of(bob, 1), {{4, 4}}));
  stage.hear(owner, Unassign{lease(1), {}, seconds(300), {}});
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.forget_effects();
  stage.wait(seconds(60));
  const auto ends = stage.ordered<EndTask>();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].id.request == job(1));
  CHECK(ends[0].grace == Duration{});
}

TEST_CASE("resource manager: keeps its tasks alive every quarter of a term, while there are any") {
  Stage stage = Stage::running();
  stage.wait(seconds(30));
  const auto keeps = stage.ordered<KeepTasks>();
  REQUIRE(keeps.size() == 4);
  CHECK(keeps[0].length == seconds(30));
  stage.end(job(1));
  stage.forget_effects();
  stage.wait(seconds(300));
  CHECK(stage.ordered<KeepTasks>().empty());
}

TEST_CASE("resource manager: a shutdown ends what runs and starts nothing more") {
  Stage stage = Stage::running();
  CHECK_FALSE(stage.manager.stop_all(stage.now, seconds(5), stage.effects));
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(5));
  stage.hear(alice, start(lease(1), job(2), {{2, 3}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK(stage.manager.stop_all(stage.now, seconds(5), stage.effects));
}

TEST_CASE("resource manager: nodes that are given back are reclaimed, and no job is charged [S128a]") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(7), job(2), {{2, 3}}));  // parked: its lease isn't assigned yet
  stage.forget_effects();
  CHECK_FALSE(stage.manager.hand_back(stage.now, seconds(5), "wanted by others", stage.effects));
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(5));
  CHECK(stage.outcome().text == "wanted by others");
  const auto aside = stage.said<SetAside>(owner);
  REQUIRE(aside.size() == 1);
  CHECK_FALSE(aside[0].back);
  CHECK(aside[0].text == "wanted by others");
  const auto ended = stage.said<LeaseEnded>(owner);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].lease == lease(1));
  CHECK(ended[0].reason == LeaseEnd::reclaimed);
  CHECK(ended[0].grace == seconds(5));
  CHECK_FALSE(ended[0].confirmed);
  stage.end_killed(job(1));
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == EndKind::lease_ended);
  CHECK(outcome.lease_end == LeaseEnd::reclaimed);
  SUBCASE("the owner takes the lease away") {
    CHECK_FALSE(stage.manager.hand_back(stage.now, seconds(5), "wanted by others", stage.effects));
    CHECK(stage.said<LeaseEnded>(owner).empty());  // said once
    stage.hear(owner, Unassign{lease(1), {}, seconds(5), {}, LeaseEnd::reclaimed});
    CHECK(stage.said<Clean>(owner).size() == 1);
  }
  SUBCASE("the owner is out of reach") { stage.put(LinkDown{owner, {}, {}, false}); }
  CHECK(stage.manager.hand_back(stage.now, seconds(5), "wanted by others", stage.effects));
}

TEST_CASE("resource manager: no grace is so long that time overflows") {
  Stage stage = Stage::running();
  stage.hear(alice, Stop{job(1), Duration{INT64_MAX}});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(24 * 3600));
  stage.hear(owner, Unassign{lease(1), {}, Duration{INT64_MIN}, {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
}

TEST_CASE("resource manager: its site hears that files came ahead of a job, or why they can't [S88f]") {
  Stage stage = Stage::in_contact();
  ResourceManagerSettings keeping = settings_of_8_nodes();
  keeping.jobs.kept_files.folder = "/kept";
  stage.manager = ResourceManager(keeping);
  InputFiles files;
  files.push_back({"f", {{"http://h/f", home}}, 7, ShortText(std::string(64, '5'))});
  stage.manager.receive(stage.now, Received{owner, Prefetch{job(1), home, keeping.cluster, {home}, files}, {}, {}},
                        stage.effects);
  const auto fetched = stage.ordered<FetchFiles>();
  REQUIRE(fetched.size() == 1);
  for (const char* const text : {"", "no room"}) {
    stage.forget_effects();
    stage.manager.receive(stage.now, FilesFetched{job(1), fetched[0].path, text}, stage.effects);
    const auto told = stage.said<Prefetched>(owner);
    REQUIRE(told.size() == 1);
    CHECK(told[0].cluster == keeping.cluster);
    CHECK(told[0].path == std::vector<SiteName>{home});
    CHECK(told[0].text.view() == text);
  }
}

}  // namespace dmm::resource_manager_test
