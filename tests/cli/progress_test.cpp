// The progress of a run, its report at the end, and the numbers in both: all made from values.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/testbed/run_report.hpp"
#include "cli/testbed/run_results.hpp"

namespace progress_test {

using namespace dmm;

namespace {

const Style plain{.colour = false, .unicode = true};

RunProgress two_grids() {
  RunProgress progress;
  progress.title = "dual-grid, 2,880 times faster";
  progress.phase = "submitting";
  progress.elapsed_seconds = 17.4;
  progress.jobs = 6563;
  progress.ended = 1220;
  progress.grids = {{"das", 6, 6, 400, 399, 213, 290, 1234, 1000},
                    {"grid5000", 25, 24, 2956, 1203, 12, 811, 56, 220}};
  return progress;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

RunReport good_report() {
  RunReport report;
  report.topology = "two-sites";
  report.speedup = 600;
  report.jobs_in_workload = 10;
  report.figures.jobs_submitted = report.figures.jobs_finished = 10;
  report.figures.goodput_processor_seconds = 7200;
  report.figures.goodput_processor_seconds_by_origin = {5400, 0, 0, 1800};
  report.figures.jobs_finished_by_origin = {8, 0, 0, 2};
  report.messages = {{"dmm", 40}, {"keep_alive", 1000}};
  report.stopped = true;
  report.processes_ended = 6;
  return report;
}

}  // namespace

TEST_CASE("progress: numbers and lengths of time are written for people") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(6563) == "6,563");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(decimal(1234.56, 1) == "1,234.6");
  CHECK(decimal(-1234.5, 0) == "-1,234");
  CHECK(percent(0.374) == "37.4 %");
  CHECK(length_text(0.00042) == "0.42 ms");
  CHECK(length_text(0.042) == "42.0 ms");
  CHECK(length_text(12.34) == "12.3 s");
  CHECK(length_text(303) == "5 min 03 s");
  CHECK(length_text(7500) == "2 h 05 min");
  CHECK(length_text(90000) == "1 d 01 h");
  CHECK(clock_text(65) == "01:05");
  CHECK(clock_text(3725) == "1:02:05");
  CHECK(count_text(1, "job") == "1 job");
  CHECK(count_text(0, "job") == "0 jobs");
}

TEST_CASE("progress: text is measured and cut in columns, not bytes") {
  CHECK(columns_of("█▌░") == 3);
  CHECK(columns_of("\x1b[31mred\x1b[0m") == 3);
  CHECK(cut("█▌░", 2) == "█▌");
  CHECK(cut("\x1b[31mred\x1b[0m", 2) == "\x1b[31mre\x1b[0m");
  CHECK(pad_left("é", 3) == "  é");
  CHECK(harmless("a\x1b[2J\n") == "a?[2J?");
  CHECK(bar(0.5, 4, plain) == "██░░");
  CHECK(bar(0.5, 4, {.colour = false, .unicode = false}) == "##..");
  CHECK(columns_of(bar(0.33, 10, plain)) == 10);
  CHECK(columns_of(bar(7, 10, plain)) == 10);
}

TEST_CASE("progress: a table is as wide as its cells") {
  Table table({{"name"}, {"jobs", true}});
  table.add({"das", "7"});
  table.add({"grid5000", "1,234"});
  CHECK(table.text(plain) == "name       jobs\ndas           7\ngrid5000  1,234\n");
}

TEST_CASE("progress: on a terminal it has a line a grid, and never more columns than there are") {
  const auto lines = render_progress(two_grids(), 120, plain);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == " dual-grid, 2,880 times faster  00:17  submitting");
  CHECK(lines[2].find("das") != std::string::npos);
  CHECK(lines[2].find("399 / 400") != std::string::npos);
  CHECK(lines[3].find("24/25") != std::string::npos);
  CHECK(lines[4].find("1,220 of 6,563 jobs ended") != std::string::npos);
  for (const std::size_t columns : {20, 40, 60, 80, 100, 200}) {
    const auto narrow = render_progress(two_grids(), columns, {.colour = true, .unicode = true});
    CHECK(narrow.size() == 5);
    for (const std::string& line : narrow) CHECK(columns_of(line) <= columns);
  }
}

TEST_CASE("progress: without a terminal it is one line") {
  const std::string line = render_progress_line(two_grids());
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find("das: 6/6 sites up, 399/400 processors busy, 213 waiting, 290 running, 1,234 delegated, 1,000 "
                  "finished") != std::string::npos);
}

TEST_CASE("report: a run is well only if every job finished and every node is home") {
  RunReport report = good_report();
  CHECK(all_well(report));
  report.nodes_not_home = 1;
  CHECK_FALSE(all_well(report));
  report = good_report();
  report.figures.jobs_lost = 1;
  CHECK_FALSE(all_well(report));
  report = good_report();
  report.figures.jobs_finished = 9;
  CHECK_FALSE(all_well(report));
  report = good_report();
  report.trouble.push_back("resmgr alpha/nodes died");
  CHECK_FALSE(all_well(report));
}

TEST_CASE("report: it has the split of the goodput, and says loudly what is wrong") {
  RunReport report = good_report();
  std::string text = text_of(render_report(report, plain));
  INFO(text);
  CHECK(text.find("75.0 %") != std::string::npos);
  CHECK(text.find("25.0 %") != std::string::npos);
  CHECK(text.find("Every node is idle at its owner.") != std::string::npos);
  CHECK(text.find("no process, socket or lock is left") != std::string::npos);
  report.figures.jobs_lost = 2;
  report.nodes_not_home = 3;
  report.not_home = {"resmgr beta/nodes: 3 of 16 nodes not free"};
  text = text_of(render_report(report, plain));
  CHECK(text.find("2 jobs LOST.") != std::string::npos);
  CHECK(text.find("3 nodes NOT HOME:") != std::string::npos);
  CHECK(text.find("Every node is idle") == std::string::npos);
}

