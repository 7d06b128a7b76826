// Loading a grid's workload: order, the cap, thinning, refusals; and the content of the shipped workloads.
#include "workloads/multicluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "tests/temporary_file.hpp"

namespace multicluster_test {

using namespace dmm;

namespace {

std::string record(int number, int submit, int run, int processors, int partition) {
  return std::to_string(number) + " " + std::to_string(submit) + " 0 " + std::to_string(run) + " " +
         std::to_string(processors) + " -1 -1 -1 -1 -1 1 1 -1 -1 1 " + std::to_string(partition) + " -1 -1\n";
}

Workload loaded(const WorkloadOptions& options) {
  auto result = load_workload(options);
  const auto* const error = std::get_if<WorkloadError>(&result);
  REQUIRE_MESSAGE(error == nullptr, error->text);
  return std::get<Workload>(std::move(result));
}

std::string refusal(const WorkloadOptions& options) {
  const auto result = load_workload(options);
  const auto* const error = std::get_if<WorkloadError>(&result);
  return error != nullptr ? error->text : "";
}

std::string shipped(const std::string& name) { return std::string(DMM_SOURCE_DIR "/workloads/") + name; }

bool is_sorted_by_submit(const Workload& workload) {
  const auto earlier = [](const ClusterJob& a, const ClusterJob& b) {
    return a.job.submit_seconds < b.job.submit_seconds;
  };
  return std::is_sorted(workload.jobs.begin(), workload.jobs.end(), earlier);
}

}  // namespace

TEST_CASE("multicluster: jobs come by submit time, ties in the order of the file, with their clusters") {
  const TemporaryFile file(record(1, 50, 10, 2, 3) + record(2, 20, 10, 1, 0) + record(3, 50, 10, 4, 1) +
                           record(4, 30, -1, 4, 1) + record(5, 0, 10, 1, -1));
  const Workload workload = loaded({.path = file.path()});
  REQUIRE(workload.jobs.size() == 4);
  const std::uint64_t numbers[] = {5, 2, 1, 3};
  const std::uint32_t clusters[] = {0, 0, 3, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(workload.jobs[i].job.number == numbers[i]);
    CHECK(workload.jobs[i].cluster == clusters[i]);
  }
  CHECK(workload.file.lines == 5);
  CHECK(workload.file.unusable == 1);
  CHECK(workload.without_cluster == 1);
  CHECK(workload.clusters == 4);
  CHECK(workload.widest_processors == 4);
  CHECK(workload.processor_seconds == 80);  // 10 s x (2 + 1 + 4 + 1)
}

TEST_CASE("multicluster: longer run times are cut to the cap, by default 6 hours") {
  const TemporaryFile file(record(1, 0, 21600, 1, 0) + record(2, 1, 21601, 2, 0) + record(3, 2, 90000, 1, 0));
  const Workload by_default = loaded({.path = file.path()});
  CHECK(by_default.capped == 2);
  CHECK(by_default.processor_seconds == 4 * 21600);
  const Workload hour = loaded({.path = file.path(), .run_cap_seconds = 3600});
  CHECK(hour.capped == 3);
  CHECK(hour.jobs[2].job.run_seconds == 3600);
  const Workload uncapped = loaded({.path = file.path(), .run_cap_seconds = 0});
  CHECK(uncapped.capped == 0);
  CHECK(uncapped.jobs[2].job.run_seconds == 90000);
}

TEST_CASE("multicluster: a smaller number of jobs is spread evenly over the window") {
  std::string content;
  for (int i = 9; i >= 0; --i) content += record(i, i * 100, 10, 1, 0);
  const TemporaryFile file(content);
  const Workload four = loaded({.path = file.path(), .jobs_max = 4});
  REQUIRE(four.jobs.size() == 4);  // at 0 * 10 / 4, 1 * 10 / 4, ... = 0, 2, 5, 7
  CHECK(four.jobs[0].job.number == 0);
  CHECK(four.jobs[1].job.number == 2);
  CHECK(four.jobs[2].job.number == 5);
  CHECK(four.jobs[3].job.number == 7);
  CHECK(four.processor_seconds == 40);
  CHECK(four.file.usable == 10);
  CHECK(loaded({.path = file.path(), .jobs_max = 10}).jobs.size() == 10);
  CHECK(loaded({.path = file.path(), .jobs_max = 11}).jobs.size() == 10);
}

TEST_CASE("multicluster: bad lines are fatal unless told otherwise") {
  const TemporaryFile file(record(1, 0, 10, 1, 0) + "garbage\n" + record(2, 0, 10, 1, 0));
  CHECK(refusal({.path = file.path()}) ==
        file.path() + ":2: column 1 (job number) is \"garbage\"; expected a number");
  const Workload workload = loaded({.path = file.path(), .bad_lines = BadLines::skip});
  CHECK(workload.jobs.size() == 2);
  CHECK(workload.file.bad == 1);
}

TEST_CASE("multicluster: refusals name the file and the reason") {
  CHECK(refusal({.path = "/nonexistent.swf"}) == "/nonexistent.swf: can't be opened: No such file or directory");
  const TemporaryFile file("; only a header\n" + record(1, 0, -1, 1, 0));
  CHECK(refusal({.path = file.path()}) == file.path() +
                                              ": no job that can be replayed in 1 lines"
                                              " (1 without submit time, run time or size, 0 bad)");
  CHECK(refusal({.path = "x.swf", .run_cap_seconds = -1}) ==
        "x.swf: the cap of run times is -1 s; expected 0 for none, or more");
}

TEST_CASE("multicluster: the shipped day of the dual grid is read whole") {
  const Workload day = loaded({.path = shipped("dual-grid-day.swf.gz")});
  CHECK(day.file.lines == 6809);
  CHECK(day.file.usable == 6563);
  CHECK(day.file.unusable == 246);
  CHECK(day.file.bad == 0);
  CHECK(day.jobs.size() == 6563);
  CHECK(day.clusters == 20);
  CHECK(day.without_cluster == 0);
  CHECK(day.widest_processors == 48);
  CHECK(day.capped == 4218);
  CHECK(day.processor_seconds == 131'391'546);
  CHECK(is_sorted_by_submit(day));
  CHECK(day.jobs.back().job.submit_seconds < 86400);
  std::map<std::uint32_t, int> jobs;
  for (const ClusterJob& job : day.jobs) ++jobs[job.cluster];
  const int expected[] = {715, 601, 534, 50,  376, 495, 181, 105, 318, 613,
                          507, 99,  47,  384, 15,  255, 269, 270, 416, 313};
  for (std::uint32_t cluster = 0; cluster < 20; ++cluster) CHECK(jobs[cluster] == expected[cluster]);

  const Workload few = loaded({.path = shipped("dual-grid-day.swf.gz"), .jobs_max = 500});
  CHECK(few.jobs.size() == 500);
  CHECK(few.clusters == 20);
  CHECK(few.jobs.front() == day.jobs.front());
  CHECK(few.jobs.back().job.submit_seconds > 80000);
}

TEST_CASE(
    "multicluster: in the shipped morning alpha is asked for more than it has, and both sites together aren't") {
  const Workload morning = loaded({.path = shipped("two-sites-morning.swf.gz")});
  CHECK(morning.jobs.size() == 141);
  CHECK(morning.file.lines == 141);
  CHECK(morning.clusters == 2);
  CHECK(morning.capped == 0);
  CHECK(morning.jobs.back().job.submit_seconds < 7200);
  const std::uint32_t processors[] = {8, 16};
  double demanded[] = {0, 0};
  for (const ClusterJob& entry : morning.jobs) {
    REQUIRE(entry.cluster < 2);
    CHECK(entry.job.processors <= processors[entry.cluster]);
    demanded[entry.cluster] += static_cast<double>(entry.job.run_seconds) * entry.job.processors;
  }
  CHECK(demanded[0] == 73532);  // 1.28 x 8 processors x 7,200 s
  CHECK(demanded[1] == 54468);  // 0.47 x 16 processors x 7,200 s
}

}  // namespace multicluster_test
