// Which sites could serve a job when idle, by configuration, in a world with three sites in a row.
#include "simulator/faults/within_reach.hpp"

#include "tests/simulation/life_stage.hpp"

namespace within_reach_test {

using namespace dmm;
using namespace dmm::life_stage;
using Kind = Act::Kind;

namespace {

const SiteName alpha("alpha"), beta("beta"), gamma("gamma");
const Party user = job_manager_of(alpha, "ann"), betas_nodes = resource_manager_of(beta, "c");

/// alpha has 8 processors, its parent beta 20, and beta's parent gamma 12; nodes have 2.
Topology three() {
  return topology_of(R"({"name": "three", "sites": [
    {"name": "gamma", "clusters": [{"name": "c", "nodes": 6, "processors_per_node": 2}]},
    {"name": "beta", "parent": "gamma", "clusters": [{"name": "c", "nodes": 10, "processors_per_node": 2}]},
    {"name": "alpha", "parent": "beta", "clusters": [{"name": "c", "nodes": 4, "processors_per_node": 2}],
     "users": ["ann"]}]})");
}

/// Changes the topology before the world begins.
using Change = void (*)(Topology&);

struct Stage {
  World world;
  WithinReach reach;

  explicit Stage(Change change = nullptr) : world(changed(change), quiet_world()) {}
  static Topology changed(Change change) {
    Topology topology = three();
    if (change) change(topology);
    return topology;
  }
  void note(Kind kind, const Party& a, const Party& b = {}, std::uint64_t number = 0) {
    Act act;
    act.kind = kind;
    act.a = a;
    act.b = b;
    act.number = number;
    reach.note(act, world.now());
  }
  /// The sites that could serve the job: "alpha beta".
  std::string serve(const JobDescription& job) const {
    std::string names;
    for (const std::size_t site : reach.sites_that_could_serve(world, user, job))
      names += (names.empty() ? "" : " ") + std::string(std::string_view(world.topology().sites[site].name.text));
    return names;
  }
};

JobDescription divided(std::vector<std::uint32_t> sizes, std::uint32_t dttl = 5,
                       RequestKind kind = RequestKind::non_fixed) {
  JobDescription job = sleeper(1, 10, dttl);
  job.need.kind = kind;
  job.need.components.clear();
  for (const std::uint32_t size : sizes) job.need.components.push_back({size, {}, {}});
  return job;
}

}  // namespace

TEST_CASE("within reach: sites that are wide enough, at most as many hops away as the DTTL") {
  struct Row {
    std::uint32_t processors, dttl;
    const char* sites;
  };
  const Stage stage;
  for (const Row& row : {Row{8, 0, "alpha"}, Row{8, 1, "alpha beta"}, Row{8, 2, "alpha beta gamma"}, Row{9, 0, ""},
                         Row{9, 2, "beta gamma"}, Row{12, 5, "beta gamma"}, Row{13, 5, "beta"}, Row{21, 5, ""}}) {
    CAPTURE(row.processors);
    CAPTURE(row.dttl);
    CHECK(stage.serve(sleeper(row.processors, 10, row.dttl)) == row.sites);
  }
}

