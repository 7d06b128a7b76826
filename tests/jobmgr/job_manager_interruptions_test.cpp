// What the end of an attempt costs its job: nothing, if nothing ran or if an owner ended it by its right.
#include "jobmgr/reruns.hpp"
#include "tests/jobmgr/job_manager_stage.hpp"

namespace dmm::job_manager_interruptions_test {

using namespace job_stage;

TEST_CASE("interruptions: an attempt that ran nothing is free, also if the job may run once at most [S138d]") {
  Stage stage;
  JobDescription job = sleeper();
  job.reruns_max = 0;
  stage.submit({job});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  Ended end = ended(request(1), EndKind::stopped);
  end.wall = {};
  SUBCASE("its resource manager had no lease") {
    end.kind = EndKind::start_failed, end.fault = StartFault::no_lease;
  }
  SUBCASE("its lease was idle, by the word of its owner") {
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::idle, true, {}});
  }
  SUBCASE("it was stopped before it ran") {
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::node_lost, false, {}});
  }
  stage.hear(fs0, end);
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->reruns == 0);
  CHECK(stage.manager.job(1)->false_starts == 1);
}

TEST_CASE(
    "interruptions: an owner that took its nodes back before anything ran is named to the next one [S138e]") {
  Stage stage;
  JobDescription job = sleeper();
  job.reruns_max = 0;
  stage.submit({job});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, false, {}});
  Ended end = ended(request(1), EndKind::start_failed);
  end.fault = StartFault::no_lease, end.wall = {};
  stage.out.messages.clear();
  stage.hear(fs0, end);
  const JobView view = *stage.manager.job(1);
  CHECK(view.state == JobState::waiting);
  CHECK(view.false_starts == 0);
  CHECK(view.past_causes == RareList{InterruptionCause{lease.owner, LeaseEnd::reclaimed, 1}});
  if (view.again_at != never) stage.pass(view.again_at - stage.now);
  const auto next = stage.said<Request>(site);
  REQUIRE(next.size() == 1);
  CHECK(next[0].past.times == 1);
  REQUIRE(next[0].past.owners.size() == 1);
  CHECK(next[0].past.owners[0] == lease.owner);
}

TEST_CASE(
    "interruptions: a Start that came late to an idle lease costs no rerun, though the program ran [S138e]") {
  Stage stage;
  JobDescription job = sleeper();
  SUBCASE("the job may run again") { job.reruns_max = 1; }
  SUBCASE("it may not") { job.reruns_max = 0; }
  stage.submit({job});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::idle, false, {}});
  Ended end = ended(request(1), EndKind::stopped);
  end.wall = seconds(10);
  stage.hear(fs0, end);
  const JobView view = *stage.manager.job(1);
  CHECK(view.state == (job.reruns_max > 0 ? JobState::waiting : JobState::lost));
  CHECK(view.reruns == 0);
  CHECK(view.text.find("was idle for too long for its owner") != std::string::npos);
  if (job.reruns_max == 0) return;
  CHECK(view.false_starts == 0);
  CHECK(view.past_causes == RareList{InterruptionCause{lease.owner, LeaseEnd::idle, 1}});
}

TEST_CASE("interruptions: an end by an owner's right costs no rerun, and the next request tells of it [S138e]") {
  Stage stage;
  JobDescription job = sleeper();
  job.reruns_max = 1;
  stage.submit({job});
  LeaseEnd reason = LeaseEnd::reclaimed;
  bool is_told_by_site = true;
  SUBCASE("reclaimed") {}
  SUBCASE("at its longest") { reason = LeaseEnd::at_longest; }
  SUBCASE("its node is taken out of service") { reason = LeaseEnd::node_removed; }
  SUBCASE("reclaimed, and the resource manager says it first") { is_told_by_site = false; }
  for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) {
    stage.run_one(1, attempt);
    stage.pass(seconds(10 * attempt));
    if (is_told_by_site) stage.hear(site, LeaseEnded{lease, {}, reason, false, {}});
    Ended end = ended(request(1, attempt), is_told_by_site ? EndKind::stopped : EndKind::lease_ended);
    if (!is_told_by_site) end.lease_end = reason;
    stage.out.messages.clear();
    stage.hear(fs0, end);
    CHECK(stage.state(1) == JobState::waiting);
    const JobView view = *stage.manager.job(1);
    CHECK(view.reruns == 0);
    CHECK(view.past.times == attempt);
    CHECK(view.past_causes == RareList{InterruptionCause{lease.owner, reason, attempt}});
    CHECK(view.text.find("owner") != std::string::npos);
    if (view.again_at != never) stage.pass(view.again_at - stage.now);
    const auto next = stage.said<Request>(site);
    REQUIRE(next.size() == 1);
    CHECK(next[0].past == Interruptions{attempt, seconds(10 * attempt), {lease.owner}});
  }
}

