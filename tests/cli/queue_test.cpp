// Jobs in `dmm queue` and `dmm cancel`: which are selected, how many there are, how long one waited; and tables on a
// narrow terminal.
#include <doctest/doctest.h>

#include "cli/jobs/job_selection.hpp"
#include "cli/jobs/job_totals.hpp"
#include "cli/terminal/figures.hpp"

namespace queue_test {

using namespace dmm;

namespace {

const double now = *parse_moment("2026-11-23 18:30", 0);

bool takes(const SelectionOptions& options, const ToldJob& job) {
  const auto selection = JobSelection::make(options, now);
  REQUIRE(std::holds_alternative<JobSelection>(selection));
  return std::get<JobSelection>(selection).takes(job);
}

ToldJob job_called(const std::string& name, const std::string& state, double submitted) {
  ToldJob job;
  job.name = name;
  job.state = state;
  job.submitted = submitted;
  return job;
}

JobTotals totals_of(const nlohmann::ordered_json& counts) {
  JobTotals totals;
  totals.add({{"now", counts}});
  return totals;
}

}  // namespace

TEST_CASE("queue: moments are read as lengths of time ago, or as UTC dates") {
  CHECK(parse_moment("90s", now) == now - 90);
  CHECK(parse_moment("1.5h", now) == now - 5400);
  CHECK(parse_moment("10min", now) == now - 600);
  CHECK(parse_moment("2d", now) == now - 172'800);
  CHECK(parse_moment("1970-01-02", now) == 86'400);
  CHECK(parse_moment("2026-11-23T18:30:00Z", now) == now);
  for (const char* text : {"", "2", "h", "-2h", "yesterday", "2026-13-01", "2026-11-23 18:30 x"})
    CHECK_MESSAGE(!parse_moment(text, now), text);
}

TEST_CASE("queue: jobs are selected by state, name and time; ended jobs are shown only with --all") {
  const ToldJob job = job_called("render-17", "waiting", now - 3600);
  CHECK(takes({}, job));
  CHECK(takes({.states = {"waiting"}, .name = "render-*", .since = "2h", .until = "30min"}, job));
  CHECK(!takes({.states = {"running"}, .name = {}, .since = {}, .until = {}}, job));
  CHECK(!takes({.states = {}, .name = "rend", .since = {}, .until = {}}, job));
  CHECK(!takes({.states = {}, .name = {}, .since = "30min", .until = {}}, job));
  CHECK(!takes({.states = {}, .name = {}, .since = {}, .until = "2h"}, job));
  const ToldJob over = job_called("render-16", "lost", now);
  CHECK(!takes({}, over));
  CHECK(takes({.states = {}, .all = true, .name = {}, .since = {}, .until = {}}, over));
  CHECK(takes({.states = {"lost"}, .name = {}, .since = {}, .until = {}}, over));
  const auto wrong = JobSelection::make({.states = {}, .name = {}, .since = "soon", .until = {}}, now);
  CHECK(std::get<CommandFault>(wrong).exit_code == 2);
  CHECK(std::get<CommandFault>(wrong).text.starts_with("--since: expected"));
}

TEST_CASE("queue: the last line says how many jobs there are, whatever is shown") {
  CHECK(totals_text(totals_of(nlohmann::ordered_json::object()), 0, false) == "no jobs");
  const JobTotals past = totals_of({{"finished", 1200}});
  CHECK(totals_text(past, 0, false) == "no jobs wait or run; 1,200 ended (--all shows them)");
  const JobTotals many = totals_of({{"running", 457}, {"collecting", 1}, {"failed", 2}, {"finished", 3}});
  CHECK(totals_text(many, 458, false) == "458 jobs: 0 waiting, 0 starting, 457 running, 1 collecting, 5 ended");
  CHECK(totals_text(many, 0, true) ==
        "0 jobs shown. In all 0 waiting, 0 starting, 457 running, 1 collecting, 5 ended");
}

TEST_CASE("queue: a job manager that was away while the job ended doesn't count that as its wait") {
  ToldJob job = job_called("x", "running", 1000);
  CHECK(waited_seconds(job, 1060) == 60);
  job.ran_from = 1002;
  CHECK(waited_seconds(job, 1060) == 2);
  job.state = "finished";
  job.wall_seconds = 10;
  job.ended = 1045;  // heard late
  CHECK(waited_seconds(job, 1060) == 2);
  job.ran_from = 1044;  // heard late as well
  CHECK(waited_seconds(job, 1060) == 35);
}

TEST_CASE("queue: the wait of a job that was interrupted is that of its present attempt") {
  ToldJob job = job_called("x", "waiting", 1000);
  job.started = 1002;
  job.waits_since = 1050;
  CHECK(waited_seconds(job, 1060) == 10);
  job.ran_from = 1055;
  CHECK(waited_seconds(job, 1060) == 5);
}

TEST_CASE("queue: a table is as wide as the terminal at most: texts are shortened, numbers aren't") {
  Table table({{"job"}, {"processors", true}, {"name", false, true}});
  table.add({"alpha/u0/1", "4", "a-very-long-name-of-a-job-that-nobody-reads-to-its-end"});
  table.add({"alpha/u0/2", "12", "short"});
  CHECK(table.text({.colour = false, .unicode = false, .columns = 40}) ==
        "job         processors  name\n"
        "alpha/u0/1           4  a-very-long-nam~\n"
        "alpha/u0/2          12  short\n");
  for (const std::size_t columns : {10, 20, 30})
    for (std::string text = table.text({.colour = true, .unicode = true, .columns = columns}); !text.empty();
         text.erase(0, text.find('\n') + 1))
      CHECK(columns_of(text.substr(0, text.find('\n'))) <= columns);
  CHECK(table.text({}).find("to-its-end\n") != std::string::npos);
}

}  // namespace queue_test
