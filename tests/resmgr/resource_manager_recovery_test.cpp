// The resource manager across restarts, its own and its owner's: what it finds again, what is lost, and what goes on
// under a lease that is over.
#include <doctest/doctest.h>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace dmm::resource_manager_recovery_test {

using namespace resmgr_stage;

namespace {

const LivingTask job_1{{job(1), 0}, 4711};

Unassign detached(Duration limit, NodeSet nodes = {}) { return {lease(1), std::move(nodes), {}, limit}; }

}  // namespace

// ---- restarts of the manager -----------------------------------------------------------------------------------

TEST_CASE("resource manager: what runs goes on across a restart") {
  Stage stage = Stage::running();
  stage.wait(seconds(10));
  stage.forget_effects();
  stage.restart_in_contact({job_1});
  CHECK(stage.logged(Level::info, "restore"));
  const Register offer = stage.said<Register>(owner).at(0);
  CHECK(offer.leases == std::vector{lease(1)});
  CHECK(offer.leased.at(0) == NodeSet{{0, 3}});
  CHECK(offer.dirty.empty());
  CHECK(stage.ordered<EndTask>().empty());
  CHECK(stage.ordered<KeepTasks>().size() == 1);

  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.said<Started>(alice).at(0).process == 4711);
  stage.put(TaskStarted{{job(1), 0}, 4711});  // the backend says it again
  CHECK(stage.said<Started>(alice).empty());
  stage.hear(alice, start(lease(1), job(2), {{1, 2}}));
  CHECK(stage.outcome().fault == StartFault::nodes_busy);
  stage.end(job(1), 3);
  CHECK(stage.outcome().code == 3);
  CHECK(stage.manager.view().leases.at(0).holder == alice.site);
}

TEST_CASE(
    "resource manager: what exited before lost contact could kill it has exited, also across a restart [S139a]") {
  Stage stage = Stage::running();
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.wait(seconds(30));
  REQUIRE(stage.ordered<EndTask>().size() == 1);  // its end was to be written, but the disk failed
  stage.restart_in_contact({job_1});
  stage.end(job(1), 0);
  CHECK(stage.outcome().kind == EndKind::exited);
}

TEST_CASE("resource manager: what exited with status 0 while the manager was frozen was not stopped after that") {
  Stage stage = Stage::running();
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.wait(seconds(30));
  REQUIRE(stage.ordered<EndTask>().size() == 1);
  stage.hear(alice, Stop{job(1), seconds(5)});
  stage.end(job(1), 0);
  CHECK(stage.outcome().kind == EndKind::exited);
}

TEST_CASE(
    "resource manager: what isolation a task got is told with its start, and again after a restart [S137a]") {
  Stage stage = Stage::leased();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  stage.put(TaskStarted{{job(1), 0}, 4711, "namespaces, rlimits"});
  CHECK(stage.said<Started>(alice).at(0).isolation == "namespaces, rlimits");
  stage.restart_in_contact({job_1});
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.said<Started>(alice).at(0).isolation == "namespaces, rlimits");
}

TEST_CASE("resource manager: a task is reached after a restart as before") {
  Stage stage = Stage::leased();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  stage.put(TaskStarted{{job(1), 0}, 4711, {}, "10.0.0.7:40121/5f3a"});
  stage.restart_in_contact({job_1});
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.said<Started>(alice).at(0).contact == "10.0.0.7:40121/5f3a");
}

TEST_CASE("resource manager: a task that was only ordered before a restart") {
  Stage stage = Stage::leased();
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  stage.forget_effects();
  SUBCASE("has started meanwhile") {
    stage.restart_in_contact({job_1});
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    CHECK(stage.said<Started>(alice).at(0).process == 4711);
  }
  SUBCASE("is still to be started") {
    stage.restart_in_contact({{{job(1), 0}, 0}});
    stage.put(TaskStarted{{job(1), 0}, 4711});
    CHECK(stage.said<Started>(alice).at(0).process == 4711);
  }
  SUBCASE("never reached the backend") {
    stage.restart_in_contact({});
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    CHECK(stage.outcome().kind == EndKind::lost);
  }
  CHECK(stage.ordered<StartTask>().empty());
}

