// Logs as a stream: filters and their counts, clusters by column, slices, time, order, merging.
#include "workloads/replay.hpp"

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/temporary_file.hpp"

namespace replay_test {

using namespace dmm;

namespace {

struct Record {
  int number = 1;
  std::int64_t submit = 0;
  std::int64_t run = 100;
  int processors = 1;
  std::int64_t estimate = -1;
  int user = 1;
  int partition = -1;
};

std::string text(const Record& r) {
  return std::to_string(r.number) + " " + std::to_string(r.submit) + " 0 " + std::to_string(r.run) + " " +
         std::to_string(r.processors) + " -1 -1 -1 " + std::to_string(r.estimate) + " -1 1 " +
         std::to_string(r.user) + " -1 -1 1 " + std::to_string(r.partition) + " -1 -1\n";
}

std::string submitted(const std::vector<std::int64_t>& times) {
  std::string content;
  for (std::size_t i = 0; i < times.size(); ++i) {
    content += text({.number = static_cast<int>(i), .submit = times[i], .processors = static_cast<int>(i) + 1});
  }
  return content;
}

struct Result {
  std::vector<StreamJob> jobs;
  std::vector<LogTally> tallies;
  std::string error;

  std::vector<std::int64_t> submits() const {  ///< seconds
    std::vector<std::int64_t> times;
    for (const StreamJob& job : jobs) times.push_back(job.submit.microseconds / 1'000'000);
    return times;
  }
  std::vector<std::uint32_t> homes() const {
    std::vector<std::uint32_t> all;
    for (const StreamJob& job : jobs) all.push_back(job.home);
    return all;
  }
  std::vector<std::uint32_t> sizes() const {
    std::vector<std::uint32_t> all;
    for (const StreamJob& job : jobs) all.push_back(job.processors);
    return all;
  }
};

Result replayed(const ReplayOptions& options) {
  auto opened = LogReplay::open(options);
  if (const auto* const error = std::get_if<WorkloadError>(&opened)) return {{}, {}, error->text};
  const auto replay = std::make_shared<LogReplay>(std::get<LogReplay>(std::move(opened)));
  const JobStream stream = stream_of(replay);
  Result result;
  while (const auto job = stream()) {
    result.jobs.push_back(*job);
    CHECK(job->number == result.jobs.size());
  }
  result.tallies = replay->tallies();
  result.error = replay->error();
  return result;
}

using Times = std::vector<std::int64_t>;
using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("replay: time 0 of one log of one cluster is its first kept job, and what is left out is counted") {
  const TemporaryFile log("; MaxProcs: 8 (2 of them old)\n" + text({.submit = 50, .run = -1}) +
                          text({.submit = 60, .processors = 9}) +
                          text({.submit = 100, .run = 10, .processors = 8, .estimate = 40, .user = 77}) +
                          text({.submit = 130, .run = 20, .processors = 2, .user = 5}) +
                          text({.submit = 130, .run = 30, .estimate = 7, .user = 77}));
  const Result result = replayed({.logs = {{.path = log.path(), .cluster = 3}}});
  CHECK(result.error == "");
  CHECK(result.submits() == Times{0, 30, 30});
  CHECK(result.homes() == Numbers{3, 3, 3});
  REQUIRE(result.jobs.size() == 3);
  CHECK(result.jobs[0].run == seconds(10));
  CHECK(result.jobs[0].estimate == seconds(40));
  CHECK(result.jobs[1].estimate == seconds(20));  // none in the log
  CHECK(result.jobs[2].run == seconds(30));
  CHECK(result.jobs[2].estimate == seconds(7));  // the user was wrong
  CHECK(result.jobs[0].user == 0);
  CHECK(result.jobs[1].user == 1);
  CHECK(result.jobs[2].user == 0);
  const LogTally& tally = result.tallies[0];
  CHECK(tally.file.lines == 5);
  CHECK(tally.file.unusable == 1);
  CHECK(tally.too_wide == 1);
  CHECK(tally.kept == 3);
  CHECK(tally.without_estimate == 1);
  CHECK(tally.processor_seconds == 10 * 8 + 20 * 2 + 30);

  const Result cut = replayed({.logs = {{.path = log.path(), .run_cap_seconds = 25}},
                               .cluster_processors = {100},  // overrules the header
                               .cut_runs_to_estimates = true});
  REQUIRE(cut.jobs.size() == 4);
  CHECK(cut.tallies[0].too_wide == 0);
  CHECK(cut.tallies[0].capped == 2);  // of 100 s and of 30 s
  CHECK(cut.tallies[0].cut == 1);
  CHECK(cut.jobs[0].run == seconds(25));
  CHECK(cut.jobs[0].estimate == seconds(25));
  CHECK(cut.jobs[3].run == seconds(7));
}

TEST_CASE("replay: several logs are merged: ties by cluster, then by log, then by line") {
  const TemporaryFile a(submitted({10, 20, 20}));  // sizes 1, 2, 3
  const TemporaryFile b(submitted({5, 15, 15, 40}));
  const Result result = replayed({.logs = {{.path = a.path(), .cluster = 1}, {.path = b.path(), .cluster = 0}}});
  CHECK(result.submits() == Times{0, 0, 10, 10, 10, 10, 35});
  CHECK(result.homes() == Numbers{0, 1, 0, 0, 1, 1, 0});
  CHECK(result.sizes() == Numbers{1, 1, 2, 3, 2, 3, 4});
  const Result same_home = replayed({.logs = {{.path = a.path()}, {.path = b.path()}}});
  CHECK(same_home.sizes() == Numbers{1, 1, 2, 3, 2, 3, 4});
  CHECK(same_home.jobs[0].user == 0);
  CHECK(same_home.jobs[1].user == 1);  // a user of another log is another user
}

TEST_CASE("replay: a column tells the cluster by its number, by a list, or by the names of the header") {
  std::string content = "; Partition: 7 lancs.ac.uk\n";
  const int partitions[] = {2, 7, -1, 1, 7, 9};
  for (int i = 0; i < 6; ++i) content += text({.submit = 0, .processors = i + 1, .partition = partitions[i]});
  const TemporaryFile log(content);
  const Result by_number = replayed({.logs = {{.path = log.path(), .column = LogColumn::partition}}});
  CHECK(by_number.homes() == Numbers{1, 2, 7, 7, 9});  // of the same second, by cluster
  CHECK(by_number.sizes() == Numbers{4, 1, 2, 5, 6});
  CHECK(by_number.tallies[0].without_cluster == 1);
  const Result of_three =
      replayed({.logs = {{.path = log.path(), .column = LogColumn::partition}}, .cluster_processors = {4, 4, 4}});
  CHECK(of_three.homes() == Numbers{1, 2});
  CHECK(of_three.tallies[0].without_cluster == 4);
  const Result listed = replayed({.logs = {{.path = log.path(),
                                            .column = LogColumn::partition,
                                            .clusters = {{"lancs.ac.uk", 0}, {"1", 1}, {"-1", 2}}}},
                                  .cluster_processors = {4, 4, 4}});
  CHECK(listed.homes() == Numbers{0, 1, 2});
  CHECK(listed.tallies[0].too_wide == 1);
  CHECK(listed.tallies[0].without_cluster == 2);
}

TEST_CASE("replay: sites of a grid log are taken by their names") {
  const std::string rest = " UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
  const std::string head = " 0 60 2 -1 -1 -1 -1 -1 1 u g a q -1 ";
  const TemporaryFile log("0 1104538455" + head + "G1/site1/c1 x" + rest + "1 1104538460" + head +
                              "G1/site2/c1 x" + rest + "2 1104538465" + head + "G1/site1/c1 x" + rest,
                          ".gwf");
  const Result result = replayed({.logs = {{.path = log.path(),
                                            .column = LogColumn::site,
                                            .clusters = {{"G1/site2/c1", 0}, {"G1/site1/c1", 1}}}}});
  CHECK(result.homes() == Numbers{1, 0, 1});
  CHECK(result.submits() == Times{0, 5, 10});
}

TEST_CASE("replay: logs keep their places in real time if that is wanted") {
  const TemporaryFile a("; UnixStartTime: 1000000000\n" + submitted({100, 200}));
  const TemporaryFile b(submitted({1000000050, 1000000150}));  // Unix times, without a header
  const TemporaryFile c(submitted({7, 9}));                    // relative times of unknown start
  ReplayOptions options{.logs = {{.path = a.path(), .cluster = 0}, {.path = b.path(), .cluster = 1}},
                        .alignment = Alignment::unix_time};
  Result result = replayed(options);
  CHECK(result.submits() == Times{0, 50, 100, 150});
  CHECK(result.homes() == Numbers{1, 0, 1, 0});
  // A slice in Unix time starts at its start.
  for (LogSource& log : options.logs) log.from_seconds = 1000000090;
  options.logs[0].to_seconds = 1000000200;
  result = replayed(options);
  CHECK(result.submits() == Times{10, 60});
  CHECK(result.tallies[0].behind_slice == 1);
  CHECK(result.tallies[1].before_slice == 1);
  options.logs.push_back({.path = c.path()});
  CHECK(replayed(options).error == c.path() + ": no UnixStartTime in the header; expected one, or to be told it");
  options.logs.back().unix_start_seconds = 1000000090;
  CHECK(replayed(options).submits() == Times{7, 9, 10, 60});
}

TEST_CASE("replay: slices, load scaling and shifting change the times of jobs") {
  const TemporaryFile log(submitted({10, 20, 30, 40, 50, 60}));
  const auto submits = [&log](LogSource source) {
    source.path = log.path();
    return replayed({.logs = {source}}).submits();
  };
  CHECK(submits({.from_seconds = 15, .to_seconds = 50}) == Times{5, 15, 25});
  CHECK(submits({.jobs_max = 2}) == Times{0, 10});
  CHECK(submits({.from_seconds = 25, .jobs_max = 1}) == Times{5});
  CHECK(submits({.load_factor = 2}) == Times{0, 5, 10, 15, 20, 25});
  CHECK(submits({.load_factor = 0.5, .shift_seconds = 7}) == Times{7, 27, 47, 67, 87, 107});
  CHECK(submits({.shift_seconds = -25}) == Times{5, 15, 25});
  CHECK(submits({.from_seconds = 100}).empty());
  const Result exact = replayed({.logs = {{.path = log.path(), .load_factor = 3, .shift_seconds = 0.25}}});
  CHECK(exact.jobs[1].submit.microseconds == 3'333'333 + 250'000);
}

TEST_CASE("replay: jobs out of order are put right, by the buffer or by loading the log whole") {
  const TemporaryFile nearly(submitted({0, 30, 10, 20, 40, 39}));
  const Numbers right{1, 3, 4, 2, 6, 5};
  for (const OrderPolicy order : {OrderPolicy::find_out, OrderPolicy::buffer, OrderPolicy::whole}) {
    const Result result = replayed({.logs = {{.path = nearly.path()}}, .order = order});
    CHECK(result.sizes() == right);
    CHECK(result.tallies[0].out_of_order == 3);
    CHECK(result.tallies[0].is_whole == (order == OrderPolicy::whole));
  }
  // Two later lines are before the last: a buffer of 2 is enough, one of 1 isn't.
  const TemporaryFile more(submitted({50, 60, 10, 70}));
  const ReplayOptions two{.logs = {{.path = more.path()}}, .order = OrderPolicy::buffer, .order_jobs = 2};
  CHECK(replayed(two).sizes() == Numbers{3, 1, 2, 4});
  const ReplayOptions one{.logs = {{.path = more.path()}}, .order = OrderPolicy::buffer, .order_jobs = 1};
  CHECK(replayed(one).error ==
        more.path() +
            ":3: submitted 40 s before a job that is already handed out; expected at most 1 "
            "later ones ahead of it, or the log to be loaded whole");
  const Result whole = replayed({.logs = {{.path = more.path()}}, .order_jobs = 1});
  CHECK(whole.sizes() == Numbers{3, 1, 2, 4});
  CHECK(whole.tallies[0].is_whole);
  CHECK_FALSE(replayed({.logs = {{.path = more.path()}}, .order_jobs = 2}).tallies[0].is_whole);
}

TEST_CASE("replay: every usable record is accounted for") {
  std::string content;
  for (int i = 0; i < 5000; ++i) {
    content += text({.number = i,
                     .submit = i * 10 + (i * 7919) % 500,
                     .run = i % 13 == 0 ? 0 : i % 977 + 1,
                     .processors = i % 70 + 1,
                     .partition = i % 5});
    if (i % 1000 == 999) content += "oops\n";
  }
  const TemporaryFile log(content);
  ReplayOptions options{
      .logs = {{.path = log.path(), .column = LogColumn::partition, .from_seconds = 9000, .to_seconds = 40000}},
      .cluster_processors = {64, 32, 16, 8},
      .bad_lines = BadLines::skip};
  const Result result = replayed(options);
  const LogTally& tally = result.tallies[0];
  CHECK(tally.kept == result.jobs.size());
  CHECK(tally.kept > 900);
  CHECK(tally.file.usable ==
        tally.kept + tally.without_cluster + tally.too_wide + tally.before_slice + tally.behind_slice);
  for (std::size_t i = 1; i < result.jobs.size(); ++i) {
    REQUIRE(std::tie(result.jobs[i - 1].submit, result.jobs[i - 1].home) <=
            std::tie(result.jobs[i].submit, result.jobs[i].home));
  }
  options.bad_lines = BadLines::fatal;
  CHECK(replayed(options).error == log.path() + ":1001: column 1 (job number) is \"oops\"; expected a number");
}

TEST_CASE("replay: what can't be replayed is refused") {
  const TemporaryFile log(submitted({1, 2}));
  const auto refusal = [&log](LogSource source) {
    source.path = log.path();
    return replayed({.logs = {source}, .cluster_processors = {4, 4}}).error;
  };
  CHECK(replayed({}).error == "a replay needs a log; expected at least one");
  CHECK(replayed({.logs = {{.path = "/nonexistent/log.swf"}}}).error ==
        "/nonexistent/log.swf: can't be opened: No such file or directory");
  CHECK(refusal({.load_factor = 0}) == log.path() + ": a load factor of 0.000000; expected 0.01 to 1000000");
  CHECK(refusal({.run_cap_seconds = -1}) ==
        log.path() + ": the cap of run times is -1 s; expected 0 for none, or more");
  CHECK(refusal({.from_seconds = 5, .to_seconds = 5}) ==
        log.path() + ": a slice from 5 to 5; expected an end behind its start");
  CHECK(refusal({.cluster = 2}) == log.path() + ": cluster 2 of 2; expected at most 1");
  CHECK(refusal({.clusters = {{"1", 1}}}) ==
        log.path() + ": clusters by column, and no column; expected partition, site or queue");
  const TemporaryFile empty("; nothing\n");
  const Result nothing = replayed({.logs = {{.path = empty.path()}, {.path = log.path()}}});
  CHECK(nothing.error == "");
  CHECK(nothing.jobs.size() == 2);
}

}  // namespace replay_test
