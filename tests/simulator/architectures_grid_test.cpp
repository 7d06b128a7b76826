// The models of multi-cluster architectures, against schedules worked out by hand, and the messages that a job costs in
// each. Those of sep-c are missing: it is two of fcfs side by side.
#include <doctest/doctest.h>

#include "architectures_stage.hpp"

namespace architectures_grid_test {

using namespace dmm;
using namespace dmm::stage;

using Starts = std::vector<double>;
using Clusters = std::vector<int>;

TEST_CASE("every architecture: it has its name once, and says what it is") {
  std::vector<std::string_view> names;
  for (const ArchitectureEntry& entry : architectures()) {
    names.push_back(entry.name);
    CHECK_FALSE(entry.about.empty());
    CHECK(find_architecture(entry.name) == &entry);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(find_architecture("dmm") == nullptr);
}

TEST_CASE("sep-c: a full cluster isn't helped by an idle one") {
  //                                                        submit, run, processors, estimate, home
  const Played played = play("sep-c", {4, 4}, jobs_of({{0, 100, 4, 0, 0}, {1, 10, 1, 0, 0}, {2, 10, 1, 0, 1}}));
  CHECK(played.starts() == Starts{0, 100, 2});
  CHECK(played.clusters() == Clusters{0, 0, 1});
}

TEST_CASE("cern: the head of the one queue waits for a cluster with room") {
  const std::vector<Row> rows = {
      {0, 100, 5},  // on the second, which has the most idle
      {1, 50, 5},   // 4 and 1 are idle, so at 100
      {2, 10, 1},   // waits behind it; then 4 and 1 are idle again: on the first
  };
  const Played played = play("cern", {4, 6}, jobs_of(rows));
  CHECK(played.starts() == Starts{0, 100, 100});
  CHECK(played.clusters() == Clusters{1, 1, 0});
}

TEST_CASE("cern: the choice of the cluster that pulls is a parameter") {
  const std::vector<Row> rows = {{0, 10, 1, 0, 1}, {0, 10, 1, 0, 1}, {0, 10, 4, 0, 1}};
  const auto clusters = [&](ClusterChoice choice) {
    ModelParameters parameters;
    parameters.pull_choice = choice;
    return play("cern", {5, 6, 4}, jobs_of(rows), {}, parameters).clusters();
  };
  CHECK(clusters(ClusterChoice::most_idle) == Clusters{1, 0, 1});  // idle before each: 5 6 4, 5 5 4, 4 5 4
  CHECK(clusters(ClusterChoice::best_fit) == Clusters{2, 2, 0});
  CHECK(clusters(ClusterChoice::numbered) == Clusters{0, 0, 1});
  CHECK(clusters(ClusterChoice::home) == Clusters{1, 1, 1});
}

TEST_CASE("koala: what became idle is known at the next report, what was given away at once") {
  const std::vector<Row> rows = {
      {0, 100, 5},   // on the second
      {1, 50, 5},    // the second is idle again at 100, which is reported at 120
      {2, 10, 1},    // behind it
      {170, 10, 5},  // the end at 170 isn't reported yet: at 180
  };
  const Played played = play("koala", {4, 6}, jobs_of(rows));
  CHECK(played.starts() == Starts{0, 120, 120, 180});
  CHECK(played.clusters() == Clusters{1, 1, 0, 1});
  ModelParameters at_once;
  at_once.monitoring = {};
  CHECK(play("koala", {4, 6}, jobs_of(rows), {}, at_once).starts() == Starts{0, 100, 100, 170});
}

TEST_CASE("koala: what ends at the instant of a report is in it") {
  CHECK(play("koala", {4}, jobs_of({{0, 60, 4}, {10, 5, 1}})).starts() == Starts{0, 60});
  CHECK(play("koala", {4}, jobs_of({{0, 61, 4}, {10, 5, 1}})).starts() == Starts{0, 120});
}

TEST_CASE("condor: jobs start in rounds, and the first that doesn't fit ends the round") {
  const std::vector<Row> rows = {
      {10, 100, 3},  // at the first round, 300
      {20, 50, 2},   // only 1 is idle at 300: at 600
      {30, 50, 1},   // would fit at 300
  };
  const Played played = play("condor", {4}, jobs_of(rows));
  CHECK(played.starts() == Starts{300, 600, 600});
  CHECK(played.messages(MessageKind::notify_broker) == 3 + 3);    // asked; offered again
  CHECK(played.messages(MessageKind::negotiate) == 2 * (2 + 2));  // two considered at 300, two at 600
  CHECK(played.messages(MessageKind::job_data_exchange) == 3);
  CHECK(played.messages(MessageKind::match_claim_release) == 3 * (6 + 2));
}

TEST_CASE("condor: a round takes part in what happens at its instant; without a cycle every event is a round") {
  CHECK(play("condor", {4}, jobs_of({{0, 300, 4}, {1, 10, 4}, {300, 10, 1}})).starts() == Starts{0, 300, 600});
  ModelParameters parameters;
  parameters.cycle = {};
  CHECK(play("condor", {4}, jobs_of({{1, 10, 4}, {2, 10, 4}}), {}, parameters).starts() == Starts{1, 11});
}

TEST_CASE("fcondor: what doesn't fit is bypassed, and its user goes to the next site manager") {
  const std::vector<Row> rows = {
      {10, 1000, 3},  // at home at 300
      {20, 50, 2},    // 1 is idle at home at 300: on the other cluster, at the next round
      {30, 50, 1},    // passes it
  };
  const Played played = play("fcondor", {4, 4}, jobs_of(rows));
  CHECK(played.starts() == Starts{300, 600, 300});
  CHECK(played.clusters() == Clusters{0, 1, 0});
  CHECK(played.messages(MessageKind::notify_broker) == 3 + 1 + 3);  // asked; went; offered again
  CHECK(played.messages(MessageKind::negotiate) == 2 * (2 + 1 + 1));
}

TEST_CASE("fcondor: a new demand goes where its user is, and home when all was served") {
  const std::vector<Row> rows = {
      {10, 5000, 4},  // fills the home
      {20, 50, 4},    // on the next cluster at 600
      {700, 50, 4},   // its user asks at home again at 900, in vain: on the next cluster at 1200
  };
  const Played played = play("fcondor", {4, 4}, jobs_of(rows));
  CHECK(played.starts() == Starts{300, 600, 1200});
  CHECK(played.clusters() == Clusters{0, 1, 1});
}

TEST_CASE("fcondor: the user that used less comes first, and the past is forgotten") {
  //                           submit, run, processors, estimate, home, user
  const std::vector<Row> rows = {
      {10, 300, 2, 0, 0, 0},   // user 0: at 300
      {400, 100, 2, 0, 0, 0},  // user 0 again, first in the order of arrival
      {410, 100, 2, 0, 0, 1},  // user 1, which has used nothing: at 600
  };
  CHECK(play("fcondor", {2}, jobs_of(rows)).starts() == Starts{300, 900, 600});
  ModelParameters parameters;
  parameters.usage_half_life = {};
  CHECK(play("fcondor", {2}, jobs_of(rows), {}, parameters).starts() == Starts{300, 600, 900});
}

TEST_CASE("fair share: usage goes half of the way in a half-life") {
  FairShare share(seconds(100));
  const auto at = [](std::int64_t count) { return Instant{} + seconds(count); };
  CHECK(share.usage(at(0), 3) == 0);
  share.began(at(0), 3, 8);
  CHECK(share.usage(at(0), 3) == 0);
  CHECK(share.usage(at(100), 3) == doctest::Approx(4));
  CHECK(share.usage(at(200), 3) == doctest::Approx(6));
  share.ended(at(200), 3, 8);
  CHECK(share.usage(at(300), 3) == doctest::Approx(3));
  CHECK(share.usage(at(100'000), 3) == doctest::Approx(0));
}

TEST_CASE("no-sharing: from head to tail, whatever fits starts") {
  const std::vector<Row> rows = {
      {0, 100, 3},  {1, 50, 2},  // at 100
      {2, 200, 1},               // passes it
      {3, 10, 4},                // until the third has ended it can't
      {150, 20, 3},              // passes the fourth
  };
  CHECK(play("no-sharing", {4}, jobs_of(rows)).starts() == Starts{0, 100, 2, 202, 150});
}

TEST_CASE("migration-only: whole, on the cluster that it fits best") {
  const std::vector<Row> rows = {
      {0, 100, 4},  // leaves nothing of the first
      {0, 100, 5},  // nothing of the third
      {0, 100, 7},  // fits no cluster: fails
      {0, 100, 2},  // only the second is left
      {1, 10, 5},   // at 100, on the third
      {2, 10, 3},   // passes it: 4 are left of the second
  };
  const Played played = play("migration-only", {4, 6, 5}, jobs_of(rows));
  CHECK(played.starts() == Starts{0, 0, -1, 0, 100, 2});
  CHECK(played.clusters() == Clusters{0, 2, -1, 1, 2, 1});
}

TEST_CASE("bfff: split over the fewest clusters when no single one has room") {
  const std::vector<Row> rows = {
      {0, 100, 9},  // all 6 of the second; the last 3 fit best on the first
      {1, 50, 6},   // idle 1, 0, 5: all 5 of the third and 1 of the first
      {2, 10, 16},  // more than the grid has: fails
      {3, 10, 1},   // at 51
  };
  const Played played = play("bfff", {4, 6, 5}, jobs_of(rows));
  CHECK(played.starts() == Starts{0, 1, -1, 51});
  CHECK(played.fates.at(1).pieces == std::vector<ClusterShare>{{1, 6}, {0, 3}});
  CHECK(played.fates.at(2).pieces == std::vector<ClusterShare>{{2, 5}, {0, 1}});
  CHECK(played.fates.at(4).pieces == std::vector<ClusterShare>{{0, 1}});
}

TEST_CASE("bfff: whole where it fits, even where splitting would leave a larger hole") {
  const Played played = play("bfff", {4, 6}, jobs_of({{0, 10, 5}, {0, 10, 5}}));
  CHECK(played.fates.at(1).pieces == std::vector<ClusterShare>{{1, 5}});
  CHECK(played.fates.at(2).pieces == std::vector<ClusterShare>{{0, 4}, {1, 1}});
}

TEST_CASE("messages: what one job of 650 s costs") {
  struct Line {
    const char* architecture;
    std::uint64_t notify_broker, negotiate, job_data_exchange, match_claim_release;
  };
  // Two messages of match-claim-release are its start and its end. Keep-alives: 2 full periods of 300 s, both ways.
  const std::vector<Line> lines = {
      {"sep-c", 0, 0, 1, 4},      {"fcfs", 0, 0, 1, 4},
      {"easy", 0, 0, 1, 4},       {"conservative", 0, 0, 1, 4},
      {"cern", 1, 0, 2, 4},       {"koala", 10 * 2, 0, 2, 5},  // 10 reports of 2 sites
      {"condor", 2, 2, 1, 8},     {"fcondor", 2, 2, 1, 8},
      {"no-sharing", 0, 0, 1, 4}, {"migration-only", 0, 0, 2, 4},
      {"bfff", 0, 0, 2, 4},
  };
  CHECK(lines.size() == architectures().size());
  for (const Line& line : lines) {
    CAPTURE(line.architecture);
    const Played played = play(line.architecture, {4, 4}, jobs_of({{0, 650, 2}}));
    CHECK(played.messages(MessageKind::notify_broker) == line.notify_broker);
    CHECK(played.messages(MessageKind::negotiate) == line.negotiate);
    CHECK(played.messages(MessageKind::job_data_exchange) == line.job_data_exchange);
    CHECK(played.messages(MessageKind::match_claim_release) == line.match_claim_release);
    CHECK(played.messages(MessageKind::dmm) == 0);
    CHECK(played.messages(MessageKind::keep_alive) == 4);
  }
  const Played split = play("bfff", {4, 4}, jobs_of({{0, 650, 8}}));
  CHECK(split.messages(MessageKind::job_data_exchange) == 3);
  CHECK(split.messages(MessageKind::match_claim_release) == 8);
  CHECK(split.messages(MessageKind::keep_alive) == 8);
}

TEST_CASE("change of scheduler: the new one takes over what waits, and what runs runs on") {
  SimulationOptions options;
  options.changes = {{Instant{} + seconds(10), "easy"}, {Instant{} + seconds(60), "fcfs"}};
  const std::vector<Row> rows = {
      {0, 100, 8}, {1, 50, 8}, {2, 30, 2},  // first come, first served keeps it; easy starts it at 10
      {50, 30, 2},  // easy starts it at 50, when the third has ended, as it isn't to delay the second: 80
      {85, 10, 1},  // first come, first served again: waits for the second
  };
  const std::vector<StreamJob> jobs = jobs_of(rows);
  CHECK(play("fcfs", {10}, jobs, options).starts() == Starts{0, 100, 10, 50, 100});
}

TEST_CASE("change of scheduler: before the first job, after the last, and at the instant of an event") {
  SimulationOptions options;
  options.changes = {
      {Instant{}, "easy"}, {Instant{} + seconds(100), "no-sharing"}, {Instant{} + seconds(5000), "cern"}};
  CHECK(play("fcfs", {10}, jobs_of({{0, 100, 8}, {1, 50, 8}, {2, 10, 2}}), options).starts() == Starts{0, 100, 2});
}

}  // namespace architectures_grid_test
