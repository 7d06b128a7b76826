// Stories about the job manager's memory: what it finds after a restart of its process or machine, what it and its site
// tell each other in a new session, and leases that end by silence. The stage compares the ledger with records() after
// every step.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_recovery_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

Holding holding(const RequestId& id, std::vector<NodeGroup> nodes, Duration left = {}) {
  Holding made;
  made.lease = lease;
  made.request = id;
  made.nodes = std::move(nodes);
  made.left = left;
  return made;
}

const NodeGroup two_nodes = group(fs0, {0, 1});

}  // namespace

TEST_CASE("recovery: a restarted job manager finds its jobs, its numbers and its answers") {
  Stage stage;
  stage.submit({sleeper(), sleeper()});
  stage.cancel(2);
  stage.hear(client, Submit{9, {sleeper()}});
  stage.restart(true);
  CHECK(stage.out.messages.empty());  // no message leaves before the site is in contact
  CHECK(stage.manager.size() == 3);
  CHECK(stage.state(2) == JobState::cancelled);
  stage.pass(seconds(7));
  stage.up(site, true);
  CHECK(std::holds_alternative<Inventory>(stage.out.messages.at(0).message));
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 2);
  CHECK(requests[1].id == request(3));
  CHECK(requests[1].waited == seconds(7));
  CHECK(requests[1].need.components.size() == 1);
  stage.hear(client, Submit{9, {sleeper()}});
  CHECK(stage.said<Submitted>(client).at(0).first_job == 3);
  CHECK(stage.submit({sleeper()}).first_job == 4);
}

TEST_CASE("recovery: numbers of forgotten jobs are never given again, and their rows go") {
  auto settings = settings_of_alice();
  settings.jobs_max = 1;
  Stage stage(settings);
  stage.submit({sleeper()});
  stage.cancel(1);
  CHECK(stage.submit({sleeper()}).first_job == 2);
  stage.cancel(2);
  CHECK(stage.manager.forget(2));
  stage.settle();
  CHECK(stage.manager.records().size() == 2);  // only the answers of both jobs
  stage.restart();
  CHECK(stage.submit({sleeper()}).first_job == 3);
}

TEST_CASE("recovery: no rows are made where no ledger is kept") {
  Stage stage;
  stage.out.ledger.wanted = false;
  stage.manager.receive(stage.now, Received{client, Submit{1, {sleeper()}}, {}, {}}, stage.out);
  stage.manager.settle(stage.now, stage.out);
  CHECK(stage.out.ledger.empty());
}

TEST_CASE("recovery: what no other party could say again is synced, the rest is committed") {
  Stage stage;
  const auto grade_of = [&](JobManager::Input input) {
    stage.manager.receive(stage.now, std::move(input), stage.out);
    stage.manager.settle(stage.now, stage.out);
    REQUIRE_FALSE(stage.out.ledger.empty());
    const Grade grade = stage.out.ledger.grade;
    stage.ledger.take(stage.out.ledger, stage.manager);
    return grade;
  };
  const auto say = [](const Party& from, Message message) { return Received{from, std::move(message), {}, {}}; };
  CHECK(grade_of(say(client, Submit{1, {sleeper()}})) == Grade::synced);
  CHECK(grade_of(say(site, grant(request(1), {two_nodes}))) == Grade::synced);
  CHECK(grade_of(say(fs0, Started{request(1), 0, 7})) == Grade::committed);
  Ended end = ended(request(1));
  end.output_bytes = 100;
  CHECK(grade_of(say(fs0, end)) == Grade::synced);
  stage.hear(fs0, Chunk{request(1), 0, Stream::output, 0, "all", true, false});
  CHECK(grade_of(OutputWritten{1, 0, Stream::output, 1, {}, true}) == Grade::synced);
}