TEST_CASE("report: as JSON it has the keys that scripts rely on") {
  const auto json = to_json(good_report());
  for (const char* key : {"jobs_submitted", "jobs_finished", "jobs_failed", "jobs_lost", "average_wait_seconds",
                          "average_response_seconds", "average_bounded_slowdown", "goodput", "delegations_per_job",
                          "longest_chain", "messages", "messages_per_job_median", "nodes_not_home",
                          "overhead_milliseconds", "capped", "elapsed_seconds", "speedup"}) {
    INFO(key);
    CHECK(json.contains(key));
  }
  CHECK(json["goodput"]["local"] == 0.75);
  CHECK(json["goodput"]["inter_grid"] == 0.25);
  CHECK(json["goodput"]["total_processor_seconds"] == 7200);
  CHECK(json["messages"]["dmm"] == 40);
  CHECK(json["ok"] == true);
}

TEST_CASE("report: a job's record becomes an outcome in trace seconds") {
  ToldJob job;
  job.number = 1;
  job.state = "finished";
  job.processors = 4;
  job.submitted = 1000.5;
  job.started = 1001;
  job.ended = 1002;
  job.origin = "intra_grid";
  job.hops = 3;
  job.tries = 5;
  job.overhead_seconds = 0.002;
  const JobOutcome outcome = outcome_of(job, 7, 1000, 100);
  CHECK(outcome.cluster == 7);
  CHECK(outcome.submit_seconds == doctest::Approx(50));
  CHECK(outcome.start_seconds == doctest::Approx(100));
  CHECK(outcome.end_seconds == doctest::Approx(200));
  CHECK(outcome.state == JobOutcome::State::finished);
  CHECK(outcome.origin == Origin::intra_grid);
  CHECK(outcome.delegations == 3);
  CHECK(outcome.delegations_tried == 5);
  CHECK(outcome.overhead_seconds == 0.002);

  job.wall_seconds = 0.25;  // the program's own time counts, not when its start became known
  CHECK(outcome_of(job, 0, 1000, 100).start_seconds == doctest::Approx(175));
  job.started = std::nullopt;  // it ended before its start became known
  CHECK(outcome_of(job, 0, 1000, 100).start_seconds == doctest::Approx(175));
  job.state = "running";
  job.ended = std::nullopt;
  CHECK(outcome_of(job, 0, 1000, 100).state == JobOutcome::State::unfinished);
  CHECK(outcome_of(job, 0, 1000, 100).start_seconds == -1);
}

TEST_CASE("report: what DMM itself takes between a grant and a known end is in no trace time") {
  ToldJob job;
  job.state = "finished";
  job.submitted = 1001;
  job.granted = 1002;  // it waited a second for nodes
  job.started = 1002.5;
  job.ended = 1003.5;
  job.wall_seconds = 0.25;  // DMM took the other 1.25 s
  job.overhead_seconds = 1.25;
  const JobOutcome outcome = outcome_of(job, 0, 1000, 100);
  CHECK(outcome.submit_seconds == doctest::Approx(100));
  CHECK(outcome.start_seconds == doctest::Approx(200));
  CHECK(outcome.end_seconds == doctest::Approx(225));
  CHECK(outcome.overhead_seconds == 1.25);
}

TEST_CASE("report: a run with more overhead than waits warns of that") {
  RunReport report = good_report();
  report.overhead_median_seconds = 0.5;
  report.figures.average_wait_seconds = 299;  // 600 times faster: 300 s of overhead
  std::string text = text_of(render_report(report, plain));
  INFO(text);
  CHECK(text.find("DMM needed 500 ms of real time for a job (median): 5 min 00 s") != std::string::npos);
  CHECK(to_json(report)["overhead_exceeds_waits"] == true);
  report.figures.average_wait_seconds = 301;
  text = text_of(render_report(report, plain));
  CHECK(text.find("DMM needed") == std::string::npos);
  CHECK(to_json(report)["overhead_exceeds_waits"] == false);
}

TEST_CASE("report: it keeps to the width of the terminal") {
  RunReport report = good_report();
  report.overhead_median_seconds = 0.5;
  for (const std::string& line : render_report(report, {.colour = true, .unicode = true, .columns = 80})) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 80);
  }
}

TEST_CASE("report: the job that went farthest has the longest chain, then the most tries") {
  ToldJob none, near, far;
  near.number = 1, near.state = "finished", near.hops = 1, near.tries = 9;
  far.number = 2, far.state = "finished", far.hops = 2, far.tries = 2;
  CHECK(went_farther(near, none));
  CHECK(went_farther(far, near));
  CHECK_FALSE(went_farther(near, far));
  far.state = "failed";
  CHECK_FALSE(went_farther(far, near));
}

TEST_CASE("report: the few jobs that went farthest are kept, farthest first") {
  std::vector<ToldJob> farthest;
  for (std::uint32_t hops : {2, 5, 1, 3, 0, 4, 6}) {
    ToldJob job;
    job.number = hops + 1, job.state = hops == 6 ? "failed" : "finished", job.hops = hops;
    note_farthest(farthest, job);
  }
  std::vector<std::uint32_t> hops;
  for (const ToldJob& job : farthest) hops.push_back(job.hops);
  CHECK(hops == std::vector<std::uint32_t>{5, 4, 3, 2, 1});
}

}  // namespace progress_test