TEST_CASE("resource manager: what the backend lost is over, and its nodes may be used") {
  Stage stage = Stage::running();
  stage.restart_in_contact({});
  CHECK(stage.said<Ended>(alice).empty());  // it asks the job manager
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.outcome().kind == EndKind::lost);
  stage.hear(alice, start(lease(1), job(1, 2), {{0, 1}}));
  CHECK(stage.ordered<StartTask>().size() == 1);
  stage.hear(alice, Forget{job(1)});
  CHECK(stage.ordered<RemoveTask>().at(0).id.request == job(1));
}

TEST_CASE("resource manager: an outcome is kept across a restart until it is fetched") {
  Stage stage = Stage::running();
  stage.end(job(1), 5);
  stage.forget_effects();
  stage.restart_in_contact({job_1});
  CHECK(stage.ordered<EndTask>().empty());
  stage.end(job(1), 5);  // the backend says it again
  CHECK(stage.said<Ended>(alice).empty());
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.outcome().code == 5);
  stage.hear(alice, Fetch{job(1), 0, Stream::output, 0});
  CHECK(stage.ordered<ReadOutput>().size() == 1);
  stage.hear(alice, Forget{job(1)});
  CHECK(stage.ordered<RemoveTask>().size() == 1);
  stage.restart({});
  CHECK(stage.manager.view().tasks.empty());
}

TEST_CASE("resource manager: an end ordered before a restart is ordered again, with what is left of its grace") {
  Stage stage = Stage::running();
  stage.hear(alice, Stop{job(1), seconds(10)});
  stage.wait(seconds(4));
  stage.forget_effects();
  SUBCASE("it lives") {
    stage.restart_in_contact({job_1});
    CHECK(stage.ordered<EndTask>().at(0).grace == seconds(6));
    stage.hear(alice, start(lease(1), job(2), {{1, 2}}));
    CHECK(stage.ordered<StartTask>().empty());
    stage.end_killed(job(1));
    CHECK(stage.outcome().kind == EndKind::stopped);
    CHECK(stage.ordered<StartTask>().size() == 1);
  }
  SUBCASE("the grace is over") {
    stage.now = stage.now + seconds(60);
    stage.restart_in_contact({job_1});
    CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  }
  SUBCASE("it is gone: as it was to be") {
    stage.restart_in_contact({});
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    CHECK(stage.outcome().kind == EndKind::stopped);
  }
}

TEST_CASE("resource manager: the fence holds across a restart") {
  Stage stage = Stage::in_contact();
  stage.hear(owner, Assign{lease(5), {{0, 3}}, alice.site});
  stage.hear(owner, Unassign{lease(5), {{0, 3}}, {}, {}});
  stage.hear(owner, Unassign{lease(9), {{6, 6}}, {}, {}});
  stage.restart_in_contact({});
  stage.forget_effects();
  SUBCASE("an earlier lease") { stage.hear(owner, Assign{lease(4), {{3, 4}}, bob.site}); }
  SUBCASE("the same lease after its end") { stage.hear(owner, Assign{lease(5), {{0, 3}}, alice.site}); }
  SUBCASE("a lease before one that never came") { stage.hear(owner, Assign{lease(8), {{6, 7}}, alice.site}); }
  CHECK(stage.said<LeaseEnded>(owner).at(0).confirmed);
  CHECK(stage.manager.view().leases.empty());
}

