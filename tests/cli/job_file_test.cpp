// Jobs as users write them, and workloads laid over topologies: reading alone, without processes.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "../temporary_file.hpp"
#include "cli/jobs/job_file.hpp"
#include "cli/managers/managers.hpp"
#include "cli/testbed/workload_plan.hpp"

namespace job_file_test {

using namespace dmm;

namespace {

std::vector<JobDescription> several(const std::string& text) {
  auto read = parse_job_file(text, "job.json");
  if (const auto* fault = std::get_if<JobFault>(&read)) FAIL(fault->text);
  return std::get<std::vector<JobDescription>>(read);
}

JobDescription good(const std::string& text) {
  const auto jobs = several(text);
  REQUIRE(jobs.size() == 1);
  return jobs.front();
}

std::string bad(const std::string& text) {
  auto read = parse_job_file(text, "job.json");
  REQUIRE(std::holds_alternative<JobFault>(read));
  return std::get<JobFault>(read).text;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Topology two_sites() {
  auto read = parse_topology(R"({"name": "t", "sites": [
      {"name": "alpha", "clusters": [{"name": "nodes", "nodes": 8}], "users": ["u0"], "siblings": ["beta"]},
      {"name": "beta", "clusters": [{"name": "nodes", "nodes": 16}], "users": []}]})",
                             "t.json");
  if (const auto* error = std::get_if<ConfigError>(&read)) FAIL(error->text);
  return std::get<Topology>(read);
}

Workload workload_of(std::vector<ClusterJob> jobs) {
  Workload workload;
  workload.jobs = std::move(jobs);
  return workload;
}

ClusterJob job(std::uint32_t cluster, std::int64_t submit, std::int64_t run, std::uint32_t processors) {
  ClusterJob one;
  one.cluster = cluster;
  one.job.number = 17;
  one.job.submit_seconds = submit;
  one.job.run_seconds = run;
  one.job.processors = processors;
  return one;
}

}  // namespace

TEST_CASE("job file: the one in docs/jobs.md is read, and means what its table says") {
  std::ifstream file(DMM_SOURCE_DIR "/docs/jobs.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string fence = "```json\n";
  const std::size_t from = text.find(fence + "{\n  \"command\"");
  REQUIRE(from != std::string::npos);
  const std::size_t begin = from + fence.size();
  const JobDescription job = good(text.substr(begin, text.find("```", begin) - begin));
  CHECK(job.program.arguments.size() == 3);
  CHECK(job.need.kind == RequestKind::fixed);
  CHECK(job.need.components.size() == 2);
  CHECK(job.program.limits->wall_seconds == 3600);
  // The defaults in the document.
  const JobDescription least = good(R"({"command": ["true"]})");
  CHECK(least.dttl == job.dttl);
  CHECK(least.priority == job.priority);
  CHECK(least.reruns_max == job.reruns_max);
  CHECK(least.append == job.append);
  CHECK(least.keep_output == job.keep_output);
  CHECK(least.program.limits->cpu_seconds == job.program.limits->cpu_seconds);
}

TEST_CASE("job file: the keys in docs/jobs.md are those that are read") {
  std::ifstream file(DMM_SOURCE_DIR "/docs/jobs.md");
  std::set<std::string> told;
  bool is_table = false;
  for (std::string line; std::getline(file, line);) {
    is_table = line.starts_with(is_table ? "|" : "| key | meaning | without it |");
    if (!is_table) continue;
    const std::string first = line.substr(0, line.find('|', 1));
    for (std::size_t at = first.find('`'); at != std::string::npos;) {
      const std::size_t end = first.find('`', at + 1);
      told.insert(first.substr(at + 1, end - at - 1));
      at = first.find('`', end + 1);
    }
  }
  CHECK(told == keys_of_job_files());
}

TEST_CASE("job file: several jobs share what stands above them") {
  const auto jobs =
      several(R"({"name": "n", "command": ["a"], "processors": 4, "environment": {"A": "1", "B": "2"},
    "limits": {"wall_seconds": 60}, "jobs": [
      {}, {"command": ["b"], "environment": {"B": "3"}, "limits": {"cpu_seconds": 5}}, {"components": [2, 2]}]})");
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].program.arguments == std::vector<std::string>{"a"});
  CHECK(jobs[1].program.arguments == std::vector<std::string>{"b"});
  CHECK(jobs[1].name == "n");
  CHECK(jobs[1].program.environment == std::vector<std::string>{"A=1", "B=3"});
  CHECK(jobs[1].program.limits->wall_seconds == 60);
  CHECK(jobs[1].program.limits->cpu_seconds == 5);
  CHECK(jobs[1].need.components == std::vector<Component>{{4, {}, {}}});
  CHECK(jobs[2].need.components.size() == 2);
  CHECK(has(bad(R"({"jobs": []})"), "job.json: jobs: expected at least one job"));
  CHECK(has(bad(R"({"jobs": 5})"), "job.json: jobs: expected an array"));
  CHECK(has(bad(R"({"jobs": [5]})"), "job.json: jobs[0]: expected an object"));
  CHECK(has(bad(R"({"jobs": [{"command": ["a"]}, {"processors": 2}]})"),
            "job.json: jobs[1]: the key \"command\" is missing"));
  CHECK(has(bad(R"({"jobs": [{"comand": ["a"]}]})"), "job.json: jobs[0].comand"));
  CHECK(has(bad(R"({"dttl": 99, "jobs": [{"command": ["a"]}]})"), "job.json: dttl"));
  CHECK(has(bad(R"({"jobs": [{"command": ["a"], "jobs": []}]})"), "jobs[0].jobs"));
}

