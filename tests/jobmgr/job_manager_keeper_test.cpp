// Jobs that lose their keeper. No such job is charged a rerun, each pauses before it runs again, and a job that was
// present at three deaths in a row fails.
#include <doctest/doctest.h>

#include <set>

#include "jobmgr/reruns.hpp"
#include "runtime/record_json.hpp"
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_keeper_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

Ended lost_with_keeper(const RequestId& id) {
  Ended end = ended(id, EndKind::lost);
  end.keeper_died = true;
  end.text = "the keeper died";
  return end;
}

JobDescription with_reruns(std::uint32_t most) {
  JobDescription job = sleeper();
  job.reruns_max = most;
  return job;
}

/// Runs the job; its keeper dies after `after`. Then no request is sent before the pause is over.
void lose_keeper(Stage& stage, std::uint32_t attempt, Duration after = {}) {
  stage.run_one(1, attempt);
  stage.pass(after);
  stage.hear(fs0, lost_with_keeper(request(1, attempt)));
  REQUIRE(stage.state(1) == JobState::waiting);
  CHECK(stage.said<Release>(site).size() == 1);
  const Duration pause = stage.manager.job(1)->again_at - stage.now;
  stage.pass(pause - microseconds(1));
  CHECK(stage.said<Request>(site).empty());
  stage.pass(microseconds(1));
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].id == request(1, attempt + 1));
  CHECK(stage.manager.job(1)->again_at == never);
}

}  // namespace

TEST_CASE("keeper deaths: a death costs no rerun, and a job that was there three times fails [S138b] [S138c]") {
  Stage stage;
  stage.submit({with_reruns(1)});
  lose_keeper(stage, 1);
  lose_keeper(stage, 2);
  CHECK(stage.manager.job(1)->reruns == 0);
  CHECK(stage.manager.job(1)->keeper_deaths == 2);
  SUBCASE("the third time it is failed, in words") {
    stage.run_one(1, 3);
    stage.hear(fs0, lost_with_keeper(request(1, 3)));
    CHECK(stage.state(1) == JobState::failed);
    CHECK(stage.manager.job(1)->exit->kind == EndKind::lost);
    CHECK(stage.manager.job(1)->text ==
          "it ran, or was being started, at 3 deaths of keepers of jobs: it may be the "
          "cause, and isn't run again");
  }
  SUBCASE("but not beside jobs of other users, as long as it was there with them each time [S138b]") {
    Stage other;
    other.submit({with_reruns(1)});
    for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) {
      other.run_one(1, attempt);
      Ended end = lost_with_keeper(request(1, attempt));
      end.others_died = true;
      other.hear(fs0, end);
      CHECK(other.state(1) == JobState::waiting);
      other.pass(other.manager.job(1)->again_at - other.now);
    }
    other.run_one(1, 6);
    other.hear(fs0, lost_with_keeper(request(1, 6)));
    CHECK(other.state(1) == JobState::failed);
  }
  SUBCASE("that it was being started suffices") {
    stage.hear(site, grant(request(1, 3), {group(fs0, {0, 1})}));
    stage.hear(fs0, lost_with_keeper(request(1, 3)));
    CHECK(stage.state(1) == JobState::failed);
  }
  SUBCASE("its own reruns are left to it") {
    stage.run_one(1, 3);
    stage.hear(fs0, ended(request(1, 3), EndKind::lost));
    CHECK(stage.state(1) == JobState::waiting);
    CHECK(stage.manager.job(1)->reruns == 1);
    stage.run_one(1, 4);
    stage.hear(fs0, ended(request(1, 4), EndKind::lost));
    CHECK(stage.state(1) == JobState::lost);
  }
  SUBCASE("a cancelled one is cancelled") {
    stage.run_one(1, 3);
    stage.cancel(1);
    stage.hear(fs0, lost_with_keeper(request(1, 3)));
    CHECK(stage.state(1) == JobState::cancelled);
  }
}

