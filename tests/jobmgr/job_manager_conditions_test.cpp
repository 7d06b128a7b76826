// Waiting jobs that aren't eligible yet: held, before their begin time, or after other jobs; and their user's changes.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_conditions_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

JobDescription held() {
  JobDescription job = sleeper();
  job.hold = true;
  return job;
}

JobDescription dependent(RareList<Dependency> dependencies) {
  JobDescription job = sleeper();
  job.dependencies = std::move(dependencies);
  return job;
}

JobDescription after_ok(std::uint64_t job) { return dependent({{DependencyKind::after_ok, job}}); }

Altered alter(Stage& stage, std::uint64_t job, const Alteration& wanted) {
  Altered altered = stage.manager.alter(stage.now, job, wanted, stage.out);
  stage.settle();
  return altered;
}
bool hold(Stage& stage, std::uint64_t job) {
  const Altered altered = alter(stage, job, {.held = true});
  CHECK(altered.fault == "");
  return altered.changed;
}
bool release(Stage& stage, std::uint64_t job) {
  const Altered altered = alter(stage, job, {.held = false});
  CHECK(altered.fault == "");
  return altered.changed;
}

void finish_one(Stage& stage, std::uint64_t job, std::int32_t code = 0) {
  stage.run_one(job);
  stage.hear(fs0, ended(request(job), code));
  REQUIRE(stage.state(job) == (code == 0 ? JobState::finished : JobState::failed));
}

std::string text_of(const Stage& stage, std::uint64_t job) { return stage.manager.job(job)->text; }

}  // namespace

TEST_CASE("conditions: a job that is submitted held is asked for when its user releases it, once [S146d]") {
  Stage stage;
  stage.submit({held(), sleeper()});
  auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == request(2));
  CHECK(stage.manager.job(1)->held);
  stage.pass(seconds(100));
  SUBCASE("in the same session") {}
  SUBCASE("after a restart of the site, which hears of the other job alone") {
    stage.up(site, true);
    asked = stage.said<Request>(site);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].id == request(2));
  }
  SUBCASE("after our own restart") {
    stage.restart(true);
    CHECK(stage.manager.job(1)->held);
    stage.up(site, true);
    CHECK(stage.said<Request>(site).size() == 1);
  }
  CHECK(release(stage, 1));
  CHECK_FALSE(release(stage, 1));  // doubled
  asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == request(1));
  CHECK(asked[0].waited == Duration{});  // held time doesn't count as waiting
  CHECK_FALSE(stage.manager.job(1)->held);
}

TEST_CASE("conditions: a hold takes the open request back, and a grant that crosses it is given back [S146f]") {
  Stage stage;
  stage.submit({sleeper()});
  stage.said<Request>(site);
  stage.pass(seconds(10));
  CHECK(hold(stage, 1));
  CHECK_FALSE(hold(stage, 1));
  const auto cancelled = stage.said<Cancel>(site);
  REQUIRE(cancelled.size() == 1);
  CHECK(cancelled[0].request == request(1));
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  const auto released = stage.said<Release>(site);
  REQUIRE(released.size() == 1);
  CHECK_FALSE(released[0].failed);
  CHECK(stage.state(1) == JobState::waiting);
  stage.hear(site, Refuse{request(1), RefusalReason::too_large, 8, {}});
  CHECK(stage.state(1) == JobState::waiting);
  stage.pass(seconds(50));
  CHECK(release(stage, 1));
  const auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == request(1, 2));  // so that messages about the first don't apply to this one
  CHECK(asked[0].waited == seconds(10));
  stage.run_one(1, 2);
}

TEST_CASE("conditions: only a job that waits can be held or altered, and the refusal says why not") {
  Stage stage;
  CHECK(alter(stage, 1, {.held = true}).fault == "there is no job 1");
  stage.run_one();
  CHECK(alter(stage, 1, {.held = true}).fault == "job 1 is running: only a job that waits can be held or altered");
  CHECK(alter(stage, 1, {.held = {}, .priority = 1}).fault ==
        "job 1 is running: only a job that waits can be held or altered");
  CHECK_FALSE(release(stage, 1));
  stage.hear(fs0, ended(request(1)));
  CHECK(alter(stage, 1, {.held = true}).fault == "job 1 has ended already");
  CHECK(alter(stage, 1, {.held = false}).fault == "job 1 has ended already");
}

TEST_CASE("conditions: a held job that is cancelled ends without a word to its site") {
  Stage stage;
  stage.submit({held()});
  stage.cancel(1);
  CHECK(stage.state(1) == JobState::cancelled);
  CHECK(stage.said<Cancel>(site).empty());
}