TEST_CASE("resource manager: that a lease went idle is said again in a new session") {
  Stage stage = Stage::leased();
  stage.wait(seconds(10));
  CHECK(stage.said<LeaseEnded>(owner).size() == 1);
  SUBCASE("the owner was restarted") { stage.put(LinkUp{owner, true, {}, {}}); }
  SUBCASE("the resource manager was") { stage.restart_in_contact({}); }
  CHECK(stage.said<Register>(owner).at(0).leases == std::vector{lease(1)});
  // Immediately: until the owner hears it, jobs come onto the lease in vain.
  const auto said = stage.said<LeaseEnded>(owner);
  REQUIRE(said.size() == 1);
  CHECK(said[0].reason == LeaseEnd::idle);
  CHECK(said[0].confirmed);
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  stage.hear(alice, Forget{job(1)});
}

TEST_CASE("resource manager: a lease closed by lost contact stays closed across a restart") {
  Stage stage = Stage::running();
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.wait(seconds(60));
  stage.end(job(1));
  stage.forget_effects();
  stage.restart_in_contact({});
  stage.hear(alice, start(lease(1), job(2), {{0, 0}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
}

TEST_CASE(
    "resource manager: nodes that a task still holds under no lease are dirty, and a newer lease waits for it") {
  Stage stage = Stage::running();
  stage.hear(owner, Unassign{lease(1), {}, seconds(300), {}});
  stage.restart_in_contact({job_1});
  CHECK(stage.said<Register>(owner).at(0).dirty == NodeSet{{0, 1}});
  stage.hear(owner, Unassign{lease(1), {{0, 3}}, seconds(300), {}});  // it heard no Clean
  CHECK(stage.said<Clean>(owner).empty());
  stage.hear(owner, Assign{lease(2), {{0, 0}}, alice.site});
  stage.hear(alice, start(lease(2), job(2), {{0, 0}}));
  CHECK(stage.ordered<StartTask>().empty());
  stage.end(job(1));
  CHECK(stage.said<Clean>(owner).size() == 1);
  CHECK(stage.ordered<StartTask>().at(0).id.request == job(2));
}

TEST_CASE("resource manager: unknown tasks are ended before anything else") {
  Stage stage = Stage::leased();
  stage.restart_in_contact({{{job(7), 0}, 99}, {{job(8), 0}, 98}});
  CHECK(stage.ordered<EndTask>().size() == 2);
  CHECK(stage.said<Register>(owner).empty());
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  stage.hear(owner, Unassign{lease(3), {{6, 7}}, {}, {}});
  stage.end(job(7));
  CHECK(stage.ordered<StartTask>().empty());
  CHECK(stage.said<Clean>(owner).empty());
  stage.end(job(8));
  CHECK(stage.ordered<RemoveTask>().size() == 2);
  CHECK(stage.ordered<StartTask>().size() == 1);
  CHECK(stage.said<Clean>(owner).size() == 1);
  CHECK(stage.said<Register>(owner).size() == 1);
  CHECK(stage.said<Ended>(alice).empty());
}

TEST_CASE("resource manager: after a restart owner and job manager have a term to come back") {
  Stage stage = Stage::running();
  stage.put(LinkDown{owner});
  stage.put(LinkDown{alice});
  stage.wait(seconds(20));
  stage.restart({job_1});
  stage.wait(milliseconds(29'999));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(milliseconds(1));
  CHECK(stage.ordered<EndTask>().size() == 1);
}

TEST_CASE("resource manager: a cluster that lost nodes of its configuration forgets what was there") {
  Stage stage = Stage::running();
  stage.hear(owner, Assign{lease(2), {{6, 7}}, bob.site});
  ResourceManagerSettings fewer = settings_of_8_nodes();
  fewer.nodes = 3;
  stage.manager = ResourceManager(fewer);
  stage.restart_in_contact({job_1});
  const Register offer = stage.said<Register>(owner).at(0);
  CHECK(offer.leases == std::vector{lease(1)});
  CHECK(offer.leased.at(0) == NodeSet{{0, 2}});
  stage.restart({job_1});
}

TEST_CASE("resource manager: a lost task says so if some of its nodes were taken out of service") {
  Stage stage = Stage::running();
  ResourceManagerSettings fewer = settings_of_8_nodes();
  SUBCASE("one of its nodes is left") { fewer.nodes = 1; }
  SUBCASE("all are left, and it is gone all the same") {}
  stage.manager = ResourceManager(fewer);
  stage.restart_in_contact({});
  stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
  const Ended outcome = stage.outcome();
  CHECK(outcome.kind == EndKind::lost);
  CHECK(outcome.lease_end == (fewer.nodes == 1 ? LeaseEnd::node_removed : LeaseEnd::released));
}

TEST_CASE("resource manager: without a ledger no changes are made") {
  Stage stage;
  stage.effects.ledger.wanted = false;
  stage.manager.receive({}, LinkUp{owner, true, {}, {}}, stage.effects);
  stage.manager.receive({}, Received{owner, Assign{lease(1), {{0, 3}}, alice.site}, {}, {}}, stage.effects);
  stage.manager.settle({}, stage.effects);
  CHECK(stage.effects.ledger.empty());
  CHECK(stage.manager.records().size() == 5);
}

// ---- detached tasks --------------------------------------------------------------------------------------------

TEST_CASE("resource manager: a detached task goes on under a lease that is over, and nothing new starts") {
  Stage stage = Stage::running();
  stage.hear(alice, Stop{job(9), {}});
  stage.hear(alice, start(lease(1), job(2), {{2, 2}}));
  stage.hear(alice, Stop{job(2), seconds(10)});
  stage.hear(alice, start(lease(1), job(3), {{2, 2}}));  // parked
  stage.forget_effects();
  stage.hear(owner, detached(seconds(3600)));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  CHECK(stage.ordered<EndTask>().empty());
  CHECK(stage.said<Clean>(owner).empty());
  CHECK(stage.manager.view().leases.empty());
  stage.hear(alice, start(lease(1), job(4), {{3, 3}}));
  CHECK(stage.outcome().fault == StartFault::no_lease);
  stage.put(LinkUp{owner, true, {}, {}});
  CHECK(stage.said<Register>(owner).at(0).dirty == NodeSet{{0, 2}});
  stage.end(job(2));
  CHECK(stage.said<Clean>(owner).empty());
  stage.forget_effects();
  stage.end(job(1), 3);
  CHECK(stage.outcome().kind == EndKind::exited);
  CHECK(stage.said<Clean>(owner).at(0).nodes == NodeSet{{0, 3}});
  CHECK(stage.manager.view().nodes_free == 8);
}

TEST_CASE("resource manager: a detached task ends at the limit, which no repetition moves") {
  Stage stage = Stage::running();
  stage.hear(owner, detached(seconds(3600)));
  stage.wait(seconds(1800));
  SUBCASE("in one life") { stage.hear(owner, detached(seconds(3600))); }
  SUBCASE("across a restart") {
    stage.restart_in_contact({job_1});
    stage.hear(owner, detached(seconds(3600)));
  }
  stage.wait(seconds(1799));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(seconds(1));
  CHECK(stage.ordered<EndTask>().at(0).grace == Duration{});
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK_FALSE(stage.said<Clean>(owner).empty());
}

TEST_CASE("resource manager: a detached task ends when its job manager is silent, whatever else is heard") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(1), job(2), {{3, 3}}));
  stage.forget_effects();
  stage.hear(owner, detached(seconds(3600), {{0, 0}}));
  SUBCASE("in one life") {}
  SUBCASE("across a restart") {
    stage.restart_in_contact({job_1, {{job(2), 0}, 4712}});
    stage.forget_effects();
  }
  stage.put(LinkDown{alice});
  stage.wait(milliseconds(29'999));
  CHECK(stage.ordered<EndTask>().empty());
  stage.wait(milliseconds(1));
  const auto ends = stage.ordered<EndTask>();
  REQUIRE(ends.size() == 1);  // the other one still depends on the owner
  CHECK(ends[0].id.request == job(1));
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lost_contact);
  CHECK_FALSE(stage.manager.view().leases.at(0).closed);
}

TEST_CASE("resource manager: the owner takes nodes with a detached task back at once") {
  Stage stage = Stage::running();
  stage.hear(owner, detached(seconds(3600)));
  stage.hear(owner, Unassign{lease(1), {{0, 3}}, seconds(5), {}});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(5));
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::lease_ended);
  CHECK(stage.said<Clean>(owner).size() == 2);
}

TEST_CASE("resource manager: a job manager still stops its detached task, and no limit overflows") {
  Stage stage = Stage::running();
  stage.hear(owner, detached(Duration{INT64_MAX}));
  stage.hear(alice, Stop{job(1), seconds(1)});
  CHECK(stage.ordered<EndTask>().at(0).grace == seconds(1));
  stage.end_killed(job(1));
  CHECK(stage.outcome().kind == EndKind::stopped);
}

// ---- nodes that swallow jobs -----------------------------------------------------------------------------------

namespace {

/// A job that can't be started on nodes 0-1.
void fail_job(Stage& stage, const RequestId& failing, StartFault fault, std::string directory = {}) {
  Start message = start(lease(1), failing, {{0, 1}});
  message.program.working_directory = std::move(directory);
  stage.hear(job_manager_of(failing.site, failing.user), std::move(message));
  TaskEnded report;
  report.id = {failing, 0};
  report.kind = EndKind::start_failed;
  report.fault = fault;
  report.text = "disk full";
  stage.put(std::move(report));
}

/// The last message to a user; drops all other messages, also those to other parties.
Ended last_end(Stage& stage, const Party& user) {
  const Ended* last = nullptr;
  for (const Outgoing& outgoing : stage.effects.messages)
    if (const Ended* end = std::get_if<Ended>(&outgoing.message); end != nullptr && outgoing.to == user)
      last = end;
  REQUIRE(last != nullptr);
  const Ended found = *last;
  stage.effects.messages.clear();
  return found;
}

/// The keeper dies under one job of each of these users, each on a node of its own.
void lose_keeper(Stage& stage, std::uint64_t job, const std::vector<std::uint64_t>& users) {
  for (std::uint32_t i = 0; i < users.size(); ++i) {
    const Party user = neighbour(users[i]);
    stage.hear(user, start(lease(1), job_of(user, job), {{i, i}}));
    stage.put(TaskStarted{{job_of(user, job), 0}, 4711});
  }
  for (const std::uint64_t number : users) {
    TaskEnded report;
    report.id = {job_of(neighbour(number), job), 0};
    report.kind = EndKind::lost;
    report.keeper_died = true;
    stage.manager.receive(stage.now, std::move(report), stage.effects);
  }
  stage.settle();
}

}  // namespace

TEST_CASE("resource manager: nodes that can't start jobs of three users are set aside, and tried again [S132a]") {
  Stage stage = Stage::leased();
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    fail_job(stage, job_of(neighbour(1), number), StartFault::resources);
    CHECK(stage.said<SetAside>(owner).empty());  // all of one user: perhaps only that user's jobs fail
  }
  fail_job(stage, job_of(neighbour(2), 1), StartFault::no_directory);
  CHECK(stage.said<SetAside>(owner).empty());
  fail_job(stage, job_of(neighbour(3), 1), StartFault::resources);
  const auto news = stage.said<SetAside>(owner);
  REQUIRE(news.size() == 1);
  CHECK(news[0].nodes == NodeSet{{0, 1}});
  CHECK_FALSE(news[0].back);
  CHECK(news[0].text.find("disk full") != std::string::npos);
  CHECK(stage.logged(Level::warning, "set_aside"));
  CHECK(stage.manager.view().aside.at(0).nodes == NodeSet{{0, 1}});
  CHECK(stage.manager.view().aside.at(0).reason == news[0].text);

  stage.restart_in_contact({});
  CHECK(stage.said<SetAside>(owner).at(0).nodes == NodeSet{{0, 1}});
  stage.wait(seconds(600));
  CHECK(stage.said<SetAside>(owner).at(0).back);
  CHECK(stage.manager.view().aside.empty());
}