TEST_CASE("recovery: a running job is found running: its way is given again, then the same Start") {
  Stage stage;
  stage.run_one();
  stage.restart();
  REQUIRE(stage.out.routes.size() == 1);
  CHECK(stage.out.routes[0].endpoint == "tcp://fs0");
  CHECK(stage.out.routes[0].path == SiteNames{home, SiteName("das-1"), SiteName("das-3")});
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].request == request(1));
  CHECK(starts[0].program.arguments == std::vector<std::string>{"sleep", "1"});
  stage.up(fs0, true);
  CHECK(stage.said<Start>(fs0).empty());  // the first Start waits for it in the session
  stage.up(site, true);
  const auto inventories = stage.said<Inventory>(site);
  REQUIRE(inventories.size() == 1);
  REQUIRE(inventories[0].borrowed.size() == 1);
  CHECK(inventories[0].borrowed[0].request == request(1));
  CHECK(inventories[0].borrowed[0].nodes == std::vector{two_nodes});
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(stage.state(1) == JobState::running);
  stage.hear(fs0, ended(request(1)));
  CHECK(stage.state(1) == JobState::finished);
  CHECK(stage.said<Release>(site).size() == 1);
}

TEST_CASE("recovery: what was never asked for waits until the site says that the lease is still good") {
  auto settings = settings_of_alice();
  settings.starts_at_once = 1;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper()});
  stage.hear(site, grant(request(1), {two_nodes}));
  stage.hear(site, grant(request(2), {group(fs1, {0, 1})}));
  stage.restart();
  CHECK(stage.said<Start>(fs0).size() == 1);
  stage.up(site, true);
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(stage.said<Start>(fs1).empty());
  const auto held = [&](Duration left) {
    return Inventory{
        {holding(request(1), {two_nodes}, left), holding(request(2), {group(fs1, {0, 1})}, left)}, {}, true};
  };
  SUBCASE("by its inventory") { stage.hear(site, held(seconds(10))); }
  SUBCASE("by a renewal") {
    stage.hear(site, held({}));
    CHECK(stage.said<Start>(fs1).empty());
    stage.hear(site, Renewed{seconds(30), {{lease, {}}}, {}});  // the site doesn't know it yet
    CHECK(stage.said<Start>(fs1).empty());
    stage.pass(seconds(3));
    stage.hear(site, Renewed{{}, {{lease, seconds(30)}}, {}});
  }
  CHECK(stage.said<Start>(fs1).size() == 1);
  stage.hear(fs1, Started{request(2), 0, 7});
  CHECK(stage.state(2) == JobState::running);
}

TEST_CASE("recovery: a restarted site is told what is held; nothing starts until it promises again") {
  auto settings = settings_of_alice();
  settings.starts_at_once = 1;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper()});
  stage.hear(site, grant(request(1), {two_nodes}));
  stage.hear(site, grant(request(2), {group(fs1, {0, 1})}));
  stage.out.messages.clear();
  stage.up(site, true);
  CHECK(stage.said<Inventory>(site).at(0).borrowed.size() == 2);
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(stage.said<Start>(fs1).empty());
  SUBCASE("it knows them") {
    stage.hear(site, Inventory{{holding(request(1), {two_nodes})}, {}, false});
    CHECK(stage.manager.grants() == 2);  // only the last part says that nothing follows
    stage.hear(site, Inventory{{holding(request(2), {group(fs1, {0, 1})}, seconds(5))}, {}, true});
    CHECK(stage.said<Start>(fs1).size() == 1);
    CHECK(stage.manager.grants() == 2);
  }
  SUBCASE("it lost them: what has started runs on, the other is asked for again") {
    stage.hear(site, Inventory{{}, {}, true});
    CHECK(stage.manager.grants() == 0);
    CHECK(stage.state(1) == JobState::running);
    CHECK(stage.state(2) == JobState::waiting);
    CHECK(stage.said<Request>(site).at(0).id == request(2, 2));
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
    CHECK(stage.said<Release>(site).empty());
  }
  SUBCASE("it lost some nodes: nothing starts on the rest") {
    const Holding half = holding(request(2), {group(fs1, {0, 0})});
    stage.hear(site, Inventory{{holding(request(1), {two_nodes}), half}, {}, true});
    CHECK(stage.state(2) == JobState::waiting);
    CHECK(stage.said<Release>(site).at(0).nodes == std::vector{group(fs1, {0, 0})});
  }
}