TEST_CASE("within reach: what sites' configurations rule out") {
  struct Row {
    const char* what;
    Change change;
    const char* sites;  ///< that could serve a job of 8 processors
  };
  const Row rows[] = {
      {"beta doesn't lend, and passes requests on", [](Topology& all) { all.sites[1].settings.lend = false; },
       "alpha gamma"},
      {"alpha doesn't lend, and serves its own", [](Topology& all) { all.sites[2].settings.lend = false; },
       "alpha beta gamma"},
      {"alpha doesn't delegate", [](Topology& all) { all.sites[2].settings.delegate = false; }, "alpha"},
      {"alpha looks one hop far", [](Topology& all) { all.sites[2].settings.hint_distance = 1; }, "alpha beta"},
      {"beta lends for less time than asked for",
       [](Topology& all) { all.sites[1].settings.lease_length_max = seconds(100); }, "alpha gamma"},
      {"beta's quota leaves no room", [](Topology& all) { all.sites[1].clusters[0].quota = 0.3; }, "alpha gamma"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    JobDescription job = sleeper(8, 10);
    job.program.limits.edit().wall_seconds = 41;
    CHECK(Stage(row.change).serve(job) == row.sites);
  }
}

TEST_CASE("within reach: news of links and of sizes takes 100 s") {
  const Party at_alpha = site_manager_of(alpha), at_beta = site_manager_of(beta);
  Stage stage;
  stage.note(Kind::link, at_beta, at_alpha);
  CHECK(stage.serve(sleeper(8, 10)) == "alpha");
  stage.world.run_until(Instant{} + seconds(100));
  CHECK(stage.serve(sleeper(8, 10)) == "alpha");
  stage.world.run_until(Instant{} + seconds(101));
  CHECK(stage.serve(sleeper(8, 10)) == "alpha beta gamma");
  CHECK(stage.reach.nodes_of(betas_nodes, 10) == 10);
  stage.note(Kind::resize, betas_nodes, {}, 20);
  CHECK(stage.reach.nodes_of(betas_nodes, 10) == 20);
  CHECK(stage.serve(sleeper(40, 10)) == "");  // not known everywhere yet
  stage.world.run_until(Instant{} + seconds(202));
  CHECK(stage.serve(sleeper(40, 10)) == "beta");
  stage.note(Kind::resize, betas_nodes, {}, 2);
  CHECK(stage.reach.nodes_of(betas_nodes, 10) == 2);
  CHECK(stage.serve(sleeper(8, 10)) == "alpha gamma");
}

TEST_CASE("within reach: sites hold a job with several components together") {
  struct Row {
    JobDescription job;
    bool alone, together;
  };
  const Row rows[] = {
      {divided({20, 12, 8}), false, true},
      {divided({20, 12, 8}, 1), false, false},
      {divided({20, 13, 7}), false, false},
      {divided({6, 6}), true, true},
      {divided({21}), false, false},
      {divided({18, 2}), true, true},
      {divided({19, 1}), false, true},  // the last processor of a node is of no use for another component
      {divided({30}, 5, RequestKind::flexible), false, false},
  };
  const Stage stage;
  for (const Row& row : rows) {
    CAPTURE(text_of_demand(row.job));
    CHECK(stage.serve(row.job).empty() == !row.alone);
    CHECK(stage.reach.could_hold_together(stage.world, user, row.job) == row.together);
  }
  const Stage apart([](Topology& all) { all.sites[2].settings.co_allocate = false; });
  CHECK_FALSE(apart.reach.could_hold_together(apart.world, user, rows[0].job));
}

TEST_CASE("within reach: a demand as text") {
  CHECK(text_of_demand(divided({4, 2}, 3)) == "4 + 2 processors, DTTL 3");
  CHECK(text_of_demand(divided({9}, 0, RequestKind::flexible)) == "9 flexible processors, DTTL 0");
}

TEST_CASE("within reach: which searches come to all sites, and which requests idle nodes should serve soon") {
  struct Row {
    const char* what;
    Change change;  ///< of the home site
    bool searches_all, watched;
  };
  const Row rows[] = {
      {"as usual", [](Topology&) {}, true, true},
      {"no hints", [](Topology& all) { all.sites[2].settings.use_hints = false; }, false, false},
      {"few tries", [](Topology& all) { all.sites[2].settings.tries_per_round = 15; }, false, false},
      {"the seen-list of the paper, by hints",
       [](Topology& all) { all.sites[2].settings.seen_counts_dttl = false; }, true, true},
      {"the seen-list of the paper, by turns",
       [](Topology& all) {
         all.sites[2].settings.seen_counts_dttl = false, all.sites[2].settings.target_policy = "round_robin";
       },
       false, false},
      {"waits for its own nodes", [](Topology& all) { all.sites[2].settings.delegation_threshold = 2; }, true,
       false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Stage stage(row.change);
    CHECK(WithinReach::searches_all(stage.world, user) == row.searches_all);
    CHECK(WithinReach::is_watched(stage.world, user, divided({4}).need) == row.watched);
    CHECK_FALSE(WithinReach::is_watched(stage.world, user, divided({4, 2}).need));
    CHECK_FALSE(WithinReach::is_watched(stage.world, user, divided({4}, 5, RequestKind::flexible).need));
  }
}

}  // namespace within_reach_test