TEST_CASE("keeper deaths: their limit is configured, and a job without reruns has none [S138b]") {
  JobManagerSettings settings = settings_of_alice();
  settings.keeper_deaths_max = 1;
  std::uint32_t reruns = 3;
  JobState expected = JobState::failed;
  SUBCASE("one") {}
  SUBCASE("a job that is to run once at most isn't run again") {
    settings.keeper_deaths_max = 3, reruns = 0, expected = JobState::lost;
  }
  Stage stage(settings);
  stage.submit({with_reruns(reruns)});
  stage.run_one();
  stage.hear(fs0, lost_with_keeper(request(1)));
  CHECK(stage.state(1) == expected);
}

TEST_CASE("keeper deaths: only a job lost with its keeper counts, whatever else is said [S138b]") {
  Stage stage;
  stage.run_one();
  Ended end = lost_with_keeper(request(1));
  SUBCASE("a program that failed by itself failed") {
    end.kind = EndKind::exited, end.code = 3;
    stage.hear(fs0, end);
    CHECK(stage.state(1) == JobState::failed);
  }
  SUBCASE("another interruption is one") {
    end.kind = EndKind::lost_contact;
    stage.hear(fs0, end);
    CHECK(stage.manager.job(1)->reruns == 1);
  }
  CHECK(stage.manager.job(1)->keeper_deaths == 0);
}

TEST_CASE("keeper deaths: a home site's answer to a pausing request is for nothing, and the pause goes on") {
  Stage stage;
  stage.submit({with_reruns(1)});
  stage.run_one(1, 1);
  stage.pass(seconds(1));
  stage.hear(fs0, lost_with_keeper(request(1, 1)));
  stage.said<Release>(site);
  const Instant again_at = stage.manager.job(1)->again_at;
  REQUIRE(again_at != never);
  const LeaseId early{SiteName("home"), {9, 9}};
  SUBCASE("a grant goes back") {
    stage.hear(site, grant(request(1, 2), {group(fs0, {0, 1})}, early));
    const auto released = stage.said<Release>(site);
    REQUIRE(released.size() == 1);
    CHECK(released[0].lease == early);
  }
  SUBCASE("a refusal is not heard") { stage.hear(site, Refuse{request(1, 2), RefusalReason::too_large, 0, {}}); }
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->again_at == again_at);
  stage.pass(again_at - stage.now);
  CHECK(stage.said<Request>(site).size() == 1);
}

TEST_CASE("keeper deaths: they and a pause survive a restart of the job manager [S138c]") {
  Stage stage;
  stage.submit({with_reruns(1)});
  lose_keeper(stage, 1);
  stage.run_one(1, 2);
  stage.hear(fs0, lost_with_keeper(request(1, 2)));
  const Instant again_at = stage.manager.job(1)->again_at;
  REQUIRE(again_at > stage.now + seconds(1));
  stage.restart(true);
  CHECK(stage.manager.job(1)->again_at == again_at);
  SUBCASE("which is over before the site is heard") {
    stage.pass(again_at - stage.now);
    CHECK(stage.out.messages.empty());
    stage.up(site, true);
  }
  SUBCASE("which is over later") {
    stage.up(site, true);
    stage.pass(again_at - stage.now - microseconds(1));
    CHECK(stage.said<Request>(site).empty());
    stage.pass(microseconds(1));
  }
  SUBCASE("which a cancellation ends, and the site needn't hear of that") {
    stage.up(site, true);
    stage.cancel(1);
    CHECK(stage.state(1) == JobState::cancelled);
    CHECK(stage.said<Cancel>(site).empty());
    stage.pass(seconds(100));
    CHECK(stage.said<Request>(site).empty());
    return;
  }
  CHECK(stage.said<Request>(site).size() == 1);
  stage.run_one(1, 3);
  stage.hear(fs0, lost_with_keeper(request(1, 3)));
  CHECK(stage.state(1) == JobState::failed);
}