TEST_CASE("conditions: a job that pauses after an interruption can be held, and the hold outlasts its pause") {
  JobManagerSettings settings = settings_of_alice();
  Stage stage(settings);
  stage.run_one();
  Ended end = ended(request(1), EndKind::lost);
  end.keeper_died = true;
  stage.hear(fs0, end);
  REQUIRE(stage.manager.job(1)->again_at != never);
  CHECK(hold(stage, 1));
  CHECK(stage.said<Cancel>(site).empty());
  stage.pass(seconds(3'000));
  CHECK(stage.said<Request>(site).empty());
  CHECK(release(stage, 1));
  CHECK(stage.said<Request>(site).size() == 1);
}

TEST_CASE("conditions: a job with a begin time is asked for then, also after its job manager's restart") {
  Stage stage;
  JobDescription job = sleeper();
  job.begin_seconds = 3'600;
  const Instant begin = stage.now + seconds(3'600);
  stage.submit({job});
  CHECK(stage.manager.job(1)->begin_at == begin);
  CHECK(stage.manager.next_deadline() <= begin);
  bool again = false;
  SUBCASE("without a restart") {}
  SUBCASE("with one") { again = true; }
  stage.pass(seconds(1'800));
  if (again) {
    stage.restart(true);
    stage.up(site, true);
    CHECK(stage.manager.job(1)->begin_at == begin);
  }
  stage.pass(seconds(1'799));
  CHECK(stage.said<Request>(site).empty());
  stage.pass(seconds(1));
  const auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].waited == Duration{});
  CHECK(stage.manager.job(1)->begin_at == never);
}

TEST_CASE("conditions: a begin time that came while the job is held asks for nothing") {
  Stage stage;
  JobDescription job = held();
  job.begin_seconds = 10;
  stage.submit({job});
  stage.pass(seconds(20));
  CHECK(stage.said<Request>(site).empty());
  CHECK(release(stage, 1));
  CHECK(stage.said<Request>(site).size() == 1);
}

TEST_CASE("conditions: jobs run after others have begun, finished, failed or ended, as users say [S146e]") {
  using enum DependencyKind;
  Stage stage;
  stage.submit({sleeper()});
  stage.submit({dependent({{after, 1}}), dependent({{after_ok, 1}}), dependent({{after_not_ok, 1}}),
                dependent({{after_any, 1}})});
  const auto asked = [&] {
    std::vector<std::uint64_t> jobs;
    for (const Request& one : stage.said<Request>(site)) jobs.push_back(one.id.job);
    return jobs;
  };
  using Jobs = std::vector<std::uint64_t>;
  CHECK(asked() == Jobs{1});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  CHECK(asked() == Jobs{});
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(asked() == Jobs{2});
  SUBCASE("the first finishes") {
    stage.hear(fs0, ended(request(1)));
    CHECK(asked() == Jobs{3, 5});
    CHECK(stage.state(4) == JobState::cancelled);
    CHECK(text_of(stage, 4) == "job 1 finished, and this job was to run only if job 1 didn't");
  }
  SUBCASE("it fails") {
    stage.hear(fs0, ended(request(1), 3));
    CHECK(asked() == Jobs{4, 5});
    CHECK(stage.state(3) == JobState::cancelled);
    CHECK(text_of(stage, 3) == "job 1 failed, and this job was to run only after job 1 finished");
  }
  SUBCASE("it is cancelled") {
    stage.cancel(1);
    stage.hear(fs0, ended(request(1), EndKind::stopped));
    CHECK(asked() == Jobs{4, 5});
    CHECK(text_of(stage, 3) == "job 1 was cancelled, and this job was to run only after job 1 finished");
  }
}

TEST_CASE("conditions: all dependencies of a job must be met, and what happened before a restart counts") {
  using enum DependencyKind;
  Stage stage;
  stage.submit({sleeper(), sleeper()});
  stage.submit({dependent({{after_ok, 1}, {after_ok, 2}})});
  finish_one(stage, 1);
  stage.said<Request>(site);
  CHECK(stage.manager.job(3)->awaits == std::vector<Dependency>{{after_ok, 2}});
  stage.restart(true);
  stage.up(site, true);
  stage.up(fs0, true);
  CHECK(stage.said<Request>(site).size() == 1);  // for job 2
  finish_one(stage, 2);
  CHECK(stage.said<Request>(site).at(0).id == request(3));
  CHECK(stage.manager.job(3)->awaits.empty());
  CHECK(stage.state(3) == JobState::waiting);
  stage.run_one(3);
}

TEST_CASE("conditions: a chain of thousands of dependents ends with its first job, a piece in each step") {
  Stage stage;
  stage.ledger = CheckedLedger<JobManager>(UINT64_MAX);
  stage.submit({held()});
  constexpr std::uint64_t count = 2'500;
  for (std::uint64_t job = 1; job <= count; ++job) stage.submit({after_ok(job)});
  stage.manager.cancel(stage.now, 1, stage.out);
  stage.settle();
  CHECK(stage.state(1'001) == JobState::cancelled);
  CHECK(stage.state(1'002) == JobState::waiting);
  CHECK(stage.manager.next_deadline() <= stage.now);
  for (std::uint64_t step = 0; step <= count / 1'000; ++step) stage.settle();
  CHECK(stage.manager.count(JobState::cancelled) == count + 1);
  CHECK(text_of(stage, count + 1) == "job " + std::to_string(count) +
                                         " was cancelled, and this job was to run only after job " +
                                         std::to_string(count) + " finished");
  CHECK(stage.manager.next_deadline() > stage.now);
}

TEST_CASE("conditions: dependents that a restart interrupts in the middle are all told after it") {
  Stage stage;
  stage.submit({held()});
  stage.submit(std::vector<JobDescription>(1'500, after_ok(1)));
  stage.manager.cancel(stage.now, 1, stage.out);
  stage.settle();
  CHECK(stage.manager.count(JobState::cancelled) == 1'001);
  CHECK_FALSE(stage.manager.forget(1));  // some dependent jobs have yet to hear how it ended
  stage.restart();
  CHECK(stage.manager.count(JobState::cancelled) == 1'501);
  CHECK(stage.manager.forget(1));
  stage.settle();
}

TEST_CASE("conditions: what depends on a job that has ended by then runs, or is cancelled, at once") {
  Stage stage;
  finish_one(stage, 1);
  stage.submit({after_ok(1)});
  CHECK(stage.said<Request>(site).size() == 1);
  stage.submit({dependent({{DependencyKind::after_not_ok, 1}})});
  CHECK(stage.state(3) == JobState::cancelled);
  CHECK(stage.said<Request>(site).empty());
}

TEST_CASE("conditions: a dependency on a job that isn't known is refused, with its field [S146c]") {
  Stage stage;
  CHECK(stage.submit({after_ok(1)}).fault ==
        "dependency: job 1 isn't known to this job manager: it was never submitted");
  finish_one(stage, 1);
  REQUIRE(stage.manager.forget(1));
  stage.settle();
  const Submitted answer = stage.submit({sleeper(), after_ok(1)});
  CHECK(answer.fault ==
        "job 2 of the submission: dependency: job 1 isn't known to this job manager: it was over long "
        "ago and is forgotten, or was never submitted");
  CHECK(stage.submit({sleeper(), after_ok(2)}).fault.ends_with("it was never submitted"));  // nor is it given now
  CHECK(stage.manager.size() == 0);
}

TEST_CASE("conditions: a job that is forgotten for the submission of one that depends on it still counts") {
  JobManagerSettings settings = settings_of_alice();
  settings.jobs_max = 2;
  Stage stage(settings);
  finish_one(stage, 1);
  stage.submit({sleeper()});
  stage.said<Request>(site);
  SUBCASE("as finished") {
    CHECK(stage.submit({after_ok(1)}).fault == "");
    CHECK(stage.said<Request>(site).size() == 1);
  }
  SUBCASE("as one that doesn't meet it") {
    CHECK(stage.submit({dependent({{DependencyKind::after_not_ok, 1}})}).fault == "");
    CHECK(stage.state(3) == JobState::cancelled);
  }
  CHECK_FALSE(stage.manager.job(1));
}

TEST_CASE("conditions: a changed priority or limit is asked for with the same wait, over a restart too [S146f]") {
  Stage stage;
  stage.submit({sleeper()});
  stage.said<Request>(site);
  stage.pass(seconds(40));
  CHECK(alter(stage, 1, {.held = {}, .priority = 7, .wall_seconds = 90}).changed);
  CHECK_FALSE(alter(stage, 1, {.held = {}, .priority = 7, .wall_seconds = 90}).changed);
  CHECK(stage.said<Cancel>(site).at(0).request == request(1));
  auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == request(1, 2));
  CHECK(asked[0].priority == 7);
  CHECK(asked[0].length == seconds(90));
  CHECK(asked[0].waited == seconds(40));
  stage.restart(true);
  stage.up(site, true);
  stage.up(fs0, true);
  asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].priority == 7);
  CHECK(asked[0].id == request(1, 2));
  stage.hear(site, grant(request(1, 2), {group(fs0, {0, 1})}));
  CHECK(stage.said<Start>(fs0).at(0).program.limits->wall_seconds == 90);
}

TEST_CASE("conditions: a held job is altered without a word to its site, also in the order that releases it") {
  Stage stage;
  stage.submit({held()});
  CHECK(alter(stage, 1, {.held = {}, .priority = 3}).changed);
  CHECK(stage.said<Request>(site).empty());
  CHECK(stage.said<Cancel>(site).empty());
  CHECK(alter(stage, 1, {.held = false, .priority = 4}).changed);
  const auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].priority == 4);
  CHECK(asked[0].id == request(1));
}

TEST_CASE("conditions: before the site is reached a job is altered and held as at any other time") {
  JobManager manager(settings_of_alice());
  JobManagerEffects out;
  const Instant now{seconds(10).microseconds};
  manager.receive(now, Received{client, Submit{1, {sleeper()}}, {}, {}}, out);
  manager.settle(now, out);
  CHECK(manager.alter(now, 1, {.held = true}, out).changed);
  CHECK(manager.alter(now, 1, {.held = {}, .priority = 2}, out).changed);
  CHECK(manager.alter(now, 1, {.held = false}, out).changed);
  manager.settle(now, out);
  CHECK(take_said<Cancel>(out.messages, site).empty());
  manager.receive(now, LinkUp{site, true, {}, {}}, out);
  manager.settle(now, out);
  const auto asked = take_said<Request>(out.messages, site);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].priority == 2);
  CHECK(asked[0].id == request(1));
}

}  // namespace job_manager_conditions_test
