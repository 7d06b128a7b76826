// The files of a simulation's results: numbers as text, processor numbers, rows of tables, and the measures of
// drawings.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "simulator/results/axis.hpp"
#include "simulator/results/gantt.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"
#include "simulator/results/schedule_json.hpp"
#include "simulator/results/simulation_results.hpp"
#include "simulator/results/stacked_bars.hpp"
#include "workloads/random.hpp"

namespace results_test {

using namespace dmm;
using State = JobOutcome::State;

namespace {

namespace fs = std::filesystem;

/// A folder that is removed afterwards.
class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("dmm-results-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    fs::remove_all(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  fs::path path_;
};

StreamJob job(std::uint64_t number, std::uint32_t home, double submit, double run, std::uint32_t processors) {
  return {number, home, 0, Instant{} + from_seconds(submit), from_seconds(run), from_seconds(2 * run), processors};
}

JobOutcome outcome(const StreamJob& job, double start, State state = State::finished) {
  JobOutcome outcome;
  outcome.cluster = job.home;
  outcome.submit_seconds = (job.submit - Instant{}).in_seconds();
  outcome.processors = job.processors;
  outcome.state = state;
  outcome.start_seconds = start;
  if (state == State::finished) outcome.end_seconds = start + job.run.in_seconds();
  return outcome;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("results: numbers as text have digits, no negative zero and no zeros at the end") {
  CHECK(fixed(12.5, 2) == "12.50");
  CHECK(fixed(-0.0001, 2) == "0.00");
  CHECK(plain(12.5, 6) == "12.5");
  CHECK(plain(12, 6) == "12");
  CHECK(plain(-0.25, 1) == "-0.2");
  CHECK(plain(100, 0) == "100");
  CHECK(plain(1e15, 6) == "1000000000000000");
  CHECK(decimal_logarithm(1000) == doctest::Approx(3));
  CHECK(power_of_ten(-2) == 0.01);
  CHECK(with_commas(1'234'567) == "1,234,567");
  CHECK(with_commas(999) == "999");
}

TEST_CASE("results: processors are numbered through the clusters, low numbers first") {
  Grid grid = equal_clusters(2, 4);
  ProcessorNumbers numbers(grid);
  CHECK(numbers.first_of(1) == 4);
  const std::vector<ClusterShare> three{{0, 3}};
  const std::vector<ClusterShare> both{{0, 1}, {1, 2}};
  CHECK(to_text(numbers.take(three, 0, 10)) == "0-2");
  CHECK(to_text(numbers.take(both, 0, 12)) == "3-5");
  CHECK(to_text(numbers.take(three, 10, 20)) == "0-2");
  CHECK(to_text(numbers.take(std::vector<ClusterShare>{{0, 4}}, 20, 30)) == "0-3");
  CHECK(numbers.shared() == 0);
  // no whole processor is left, so one is shared
  CHECK(to_text(numbers.take(std::vector<ClusterShare>{{0, 1}}, 25, 31)).size() == 1);
  CHECK(numbers.shared() == 1);
}

TEST_CASE("results: any job that fits by counting gets processors of its own, told by ends") {
  constexpr std::uint32_t processors = 16;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    struct Stay {
      double start, end;
      std::uint32_t processors;
    };
    std::vector<Stay> running, all;
    std::uint32_t idle = processors;
    for (double now = 0; now < 300; ++now) {
      for (std::size_t i = 0; i < running.size();)
        if (running[i].end <= now) {
          idle += running[i].processors;
          running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      while (idle > 0 && random.below(3) > 0) {
        const Stay stay{now, now + 1 + static_cast<double>(random.below(40)),
                        1 + static_cast<std::uint32_t>(random.below(idle))};
        idle -= stay.processors;
        running.push_back(stay);
        all.push_back(stay);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Stay& a, const Stay& b) { return a.end < b.end; });
    Grid grid = equal_clusters(1, processors);
    ProcessorNumbers numbers(grid);
    std::map<std::uint64_t, double> free_from;
    for (const Stay& stay : all) {
      std::uint64_t given = 0;
      for (const ProcessorRange& range :
           numbers.take(std::vector<ClusterShare>{{0, stay.processors}}, stay.start, stay.end))
        for (std::uint64_t number = range.first; number <= range.last; ++number, ++given) {
          CHECK(number < processors);
          CHECK(free_from[number] <= stay.start);
          free_from[number] = stay.end;
        }
      CHECK(given == stay.processors);
    }
    CHECK(numbers.shared() == 0);
  }
}

TEST_CASE("results: a folder of results has every file, and rows as other tools expect them") {
  Folder folder;
  Grid grid = equal_clusters(2, 4);
  {
    SimulationResults results({.folder = folder.path(),
                               .grid = grid,
                               .root_names = {"all"},
                               .links = {{"cluster0", "cluster1"}},
                               .title = "a test",
                               .workload_name = "hand"});
    const StreamJob first = job(1, 0, 0, 100, 2), second = job(2, 1, 10, 50.5, 3), third = job(3, 0, 20, 5, 1),
                    fourth = job(4, 0, 30, 500, 1);
    const std::vector<ClusterShare> in_0{{0, 2}}, in_both{{0, 1}, {1, 2}}, one{{1, 1}};
    results.add(
        Sample{Instant{}, std::vector<ClusterSample>{{2, 0, 0}, {0, 0, 1}}, std::vector<LinkSample>{{0.5, 7, 1}}});
    JobOutcome far = outcome(second, 20);
    far.origin = Origin::inter_grid;
    far.delegations = 2;
    results.add({second, far, in_both});  // ends first
    results.add({first, outcome(first, 0), in_0});
    results.add({fourth, outcome(fourth, 40, State::unfinished), one});
    results.add({third, outcome(third, -1, State::unfinished), {}});
    SummaryBuilder figures;
    for (const JobOutcome& each :
         {far, outcome(first, 0), outcome(fourth, 40, State::unfinished), outcome(third, -1, State::unfinished)})
      figures.add(each);
    CHECK(results.finish(figures.summary(8, 120.0), 120, "{}\n", "text\n") == "");
    CHECK(results.homes()[0].jobs_submitted == 3);
    CHECK(results.homes()[0].goodput() == 200);
  }
  for (const char* name :
       {"jobs.csv", "outcome.swf", "clusters.csv", "links.csv", "schedule.json", "summary.json", "summary.txt",
        "utilisation.svg", "waiting.svg", "waits.svg", "goodput.svg", "gantt.svg"}) {
    INFO(name);
    CHECK_FALSE(folder.read(name).empty());
  }
  CHECK(folder.read("jobs.csv") ==
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
        "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
        "allocated_resources,consumed_energy,metadata\n"
        "2,hand,50.5,10,3,101,1,COMPLETED_SUCCESSFULLY,20,50.5,70.5,10,60.5,1.19802,0 4-5,-1,"
        "\"home=cluster1 state=finished origin=inter_grid ran=cluster0+cluster1 delegations=2\"\n"
        "1,hand,100,0,2,200,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,1-2,-1,"
        "\"home=cluster0 state=finished origin=local ran=cluster0\"\n"
        "3,hand,5,20,1,10,0,REJECTED,,,,,,,,,\"home=cluster0 state=unfinished\"\n"
        "4,hand,500,30,1,1000,0,COMPLETED_KILLED,40,80,120,10,90,1.125,6,-1,"
        "\"home=cluster0 state=unfinished origin=local ran=cluster1\"\n");
  const std::string swf = folder.read("outcome.swf");
  CHECK(swf.substr(swf.find("\n1 ") + 1) ==
        "1 0 0 100 2 -1 -1 2 200 -1 1 0 -1 -1 0 0 -1 -1\n"
        "2 10 10 51 3 -1 -1 3 101 -1 1 0 -1 -1 0 1 -1 -1\n"
        "3 20 -1 -1 -1 -1 -1 1 10 -1 -1 0 -1 -1 -1 0 -1 -1\n"
        "4 30 10 80 1 -1 -1 1 1000 -1 -1 0 -1 -1 1 0 -1 -1\n");
  CHECK(folder.read("clusters.csv") ==
        "time,cluster,processors,busy,foreign,waiting_jobs\n0,cluster0,4,2,0,0\n0,cluster1,4,0,0,1\n");
  CHECK(folder.read("links.csv") == "time,from,to,load,messages,leases\n0,cluster0,cluster1,0.5,7,1\n");
  const std::string schedule = folder.read("schedule.json");
  CHECK(schedule.find("\"nb_jobs\": 4") != std::string::npos);
  CHECK(schedule.find("\"nb_jobs_killed\": 1") != std::string::npos);
  CHECK(schedule.find("\"nb_jobs_rejected\": 1") != std::string::npos);
}

TEST_CASE("results: a folder that can't be made is told at the end") {
  Grid grid = equal_clusters(1, 1);
  SimulationResults results(
      {.folder = "/dev/null/x", .grid = grid, .root_names = {}, .links = {}, .title = "t", .workload_name = "w"});
  CHECK(results.finish({}, 0, "", "").find("/dev/null/x") != std::string::npos);
}

TEST_CASE("results: buckets of time keep their mean and their number bounded") {
  TimeBuckets buckets(2);
  for (int i = 0; i < 10'000; ++i) buckets.add(i * 60.0, {1.0, static_cast<double>(i)});
  CHECK(buckets.size() <= TimeBuckets::buckets_max);
  CHECK(buckets.size() > TimeBuckets::buckets_max / 2 - 1);
  CHECK(buckets.mean(0, 0) == doctest::Approx(1));
  CHECK(buckets.mean(0, 1) == doctest::Approx(15.5));  // of 0 to 31
  CHECK(buckets.step_seconds() == doctest::Approx(32 * 60));
}

TEST_CASE("results: the distribution of waits rises to all jobs") {
  WaitDistribution waits;
  for (const double wait : {0.0, 0.5, 30.0, 3600.0}) waits.add(wait);
  const auto curve = waits.curve();
  CHECK(curve.front().y == doctest::Approx(50));
  CHECK(curve.back().y == doctest::Approx(100));
  CHECK(curve.back().x >= 3600);
  CHECK(curve.back().x < 3600 * 1.13);
  CHECK(WaitDistribution().curve().empty());
}

TEST_CASE("results: axes end at round marks") {
  const Axis percent = make_axis(AxisKind::linear, 3, 97);
  CHECK(percent.low == 0);
  CHECK(percent.high == 100);
  CHECK(percent.marks.back().text == "100");
  const Axis powers = make_axis(AxisKind::logarithmic, 3, 40'000);
  CHECK(powers.low == 1);
  CHECK(powers.high == doctest::Approx(100'000));
  CHECK(powers.marks.back().text == "100k");
  CHECK(powers.fraction(0) == 0);
  CHECK(powers.fraction(1000) == doctest::Approx(0.6));
  const Axis day = make_axis(AxisKind::time, 0, 86400, 8);
  CHECK(day.marks[1].text == "4 h");
  CHECK(make_axis(AxisKind::linear, 5, 5).high > 5);
  CHECK(make_axis(AxisKind::logarithmic, 0, 0).high > 0);
  CHECK(time_mark(90'000) == "1 d 1 h");
  CHECK(time_mark(0) == "0");
}

TEST_CASE("results: a drawing is well formed: what opens is closed, and texts are escaped") {
  LineChart chart;
  chart.title = "a < b & c";
  chart.series = {{"one", {{0, 1, 0.5}, {1, 2, 0}}, {}}, {"two", {{0, 3, 0}}, {}}, {"none", {}, {}}};
  const std::string text = chart_document("T", "note", {chart, chart}, 2);
  CHECK(text.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(count_of(text, "<text") == count_of(text, "</text>"));
  CHECK(count_of(text, "<svg") == 1);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(chart_document("empty", "", {}, 2).find("</svg>") != std::string::npos);
  const std::string bars =
      stacked_bars_document({"T", "n", "a", {"x", "y"}, {{"row", {1, 3}, "4"}, {"none", {0, 0}, "0"}}});
  CHECK(bars.find("75.0 %") != std::string::npos);
  CHECK(bars.find("nan") == std::string::npos);
}

TEST_CASE("results: a Gantt chart keeps the largest boxes") {
  Grid grid = equal_clusters(1, 8);
  Gantt gantt(grid);
  for (std::uint64_t i = 0; i < 2 * Gantt::boxes_max; ++i) {
    const std::vector<ProcessorRange> where{{i % 8, i % 8}};
    gantt.add(i, where, static_cast<double>(i), static_cast<double>(i) + 1 + static_cast<double>(i % 2),
              Origin::local);
  }
  const std::string text = gantt.document("G");
  CHECK(count_of(text, "<rect") < Gantt::boxes_max + 20);
  CHECK(text.find("the 6,000 largest of 12,000 boxes") != std::string::npos);
  CHECK(text.size() < 2'000'000);
}

}  // namespace results_test