TEST_CASE("keeper deaths: that of one component is known after a restart, while another component is awaited") {
  Stage stage;
  stage.submit({sleeper({4, 4})});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  stage.hear(fs0, Started{request(1), 0, 7});
  Ended other = ended(request(1), EndKind::stopped, 1);
  stage.hear(fs0, lost_with_keeper(request(1)));
  CHECK(stage.state(1) == JobState::ending);
  stage.restart();
  stage.up(site, true);
  stage.up(fs1, true);
  stage.hear(fs1, other);
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->keeper_deaths == 1);
  CHECK(stage.manager.job(1)->reruns == 0);
}

TEST_CASE("keeper deaths: a second interruption of another kind waits too, each further one longer [S138c]") {
  Stage stage;
  stage.submit({with_reruns(20)});
  for (const std::int64_t pause : {0, 1, 2, 4, 8, 16, 32, 64, 64, 64}) {
    const std::uint32_t attempt = stage.manager.job(1)->attempt;
    stage.run_one(1, attempt);
    stage.hear(fs0, ended(request(1, attempt), EndKind::lost_contact));
    const Instant again_at = stage.manager.job(1)->again_at;
    CHECK((again_at == never ? Duration{} : again_at - stage.now) == seconds(pause));
    stage.pass(seconds(pause));
    CHECK(stage.said<Request>(site).size() == 1);
  }
}

TEST_CASE("keeper deaths: reruns are spread in time, and come later for jobs that had run for long [S138c]") {
  const JobManagerSettings settings = settings_of_alice();
  const auto is_about = [](Duration pause, Duration expected) {
    return pause >= expected && pause <= expected + microseconds(100);
  };
  Job job;
  std::set<Duration> pauses;
  int earlier = 0, later = 0;
  for (std::uint64_t number = 1; number <= 50; ++number) {
    job.keeper_deaths = 1;
    const Duration first = pause_before_rerun(job, request(number), Interruption::keeper, {}, settings);
    CHECK(first >= seconds(10));
    CHECK(first < seconds(20));
    CHECK(pause_before_rerun(job, request(number), Interruption::keeper, seconds(40), settings) ==
          first + seconds(40));
    CHECK(pause_before_rerun(job, request(number), Interruption::keeper, seconds(4000), settings) ==
          first + seconds(60));
    job.keeper_deaths = 2;
    CHECK(is_about(pause_before_rerun(job, request(number), Interruption::keeper, {}, settings), first * 2));
    job.keeper_deaths = 1000;
    CHECK(is_about(pause_before_rerun(job, request(number), Interruption::keeper, {}, settings), first * 64));
    job.keeper_deaths = 1;
    const Duration again = pause_before_rerun(job, request(number, 2), Interruption::keeper, {}, settings);
    earlier += again < first - seconds(1);
    later += again > first + seconds(1);
    pauses.insert(first);
  }
  CHECK(pauses.size() > 40);
  // Jobs that met once don't meet each time.
  CHECK(earlier > 10);
  CHECK(later > 10);
}

TEST_CASE("keeper deaths: the progress that an earlier version wrote is read, without what it didn't know") {
  Stage stage;
  stage.run_one();
  for (const JobManagerRecord& record : stage.manager.records()) {
    const auto* progress = std::get_if<ProgressRecord>(&record);
    if (progress == nullptr) continue;
    auto row = nlohmann::json::parse(to_json(*progress, Duration{}));
    row.erase("keeper_deaths");
    row.erase("again_at");
    for (auto& component_run : row["tasks"]) component_run.erase(component_run.size() - 1);
    ProgressRecord read;
    CHECK(from_json(row.dump(), Duration{}, read) == "");
    CHECK(read.keeper_deaths == 0);
    CHECK(read.again_at == never);
    REQUIRE(read.components.size() == 1);
    CHECK(read.components[0].phase == ComponentPhase::started);
  }
}

}  // namespace job_manager_keeper_test