TEST_CASE(
    "interruptions: a preemption is the home site's, and no owner is spared or asked to protect for it [S138e]") {
  Stage stage;
  stage.submit({sleeper()});
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    stage.run_one(1, attempt);
    stage.pass(seconds(10));
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::preempted, false, {}});
    stage.out.messages.clear();
    stage.hear(fs0, ended(request(1, attempt), EndKind::stopped));
    const JobView view = *stage.manager.job(1);
    CHECK(view.state == JobState::waiting);
    CHECK(view.reruns == 0);
    CHECK(view.past_causes == RareList{InterruptionCause{site.site, LeaseEnd::preempted, attempt}});
    CHECK(interruptions_of(view.past, view.past_causes) == attempt);
    if (view.again_at != never) stage.pass(view.again_at - stage.now);
    const auto next = stage.said<Request>(site);
    REQUIRE(next.size() == 1);
    CHECK(next[0].past == Interruptions{});
  }
  stage.run_one(1, 4);
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, true, {}});
  const JobView view = *stage.manager.job(1);
  CHECK(view.past.owners == SiteNames{lease.owner});
  CHECK(interruptions_of(view.past, view.past_causes) == 4);
  CHECK(view.again_at - stage.now == seconds(4));  // pauses grow with preemptions, too
}

TEST_CASE(
    "interruptions: a resource manager's word of its owner's right counts if the site forgot the lease [S138e]") {
  Stage stage;
  stage.run_one(1);
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::unknown, false, {}});
  Ended end = ended(request(1), EndKind::lost);
  end.lease_end = LeaseEnd::node_removed;
  stage.hear(fs0, end);
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.manager.job(1)->reruns == 0);
  CHECK(stage.manager.job(1)->past_causes == RareList{InterruptionCause{lease.owner, LeaseEnd::node_removed, 1}});
}

TEST_CASE("interruptions: a link taken out of service ends no job, and a job lost then isn't charged [S115]") {
  Stage stage;
  stage.submit({sleeper()});
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::link_removed, false, {}});
  CHECK(stage.said<Stop>(fs0).empty());
  SUBCASE("it ends by itself") {
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("its resource manager loses contact") {
    stage.hear(fs0, ended(request(1), EndKind::lost_contact));
    CHECK(stage.manager.job(1)->reruns == 0);
    CHECK(stage.manager.job(1)->past.times == 1);
  }
}

TEST_CASE("interruptions: the latest owners that interrupted a job, and how, are kept, over a restart too") {
  std::vector<InterruptionCause> causes;
  for (std::size_t i = 0; i < interruption_causes_max; ++i)
    note_cause(causes, SiteName("o" + std::to_string(i)), LeaseEnd::reclaimed);
  note_cause(causes, SiteName("o1"), LeaseEnd::reclaimed);
  CHECK(causes.size() == interruption_causes_max);
  CHECK(causes.back() == InterruptionCause{SiteName("o1"), LeaseEnd::reclaimed, 2});
  note_cause(causes, SiteName("o1"), LeaseEnd::at_longest);
  CHECK(causes.size() == interruption_causes_max);
  CHECK(causes.front().owner == SiteName("o2"));
  CHECK(causes.back() == InterruptionCause{SiteName("o1"), LeaseEnd::at_longest, 1});

  Stage stage;
  stage.submit({sleeper()});
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::at_longest, true, {}});
  stage.restart();
  CHECK(stage.manager.job(1)->past_causes == RareList{InterruptionCause{lease.owner, LeaseEnd::at_longest, 1}});
}

TEST_CASE("interruptions: a reclaimed job that may run once at most is lost, and says by which owner [S138d]") {
  Stage stage;
  JobDescription job = sleeper();
  job.reruns_max = 0;
  stage.submit({job});
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, false, {}});
  stage.hear(fs0, ended(request(1), EndKind::stopped));
  CHECK(stage.state(1) == JobState::lost);
  CHECK(stage.manager.job(1)->text.starts_with("interrupted, and may not run again; reclaimed by its owner, "));
}

}  // namespace dmm::job_manager_interruptions_test