TEST_CASE("resource manager: what is the user's own doing sets no nodes aside") {
  Stage stage = Stage::leased();
  for (std::uint64_t number = 1; number <= 9; number += 3) {
    const Party user = neighbour(number);
    fail_job(stage, job_of(user, 1), StartFault::no_directory, "/home/alice/typo");
    fail_job(stage, job_of(user, 2), StartFault::executable_missing);
    fail_job(stage, job_of(user, 3), StartFault::not_permitted);
    fail_job(stage, job_of(user, 5), StartFault::hung);
    stage.hear(user, start(lease(1), job_of(user, 4), {{0, 1}}));
    stage.end(job_of(user, 4), 127);
  }
  CHECK(stage.said<SetAside>(owner).empty());
}

TEST_CASE("resource manager: nodes that lose their jobs at restarts are set aside") {
  Stage stage = Stage::leased();
  bool keeper_died = false;
  SUBCASE("of the machine") { keeper_died = false; }
  SUBCASE("but not if their keeper died, which may be a job's doing [S138a]") { keeper_died = true; }
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    const Party user = neighbour(number);
    stage.hear(user, start(lease(1), job_of(user, 1), {{0, 1}}));
    stage.put(TaskStarted{{job_of(user, 1), 0}, 4711});
    stage.restart_in_contact({}, keeper_died);
    stage.said<Ended>(user);
    stage.hear(user, start(lease(1), job_of(user, 1), {{0, 1}}));
    const Ended end = stage.outcome(user);
    CHECK(end.kind == EndKind::lost);
    CHECK(end.keeper_died == keeper_died);
    CHECK((end.text.view() == ResourceManager::keeper_died_text) == keeper_died);
  }
  CHECK(stage.said<SetAside>(owner).size() == (keeper_died ? 0 : 2));  // as news, and after Register
}