TEST_CASE("recovery: leases made or given back after a session began are not judged by its inventory") {
  Stage stage;
  stage.run_one();
  stage.submit({sleeper()});
  stage.up(site, true);
  stage.hear(fs0, ended(request(1)));
  CHECK(stage.said<Release>(site).size() == 1);
  stage.hear(site, Inventory{{holding(request(1), {two_nodes}), holding(request(7), {two_nodes})}, {}, true});
  CHECK(stage.said<Release>(site).empty());  // the inventory and the release have said it
  stage.hear(site, grant(request(2), {group(fs1, {0, 1})}));
  CHECK(stage.manager.grants() == 1);
  CHECK(stage.said<Start>(fs1).size() == 1);
}

TEST_CASE("recovery: a large inventory comes in parts") {
  Stage stage;
  std::vector<JobDescription> jobs(2'000, sleeper());
  stage.submit(jobs);
  for (std::uint32_t job = 1; job <= 2'000; ++job) {
    const LeaseId under{SiteName("das-3"), {1, job}};
    Grant given = grant(request(job), {group(fs0, {2 * job, 2 * job + 1})}, under);
    stage.manager.receive(stage.now, Received{site, std::move(given), {}, {}}, stage.out);
  }
  stage.settle();
  stage.out.messages.clear();
  stage.up(site, true);
  const auto parts = stage.said<Inventory>(site);
  REQUIRE(parts.size() > 2);
  std::size_t borrowed = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CHECK(parts[i].last == (i + 1 == parts.size()));
    borrowed += parts[i].borrowed.size();
  }
  CHECK(borrowed == 2'000);
}

TEST_CASE("recovery: an attempt that was being given up goes on being given up") {
  Stage stage;
  stage.submit({sleeper({4, 4})});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  stage.hear(fs0, Started{request(1), 0, 7});
  stage.hear(fs1, Started{request(1), 1, 7});
  SUBCASE("by its user") {
    stage.cancel(1);
    stage.restart(true);
    CHECK(stage.said<Stop>(fs0).size() == 1);
    CHECK(stage.said<Stop>(fs1).size() == 1);
    CHECK(stage.said<Start>(fs0).empty());
    stage.hear(fs0, ended(request(1), EndKind::stopped, 0));
    stage.hear(fs1, ended(request(1), EndKind::stopped, 1));
    CHECK(stage.state(1) == JobState::cancelled);
  }
  SUBCASE("because a component failed, which still decides") {
    stage.hear(fs0, ended(request(1), 3, 0));
    stage.restart(true);
    CHECK(stage.said<Stop>(fs0).empty());
    CHECK(stage.said<Stop>(fs1).size() == 1);
    stage.hear(fs1, ended(request(1), EndKind::stopped, 1));
    CHECK(stage.state(1) == JobState::failed);
    CHECK(stage.manager.job(1)->exit->code == 3);
  }
  SUBCASE("and no party confirms it") {
    stage.cancel(1);
    stage.restart();
    stage.up(site, true);
    stage.pass(seconds(125));
    CHECK(stage.said<Release>(site).size() == 1);
    stage.pass(seconds(125));
    CHECK(stage.state(1) == JobState::cancelled);
  }
}

TEST_CASE("recovery: output that was being brought back is fetched once more from its beginning") {
  Stage stage;
  stage.run_one();
  Ended end = ended(request(1), 3);
  end.output_bytes = 5;
  end.output = "hello";
  stage.hear(fs0, end);
  CHECK(stage.said<Release>(site).size() == 1);
  stage.restart(true);
  CHECK(stage.state(1) == JobState::collecting);
  CHECK(stage.said<Start>(fs0).empty());
  CHECK(stage.said<Fetch>(fs0).at(0).offset == 0);
  stage.hear(fs0, Chunk{request(1), 0, Stream::output, 0, "hello", true, false});
  CHECK(stage.out.output.at(0).data == "hello");
  CHECK(stage.out.output.at(0).begins);
  stage.written(1);
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.manager.job(1)->wall == seconds(1));
  CHECK(stage.said<Forget>(fs0).size() == 1);
  stage.restart(true);
  CHECK(stage.out.messages.empty());
  CHECK(stage.manager.job(1)->exit->code == 3);
  CHECK(stage.manager.job(1)->processors == 4);
}