TEST_CASE("job file: a file with input is read whole, up to its limit") {
  const TemporaryFile input("");
  const auto text = [&](const std::string& path) {
    return R"({"command": ["cat"], "input_file": ")" + path + "\"}";
  };
  std::ofstream(input.path()) << std::string(65'536, 'i');
  CHECK(good(text(input.path())).program.input.size() == 65'536);
  std::ofstream(input.path(), std::ios::app) << 'i';
  CHECK(has(bad(text(input.path())), "has 65,537 bytes; the input of a job may have at most 65,536 bytes"));
  CHECK(has(bad(text("/no/such/file")), "input_file: can't read /no/such/file: No such file"));
  CHECK(has(bad(text("/dev/zero")), "has more than 65,536 bytes"));
  CHECK(has(bad(text("-")), "input_file: expected the path of a file"));
}

TEST_CASE("job file: the shortest job file is a command") {
  const JobDescription job = good(R"({"command": ["sleep", "5"]})");
  CHECK(job.program.arguments == std::vector<std::string>{"sleep", "5"});
  REQUIRE(job.need.components.size() == 1);
  CHECK(job.need.components[0].processors == 1);
  CHECK(job.need.kind == RequestKind::non_fixed);
  CHECK(job.dttl == 5);
  CHECK(job.keep_output);
}

TEST_CASE("job file: all keys are read") {
  const JobDescription job = good(R"({
    "name": "n", "command": ["a", "a"], "processors": 4, "working_directory": "/tmp",
    "environment": {"X": "1"}, "dttl": 2, "priority": -3, "reruns_max": 0,
    "limits": {"cpu_seconds": 1, "memory_bytes": 2, "open_files": 3, "file_bytes": 4, "wall_seconds": 5},
    "output_file": "/tmp/out", "error_file": "/tmp/err", "keep_output": false,
    "memory_bytes": 1024, "attributes": {"arch": "x86_64"}, "communication": 2.5, "warn_program_only": true})");
  CHECK(job.program.warns_program_only);
  CHECK(job.communication == 2'500);
  CHECK(job.program.arguments == std::vector<std::string>{"a", "a"});
  CHECK(job.need.components.at(0).processors == 4);
  CHECK(job.program.environment == std::vector<std::string>{"X=1"});
  CHECK(job.priority == -3);
  CHECK(job.program.limits->wall_seconds == 5);
  CHECK(job.output_path == "/tmp/out");
  CHECK_FALSE(job.keep_output);
  CHECK(job.need.constraints->attributes.at("arch") == "x86_64");
}

TEST_CASE("job file: components, fixed components and flexible requests are read") {
  CHECK(good(R"({"command": ["a"], "components": [8, 8, 4]})").need.components.size() == 3);
  const auto fixed =
      good(R"({"command": ["a"], "components": [{"processors": 8, "site": "x", "cluster": "c"}]})").need;
  CHECK(fixed.kind == RequestKind::fixed);
  CHECK(fixed.components[0].site.text == "x");
  const auto flexible = good(R"({"command": ["a"],
    "flexible": {"total": 24, "component_processors_min": 4, "components_max": 3, "splits": [[24], [12, 12]]}})")
                            .need;
  CHECK(flexible.kind == RequestKind::flexible);
  CHECK(flexible.components.at(0).processors == 24);
  CHECK(flexible.splits.size() == 2);
}

