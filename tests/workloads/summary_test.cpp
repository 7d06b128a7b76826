// The figures of a run, worked out by hand; and the words for the origins that divide some of them.
#include "workloads/summary.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "protocol/origin.hpp"

namespace summary_test {

using namespace dmm;
using State = JobOutcome::State;
using doctest::Approx;

namespace {

JobOutcome finished(double submit, double start, double end, std::uint32_t processors) {
  return {.submit_seconds = submit,
          .start_seconds = start,
          .end_seconds = end,
          .processors = processors,
          .state = State::finished};
}

}  // namespace

TEST_CASE("summary: origins have words") {
  CHECK(to_text(Origin::local) == "local");
  CHECK(to_text(Origin::intra_site) == "intra_site");
  CHECK(to_text(Origin::intra_grid) == "intra_grid");
  CHECK(to_text(Origin::inter_grid) == "inter_grid");
  CHECK(to_text(static_cast<Origin>(origin_count)) == "unknown");
}

TEST_CASE("summary: nothing submitted gives zeroes, not divisions by zero") {
  const Summary summary = summarise({}, 100);
  CHECK(summary.jobs_submitted == 0);
  CHECK(summary.average_wait_seconds == 0);
  CHECK(summary.makespan_seconds == 0);
  CHECK(summary.utilisation == 0);
  CHECK(summary.longest_chain == 0);
}

TEST_CASE("summary: a run of seven jobs on ten processors has the figures worked out by hand") {
  std::vector<JobOutcome> jobs;
  // wait 0, run 100, response 100; slowdown 1; bounded 1; 200 processor-seconds
  jobs.push_back(finished(10, 10, 110, 2));
  jobs.back().messages = 8;
  // wait 50, run 50, response 100; slowdown 2; bounded 2; 200 processor-seconds
  jobs.push_back(finished(20, 70, 120, 4));
  jobs.back().origin = Origin::intra_site;
  jobs.back().delegations = 1;
  jobs.back().delegations_tried = 2;
  jobs.back().messages = 20;
  jobs.back().overhead_seconds = 0.03;
  // wait 8, run 2, response 10; slowdown 5; bounded 10 / 10 = 1; 6 processor-seconds
  jobs.push_back(finished(100, 108, 110, 3));
  jobs.back().origin = Origin::inter_grid;
  jobs.back().delegations = 4;
  jobs.back().delegations_tried = 7;
  jobs.back().messages = 50;
  // failed after 20 s on 5 processors: used, but no goodput
  jobs.push_back(finished(30, 40, 60, 5));
  jobs.back().state = State::failed;
  jobs.back().delegations = 9;
  jobs.push_back({.submit_seconds = 5, .processors = 1, .state = State::cancelled});  // before it started
  jobs.push_back({.submit_seconds = 50, .start_seconds = 60, .processors = 1, .state = State::lost});
  jobs.push_back({.submit_seconds = 90, .processors = 1, .state = State::unfinished});

  const Summary summary = summarise(jobs, 10);
  CHECK(summary.jobs_submitted == 7);
  CHECK(summary.jobs_finished == 3);
  CHECK(summary.jobs_failed == 1);
  CHECK(summary.jobs_lost == 1);
  CHECK(summary.jobs_cancelled == 1);
  CHECK(summary.jobs_unfinished == 1);
  CHECK(summary.average_wait_seconds == Approx(58.0 / 3));
  CHECK(summary.average_response_seconds == Approx(70));
  CHECK(summary.average_slowdown == Approx(8.0 / 3));
  CHECK(summary.average_bounded_slowdown == Approx(4.0 / 3));
  CHECK(summary.average_overhead_seconds == Approx(0.01));
  CHECK(summary.goodput_processor_seconds == Approx(406));
  CHECK(summary.goodput_processor_seconds_by_origin[0] == Approx(200));
  CHECK(summary.goodput_processor_seconds_by_origin[1] == Approx(200));
  CHECK(summary.goodput_processor_seconds_by_origin[2] == Approx(0));
  CHECK(summary.goodput_processor_seconds_by_origin[3] == Approx(6));
  CHECK(summary.jobs_finished_by_origin == std::array<std::uint64_t, 4>{1, 1, 0, 1});
  CHECK(summary.delegations_per_job == Approx(5.0 / 3));
  CHECK(summary.delegations_tried_per_job == Approx(3));
  CHECK(summary.longest_chain == 5);  // the failed job's ten don't count
  CHECK(summary.messages_per_job_median == Approx(20));
  CHECK(summary.messages_per_job_p95 == Approx(50));
  CHECK(summary.makespan_seconds == Approx(115));  // from 5 to 120
  CHECK(summary.utilisation == Approx((406.0 + 100.0) / (10 * 115)));
  CHECK(summary.used_processor_seconds == Approx(506));
  CHECK(summary.jobs_started == 5);
  CHECK(summary.jobs_finished_percent == Approx(300.0 / 7));
  CHECK(summary.longest_wait_seconds == Approx(50));
  CHECK(summary.longest_response_seconds == Approx(100));
  CHECK(summary.greatest_slowdown == Approx(5));
}

TEST_CASE("summary: a run that was stopped counts what its running jobs had used by then") {
  SummaryBuilder builder;
  builder.add(finished(0, 10, 60, 4));                                        // 200
  builder.add({.submit_seconds = 20, .start_seconds = 50, .processors = 3});  // 3 x 50 by 100
  builder.add({.submit_seconds = 100, .processors = 9});                      // never started
  const Summary stopped = builder.summary(10, 100.0);
  CHECK(stopped.makespan_seconds == Approx(100));
  CHECK(stopped.used_processor_seconds == Approx(350));
  CHECK(stopped.utilisation == Approx(0.35));
  CHECK(stopped.jobs_unfinished == 2);
  CHECK(stopped.jobs_started == 2);
  CHECK(stopped.goodput_processor_seconds == Approx(200));
  CHECK(builder.summary(10).utilisation == Approx(200.0 / 600));  // only what has ended
}

TEST_CASE("summary: counts of messages beyond any table keep their median and percentile") {
  SummaryBuilder builder;
  for (const std::uint32_t messages : {5000u, 3u, 1023u, 1024u, 70'000u}) {
    JobOutcome job = finished(0, 0, 1, 1);
    job.messages = messages;
    builder.add(job);
  }
  CHECK(builder.summary(1).messages_per_job_median == Approx(1024));
  CHECK(builder.summary(1).messages_per_job_p95 == Approx(70'000));
}

TEST_CASE("summary: slowdowns are bounded below by 1 and at 10 seconds; a run of 0 has no slowdown") {
  const std::vector<JobOutcome> jobs{
      finished(0, 0, 4, 1),     // slowdown 1, bounded max(1, 4 / 10) = 1
      finished(0, 99, 100, 1),  // slowdown 100, bounded 100 / 10 = 10
      finished(0, 30, 30, 1),   // no slowdown, bounded 30 / 10 = 3
  };
  const Summary summary = summarise(jobs, 1);
  CHECK(summary.average_slowdown == Approx(50.5));
  CHECK(summary.average_bounded_slowdown == Approx(14.0 / 3));
}

TEST_CASE("summary: messages have a median and a 95th percentile") {
  std::vector<JobOutcome> jobs;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    jobs.push_back(finished(0, 0, 1, 1));
    jobs.back().messages = 21 - i;
  }
  Summary summary = summarise(jobs, 1);
  CHECK(summary.messages_per_job_median == Approx(10.5));
  CHECK(summary.messages_per_job_p95 == Approx(19));  // the 19th of 20
  jobs.push_back(finished(0, 0, 1, 1));
  jobs.back().messages = 1000;
  summary = summarise(jobs, 1);
  CHECK(summary.messages_per_job_median == Approx(11));
  CHECK(summary.messages_per_job_p95 == Approx(20));  // 0.95 x 21 = 19.95, so the 20th of 21
}

TEST_CASE("summary: a grid that is full all the time has a utilisation of 1") {
  const std::vector<JobOutcome> jobs{finished(0, 0, 60, 6), finished(0, 0, 60, 4), finished(0, 60, 90, 10)};
  CHECK(summarise(jobs, 10).utilisation == Approx(1.0));
  CHECK(summarise(jobs, 0).utilisation == 0);
}

}  // namespace summary_test
