// Accepting jobs: numbers, files, and repeated submissions.
#include "jobmgr/intake.hpp"

#include <doctest/doctest.h>

namespace dmm::intake_test {
namespace {

JobDescription writing(const char* output) {
  JobDescription job;
  job.program.arguments = {"sleep", "1"};
  job.output_path = output;
  return job;
}

}  // namespace

TEST_CASE("intake: numbers go on after those of before a restart") {
  Intake intake(5, 10);
  CHECK(intake.new_number() == 5);
  intake.note_given(9);
  intake.note_given(3);
  CHECK(intake.next_job() == 9);
  CHECK(intake.new_number() == 9);
}

TEST_CASE("intake: a submission gets all of its files or none") {
  Intake intake(1, 10);
  CHECK(intake.take_output_paths({1, {writing("/a"), writing("/b")}}).empty());
  for (int job = 0; job < 2; ++job) intake.new_number();
  CHECK(intake.take_output_paths({2, {writing("/c"), writing("/b")}}).starts_with("output_file: job 2"));
  CHECK(intake.take_output_paths({3, {writing("/d"), writing("/d")}}).starts_with("output_file: job 3"));
  // The refused submissions have reserved neither /c nor /d.
  CHECK(intake.take_output_paths({4, {writing("/c"), writing("/d")}}).empty());
  Job over;
  over.number = 1;
  over.description = writing("/a");
  intake.give_back(over);
  intake.new_number(), intake.new_number();
  CHECK(intake.take_output_paths({5, {writing("/a")}}).empty());
}

TEST_CASE("intake: a repeated submission is told by what is still known of its jobs") {
  JobTable jobs;
  Job job;
  job.number = 4;
  job.description = writing("/a");
  jobs.add(std::move(job));
  const Submitted answer{1, 4, 1, ""};
  Submit submit{1, {writing("/a")}};
  CHECK(Intake::is_repeated(submit, answer, jobs));
  CHECK(Intake::is_repeated(submit, {1, 9, 1, ""}, jobs));  // its job is forgotten, so nothing contradicts it
  SUBCASE("more jobs") { submit.jobs.push_back(writing("/b")); }
  SUBCASE("another file") { submit.jobs[0].output_path = "/b"; }
  SUBCASE("another program") { submit.jobs[0].program.arguments = {"sleep", "2"}; }
  SUBCASE("another need") { submit.jobs[0].need.components.push_back({4, {}, {}}); }
  CHECK_FALSE(Intake::is_repeated(submit, answer, jobs));
}

}  // namespace dmm::intake_test