TEST_CASE("recovery: a lease that ends by silence leaves running what has started [S115]") {
  for (const LeaseEnd reason :
       {LeaseEnd::expired, LeaseEnd::node_lost, LeaseEnd::owner_lost, LeaseEnd::unknown, LeaseEnd::idle}) {
    Stage stage;
    stage.run_one();
    stage.submit({sleeper()});
    stage.hear(site, grant(request(2), {group(fs1, {0, 1})}));  // granted, but not started
    stage.hear(site, LeaseEnded{lease, {}, reason, false, {}});
    CHECK(stage.state(1) == JobState::running);
    CHECK(stage.state(2) == JobState::ending);
    CHECK(stage.said<Stop>(fs0).empty());
    CHECK(stage.said<Stop>(fs1).size() == 1);
    CHECK(stage.manager.grants() == 0);
  }
}

TEST_CASE("recovery: a component stopped for the sake of one that ended well was interrupted [S115]") {
  Stage stage;
  stage.submit({sleeper({4, 4})});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}), group(fs1, {0, 1}, 1)}));
  stage.hear(fs1, Started{request(1), 1, 4711});
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::expired, false, {}});  // the other's Started is on its way
  CHECK(stage.said<Stop>(fs1).size() == 1);
  stage.hear(fs1, ended(request(1), EndKind::stopped, 1));
  stage.hear(fs0, ended(request(1), 0, 0));
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->text == "its nodes were lost");
}

TEST_CASE("recovery: a job without a lease runs on, and gives nothing back") {
  Stage stage;
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::expired, false, {}});
  stage.pass(seconds(600));
  SUBCASE("until it ends by itself") {
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("also over a restart") {
    stage.restart();
    CHECK(stage.said<Start>(fs0).size() == 1);
    CHECK(stage.state(1) == JobState::running);
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("until its resource manager takes the nodes back") {
    stage.hear(fs0, ended(request(1), EndKind::lease_ended));
    CHECK(stage.state(1) == JobState::waiting);
  }
  SUBCASE("until its site confirms that it is over") {
    stage.hear(site, LeaseEnded{lease, {two_nodes}, LeaseEnd::expired, true, {}});
    CHECK(stage.state(1) == JobState::waiting);
  }
  SUBCASE("until its resource manager has been silent for too long") {
    stage.down(fs0);
    stage.pass(seconds(120));
    CHECK(stage.state(1) == JobState::ending);
    stage.pass(seconds(5));  // nodes and contact have been lost for four terms: only the grace is left
    CHECK(stage.state(1) == JobState::waiting);
  }
  CHECK(stage.said<Release>(site).empty());
}

TEST_CASE("recovery: a ledger that can't be is refused") {
  const auto fault_of = [](std::vector<JobManagerRecord> rows) {
    return JobManager(settings_of_alice()).restore(Instant{}, std::move(rows));
  };
  JobRecord job;
  job.number = 1;
  ProgressRecord progress;
  progress.number = 1;
  CHECK(fault_of({job, progress}) == "");
  CHECK(fault_of({job}) == "job 1: no progress");
  CHECK(fault_of({progress}) == "job 1: no description");
  progress.state = JobState::running;
  CHECK(fault_of({job, progress}) == "job 1: an attempt in the wrong state");
  progress.state = JobState::finished;
  CHECK(fault_of({job, progress}) == "job 1: over without an end");
  progress.number = 2;
  CHECK(fault_of({job, progress}) == "job 2: no description");
}

TEST_CASE("recovery: a job manager away at its lease's end is told why, and its job pays nothing [S122e]") {
  Stage stage;
  stage.submit({sleeper()});
  stage.hear(site, grant(request(1), {two_nodes}));
  stage.hear(fs0, Started{request(1), 0, 7});
  stage.restart();
  stage.up(site, true);
  stage.hear(site, Inventory{{}, {}, true});
  CHECK(stage.state(1) == JobState::running);  // its resource manager may let it end by itself
  stage.hear(site, LeaseEnded{lease, {two_nodes}, LeaseEnd::link_removed, false, {}});
  stage.hear(fs0, ended(request(1), EndKind::lease_ended, 0));
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->reruns == 0);
  CHECK(stage.manager.job(1)->past.times == 1);
}

}  // namespace job_manager_recovery_test