TEST_CASE("resource manager: a job hears that its keeper died, and no node is blamed for it [S138a] [S132a]") {
  Stage stage = Stage::leased();
  const Party bystander = neighbour(2);
  for (const std::uint64_t number : {1U, 2U, 3U, 4U}) {
    lose_keeper(stage, number, {9, number, number + 1});  // user 9 is present each time
    const Ended end = last_end(stage, neighbour(9));
    CHECK(end.kind == EndKind::lost);
    CHECK(end.keeper_died);
    CHECK(end.text.view() == ResourceManager::keeper_died_text);
    CHECK(end.others_died);
  }
  lose_keeper(stage, 5, {9});
  CHECK_FALSE(last_end(stage, neighbour(9)).others_died);
  CHECK(stage.manager.view().aside.empty());
  // A task that was being ended anyway isn't a victim.
  stage.hear(bystander, start(lease(1), job_of(bystander, 9), {{0, 0}}));
  stage.hear(bystander, Stop{job_of(bystander, 9), seconds(5)});
  TaskEnded report;
  report.id = {job_of(bystander, 9), 0};
  report.kind = EndKind::lost;
  report.keeper_died = true;
  stage.put(std::move(report));
  CHECK_FALSE(last_end(stage, bystander).keeper_died);
}

TEST_CASE("resource manager: a machine is set aside as a whole if keepers die there with any users [S132a]") {
  Stage stage = Stage::leased();
  lose_keeper(stage, 1, {1, 2});
  lose_keeper(stage, 2, {2, 3});
  SUBCASE("unless a program ran to its end meanwhile") {
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    stage.end(job(1));
    lose_keeper(stage, 3, {3, 4});
    CHECK(stage.manager.view().aside.empty());
    return;
  }
  CHECK(stage.manager.view().aside.empty());
  lose_keeper(stage, 3, {3, 4});
  REQUIRE(stage.manager.view().aside.size() == 1);
  CHECK(stage.manager.view().aside[0].nodes == NodeSet{{0, 7}});
  CHECK(stage.manager.view().aside[0].reason.find("the keeper died 3 times in a row") == 0);
}

}  // namespace dmm::resource_manager_recovery_test
