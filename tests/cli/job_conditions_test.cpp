// When a job becomes eligible, as users write it: begin times and dependencies.
#include "cli/jobs/job_conditions.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <time.h>

#include "cli/jobs/job_file.hpp"
#include "cli/managers/managers.hpp"

namespace job_conditions_test {

using namespace dmm;

namespace {

/// 2026-11-26 18:00:00 UTC.
constexpr std::int64_t now = 1'795'716'000;

/// The time zone of this process, until the end of the test.
struct Zone {
  explicit Zone(const char* name) {
    if (const char* const was = ::getenv("TZ")) before = was;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    before.empty() ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
  std::string before;
};

std::int64_t off(const std::string& text) {
  const auto read = parse_begin(text, now);
  CAPTURE(text);
  if (const auto* fault = std::get_if<std::string>(&read)) FAIL(*fault);
  return std::get<std::uint32_t>(read);
}

std::string begin_fault(const std::string& text) {
  const auto read = parse_begin(text, now);
  CAPTURE(text);
  REQUIRE(std::holds_alternative<std::string>(read));
  return std::get<std::string>(read);
}

std::string dependency_fault(const std::string& text) {
  std::vector<JobName> named;
  const auto read = parse_dependencies(text, named);
  CAPTURE(text);
  REQUIRE(std::holds_alternative<std::string>(read));
  return std::get<std::string>(read);
}

}  // namespace

TEST_CASE("begin: lengths of time from now") {
  CHECK(off("now") == 0);
  CHECK(off("now+90") == 90);
  CHECK(off("now+30minutes") == 1'800);
  CHECK(off("now+1hour") == 3'600);
  CHECK(off("now+2h") == 7'200);
  CHECK(off("now+1day") == 86'400);
  CHECK(off("now+2weeks") == 14 * 86'400);
}

TEST_CASE("begin: a time of day is its next occurrence, by the local clock") {
  const Zone zone("UTC");
  CHECK(off("18:30") == 1'800);
  CHECK(off("18:00:01") == 1);
  CHECK(off("18:00") == 86'400);  // it is 18:00 now
  CHECK(off("08:15") == 14 * 3'600 + 900);
  const Zone east("UTC-2");  // it is 20:00 there
  CHECK(off("20:30") == 1'800);
  CHECK(off("19:00") == 23 * 3'600);
}

TEST_CASE("begin: a date is at its midnight, or at the time that is said") {
  const Zone zone("UTC");
  CHECK(off("2026-11-27") == 6 * 3'600);
  CHECK(off("2026-11-26T18:01") == 60);
  CHECK(off("2026-11-26T18:00:05") == 5);
  CHECK(off("2026-11-26T18:00") == 0);
  CHECK(begin_fault("2026-11-26").ends_with("is past; leave the begin time out to have the job begin at once"));
  CHECK(begin_fault("2126-11-26") == "'2126-11-26' is more than ten years off");
}

TEST_CASE("begin: what is none of these is refused, with what was expected") {
  for (const char* text : {"", "soon", "now+", "now+-1", "now+1fortnight", "now+1.5hours", "25:00", "18:30x",
                           "18:60", "2027-02-30", "2026-13-01", "tomorrow", "now+99999999999999999999"})
    CHECK(begin_fault(text).starts_with("expected now+1hour, now+90 (seconds), HH:MM[:SS] or YYYY-MM-DD"));
}

TEST_CASE("dependencies: kinds, numbers and full names are read, and all of them must be met") {
  std::vector<JobName> named;
  const auto read = parse_dependencies("after:12,afterok:13:das-0/alice/14,afternotok:15,afterany:16", named);
  REQUIRE(std::holds_alternative<RareList<Dependency>>(read));
  using enum DependencyKind;
  const auto& list = std::get<RareList<Dependency>>(read);
  CHECK(std::vector(list.begin(), list.end()) ==
        std::vector<Dependency>{{after, 12}, {after_ok, 13}, {after_ok, 14}, {after_not_ok, 15}, {after_any, 16}});
  REQUIRE(named.size() == 1);
  CHECK(fault_of_names(named, job_manager_of(SiteName("das-0"), "alice")) == "");
  CHECK(fault_of_names(named, job_manager_of(SiteName("das-0"), "bob"))
            .starts_with("dependency: das-0/alice/14 belongs to another job manager than das-0/bob"));
  CHECK(fault_of_names(named, job_manager_of(SiteName("das-1"), "alice")) != "");
}

TEST_CASE("dependencies: what can't be read is refused, with what was expected") {
  CHECK(dependency_fault("afterok:12?afterok:13").starts_with("'?' (one of them is enough) isn't known here"));
  CHECK(dependency_fault("singleton").find("the kinds are after, afterok, afternotok and afterany") !=
        std::string::npos);
  CHECK(dependency_fault("aftercorr:12").find("got 'aftercorr:12'") != std::string::npos);
  CHECK(dependency_fault("12").find("the kinds are") != std::string::npos);
  for (const char* text : {"afterok", "afterok:", "afterok:12:"})
    CHECK(dependency_fault(text).find("a job is missing in") != std::string::npos);
  for (const char* text : {"afterok:x", "after:12+5", "afterok::13", "afterok:12,afterany:-1"})
    CHECK(dependency_fault(text).find("expected a job's number, its name") != std::string::npos);
  for (const char* text : {"", "afterok:12,", ",afterok:12"})
    CHECK(dependency_fault(text).find("expected KIND:JOB") != std::string::npos);
}

TEST_CASE("job file: conditions have the texts of the options") {
  std::vector<JobName> named;
  const auto read = parse_job_file(
      R"({"command": ["true"], "hold": true, "begin": "now+1hour", "dependency": "afterok:12,after:a/u/13"})",
      "job.json", &named);
  REQUIRE(std::holds_alternative<std::vector<JobDescription>>(read));
  const JobDescription& job = std::get<std::vector<JobDescription>>(read).at(0);
  CHECK(job.hold);
  CHECK(job.begin_seconds == 3'600);
  CHECK(job.dependencies.size() == 2);
  CHECK(named.size() == 1);
  const auto fault = [](const std::string& text) {
    return std::get<JobFault>(parse_job_file(text, "job.json")).text;
  };
  CHECK(fault(R"({"command": ["true"], "begin": "soon"})").starts_with("job.json: begin: expected now+1hour"));
  CHECK(fault(R"({"command": ["true"], "dependency": "13"})")
            .starts_with("job.json: dependency: expected KIND:JOB"));
  CHECK(fault(R"({"command": ["true"], "hold": 1})").starts_with("job.json: hold: "));
}

}  // namespace job_conditions_test