TEST_CASE("job file: a mistake is named with its field") {
  CHECK(has(bad(R"({"comand": ["a"]})"), "comand"));
  CHECK(has(bad(R"({"comand": ["a"]})"), "did you mean \"command\""));
  CHECK(has(bad(R"({})"), "command"));
  CHECK(has(bad(R"({"command": []})"), "command"));
  CHECK(has(bad(R"({"command": ["a", 5]})"), "command[1]"));
  CHECK(has(bad(R"({"command": ["a"], "processors": 0})"), "processors"));
  CHECK(has(bad(R"({"command": ["a"], "processors": 2, "components": [2]})"), "not several"));
  CHECK(has(bad(R"({"command": ["a"], "components": [0]})"), "components[0]"));
  CHECK(has(bad(R"({"command": ["a"], "components": []})"), "components"));
  CHECK(has(bad(R"({"command": ["a"], "flexible": {}})"), "total"));
  CHECK(has(bad(R"({"command": ["a"], "flexible": {"total": 4, "splits": [["x"]]}})"), "splits[0]"));
  CHECK(has(bad(R"({"command": ["a"], "dttl": 17})"), "dttl"));
  CHECK(has(bad(R"({"command": ["a"], "priority": 1.5})"), "priority"));
  CHECK(has(bad(R"({"command": ["a"], "communication": -1})"), "communication"));
  CHECK(has(bad(R"({"command": ["a"], "limits": {"cpu": 1}})"), "limits"));
  CHECK(has(bad(R"({"command": ["a"], "environment": {"A=B": "1"}})"), "environment"));
  CHECK(has(bad(R"({"command": ["a"])"), "job.json"));
}

TEST_CASE("job file: a job is named by number or in full") {
  const auto number = std::get<JobName>(parse_job("17"));
  CHECK(number.job == 17);
  CHECK(number.site.empty());
  const auto full = std::get<JobName>(parse_job("das-0/alice/17.2"));
  CHECK(full.site == "das-0");
  CHECK(full.user == "alice");
  CHECK(full.job == 17);
  CHECK(full.attempt == 2);
  CHECK(std::get<JobName>(parse_job("das-0.x/alice/17")).attempt == 0);
  for (const char* text : {"", "0", "x", "das-0/17", "17x"})
    CHECK(std::get<CommandFault>(parse_job(text)).exit_code == 2);
}

TEST_CASE("job file: a workload is laid over a topology in real seconds from its first submission") {
  const auto plan =
      plan_workload(two_sites(), workload_of({job(0, 1000, 60, 2), job(0, 1600, 600, 16)}), 100, "w.swf");
  REQUIRE(std::holds_alternative<WorkloadPlan>(plan));
  const auto& jobs = std::get<WorkloadPlan>(plan).jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].at_seconds == 0);
  CHECK(jobs[1].at_seconds == doctest::Approx(6));
  CHECK(jobs[1].run_seconds == doctest::Approx(6));
  CHECK(std::get<WorkloadPlan>(plan).managers == std::vector<Party>{job_manager_of(SiteName("alpha"), "u0")});
  const JobDescription description = description_of(jobs[0], 3);
  CHECK(description.program.arguments == std::vector<std::string>{"sleep", "0.600000"});
  CHECK(description.need.components.at(0).processors == 2);
  CHECK(description.dttl == 3);
  CHECK_FALSE(description.keep_output);
}

TEST_CASE("job file: a workload that doesn't fit the topology is refused before anything starts") {
  const auto fault = [](const ClusterJob& one) {
    return std::get<CommandFault>(plan_workload(two_sites(), workload_of({one}), 1, "w.swf"));
  };
  CHECK(has(fault(job(2, 0, 1, 1)).text, "clusters 0 to 1"));
  CHECK(has(fault(job(1, 0, 1, 1)).text, "no user"));
  CHECK(has(fault(job(0, 0, 1, 17)).text, "largest"));
  CHECK(fault(job(0, 0, 1, 17)).exit_code == 2);
}

}  // namespace job_file_test
