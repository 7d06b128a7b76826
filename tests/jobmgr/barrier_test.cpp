// The start barrier: no task begins before all tasks are ready, also over restarts and losses.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace barrier_test {

using namespace dmm;
using namespace dmm::job_stage;

/// A job that runs on each of four nodes, two at each resource manager.
struct FourNodes : Stage {
  explicit FourNodes(Runner runner = Runner::per_node) {
    up(fs1, true);
    JobDescription job = sleeper({7});
    job.program.runner = runner;
    submit({job});
    out = {};
    out.ledger.wanted = true;
  }
  void grant_all() { hear(site, grant(request(1), {group(fs0, {0, 1}), group(fs1, {4, 5})})); }
  void ready(const Party& at, std::uint32_t task, const std::string& contact) {
    hear(at, Started{request(1), task, 4711, {}, contact});
  }
};

TEST_CASE("start barrier: a job on each node has a task for each resource manager, and each waits for its Go") {
  FourNodes stage;
  stage.grant_all();
  const auto here = stage.said<Start>(fs0), there = stage.said<Start>(fs1);
  REQUIRE(here.size() == 1);
  REQUIRE(there.size() == 1);
  CHECK(here[0].component == 0);
  CHECK(there[0].component == 1);
  CHECK(there[0].program.awaits_go);
  CHECK(there[0].program.runner == Runner::per_node);
  CHECK(std::ranges::count(there[0].program.environment, "DMM_COMPONENT=0") == 1);
  CHECK(std::ranges::count(there[0].program.environment, "DMM_COMPONENTS=1") == 1);
}

TEST_CASE("start barrier: the last task that is ready lets all of them go") {
  FourNodes stage;
  stage.grant_all();
  stage.ready(fs1, 1, "there");
  CHECK(stage.said<Go>(fs1).empty());
  CHECK(stage.state(1) == JobState::starting);
  stage.ready(fs0, 0, "here");
  CHECK(stage.state(1) == JobState::running);
  const auto here = stage.said<Go>(fs0), there = stage.said<Go>(fs1);
  REQUIRE(here.size() == 1);
  REQUIRE(there.size() == 1);
  CHECK(there[0].component == 1);
  REQUIRE(there[0].parts.size() == 2);
  CHECK(there[0].parts[0].contact == "here");
  CHECK(there[0].parts[1].contact == "there");
  CHECK(there[0].parts[0].nodes == 2);
  CHECK(there[0].parts[0].processors == 4);
  CHECK(there[0].parts[1].processors == 3);  // seven were asked for
}

TEST_CASE("start barrier: the record has the last task's delay after the first, less the way of the messages") {
  FourNodes stage;
  const auto begin = [&](const Party& at, std::uint32_t task, Duration round_trip) {
    stage.take(Received{at, Began{request(1), task}, {}, {}, round_trip});
  };
  stage.grant_all();
  stage.ready(fs0, 0, "here");
  begin(fs0, 0, {});  // without a Go this means nothing
  stage.ready(fs1, 1, "there");
  stage.now = stage.now + milliseconds(500);
  begin(fs1, 1, milliseconds(400));
  CHECK(stage.manager.job(1)->start_spread == Duration{});
  stage.now = stage.now + milliseconds(100);
  begin(fs0, 0, milliseconds(800));
  CHECK(stage.manager.job(1)->start_spread == milliseconds(100));
  stage.now = stage.now + seconds(9);
  begin(fs0, 0, {});
  CHECK(stage.manager.job(1)->start_spread == milliseconds(100));
  stage.restart();
  stage.up(site, false);
  begin(fs0, 0, {});
  CHECK(stage.manager.job(1)->start_spread == milliseconds(100));
}

TEST_CASE("start barrier: a task is told to go once more when its resource manager started again") {
  FourNodes stage;
  stage.grant_all();
  stage.ready(fs0, 0, "here");
  stage.ready(fs1, 1, "there");
  stage.out = {};
  stage.out.ledger.wanted = true;
  stage.ready(fs1, 1, "there");
  CHECK(stage.said<Go>(fs0).empty());
  const auto again = stage.said<Go>(fs1);
  REQUIRE(again.size() == 1);
  CHECK(again[0].parts.size() == 2);
}

TEST_CASE("start barrier: a task that can't be made ready ends the attempt before anything begins") {
  FourNodes stage;
  stage.grant_all();
  stage.ready(fs0, 0, "here");
  Ended failed = ended(request(1), 0, 1);
  failed.kind = EndKind::start_failed;
  failed.fault = StartFault::executable_missing;
  stage.hear(fs1, failed);
  CHECK(stage.said<Go>(fs0).empty());
  CHECK(stage.said<Stop>(fs0).size() == 1);
  Ended stopped = ended(request(1));
  stopped.kind = EndKind::stopped;
  stage.hear(fs0, stopped);
  CHECK(stage.state(1) == JobState::failed);
}

TEST_CASE("start barrier: a task that is over keeps no other waiting") {
  FourNodes stage;
  stage.grant_all();
  stage.ready(fs0, 0, "here");
  stage.hear(fs1, ended(request(1), 0, 1));
  CHECK(stage.said<Go>(fs0).size() == 1);
  CHECK(stage.state(1) == JobState::running);
}

TEST_CASE("start barrier: a job of one task that no launcher starts awaits nothing") {
  FourNodes stage(Runner::per_component);
  stage.hear(site, grant(request(1), {group(fs0, {0, 3})}));
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK_FALSE(starts[0].program.awaits_go);
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(stage.said<Go>(fs0).empty());
}

TEST_CASE("start barrier: one task that a launcher starts goes at once when it is ready") {
  FourNodes stage(Runner::per_processor);
  stage.hear(site, grant(request(1), {group(fs0, {0, 3})}));
  stage.hear(fs0, Started{request(1), 0, 7});
  const auto told = stage.said<Go>(fs0);
  REQUIRE(told.size() == 1);
  CHECK(told[0].parts[0].processors == 7);
}

}  // namespace barrier_test
