// `dmm why`, state by state: its text for waiting jobs, for each reason that there is, from answers of real site
// managers in the simulated world. For other jobs see job_sentences_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/jobs/job_sentences.hpp"
#include "cli/jobs/job_totals.hpp"
#include "cli/jobs/wait_reasons.hpp"
#include "tests/answers/views_stage.hpp"

namespace why_test {

using namespace dmm;
using namespace dmm::views_stage;

namespace {

const SiteName alpha("alpha"), beta("beta");
const Party ann = job_manager_of(alpha, "ann"), bob = job_manager_of(beta, "bob");

/// Two siblings with these clusters and settings.
Topology pair(const std::string& of_alpha, const std::string& of_beta, const std::string& defaults = "") {
  return grid_of(R"({"name": "pair", "defaults": {)" + defaults + R"(}, "sites": [
    {"name": "alpha", "users": ["ann"], "siblings": ["beta"], )" +
                 of_alpha + R"(},
    {"name": "beta", "users": ["bob"], )" +
                 of_beta + "}]}");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// What `dmm why alpha/ann/JOB` says now.
std::string why(const World& world, std::uint64_t job, const KnownSites& others = {}) {
  const Json answer = ask_site(world, alpha, "why", {{"request", "alpha/ann/" + std::to_string(job)}});
  REQUIRE(answer["waits"] == true);
  return joined(wait_sentences(answer, others));
}

std::string text_of_job(const World& world, std::uint64_t job) {
  return ask_jobs(world, ann, "job", {{"job", job}})["text"].get<std::string>();
}

void expect(const std::string& text, std::initializer_list<const char*> parts) {
  CAPTURE(text);
  for (const char* part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

constexpr const char* eight = R"("clusters": [{"name": "nodes", "nodes": 8}])";
constexpr const char* sixteen = R"("clusters": [{"name": "nodes", "nodes": 16}])";

}  // namespace

TEST_CASE("why: a waiting job tells which jobs have the nodes, for how long, and what would start it") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  world.submit(bob, job_of(16));
  world.submit(ann, job_of(6));
  world.run_until(at(60));
  const std::uint64_t waiting = world.submit(ann, job_of(4));
  world.run_until(at(65));
  const std::string text = why(world, waiting, {{"beta", ask_site(world, beta, "site")}});
  expect(text,
         {"It asks for 4 processors", "The nodes of alpha that it could use are in use: 2 processors are idle",
          "alpha/ann/1: 6 processors for", "until it ends",
          "beta: not asked: of 16 processors in its largest cluster, or in one beyond it, it would lend 0 now; "
          "16 of its 16 processors are in use",
          "What would start it: the end of enough jobs and leases on nodes of alpha; room at any of its "
          "neighbours."});
}

TEST_CASE("why: lent nodes are named with the neighbour, their end, and when they are taken back") {
  World world(pair(eight, R"("clusters": [])"), calm_world());
  world.run_until(at(2));
  world.submit(bob, job_of(8));
  world.run_until(at(10));
  const std::uint64_t waiting = world.submit(ann, job_of(4));
  world.run_until(at(20));
  expect(why(world, waiting), {"beta (lease alpha#1, for beta/bob/1): 8 processors for", "more at most",
                               "lent nodes, which alpha takes back for it in 4 min 50 s"});
}

TEST_CASE("why: a request for nodes that no site has is refused at once, with what is missing") {
  World world(pair(eight, sixteen, R"("co_allocate": false)"), calm_world());
  world.run_until(at(2));
  JobDescription gpu = job_of(1), large = job_of(1), flexible = job_of(20);
  gpu.need.constraints.edit().attributes = {{"gpu", "1"}};
  large.need.constraints.edit().memory_bytes = 100'000'000'000;
  flexible.need.kind = RequestKind::flexible;
  for (const JobDescription& job : {gpu, large, flexible}) world.submit(ann, job);
  world.run_until(at(10));
  expect(text_of_job(world, 1), {"no nodes that can be reached have what it asks for", "gpu=1"});
  expect(text_of_job(world, 2), {"no nodes that can be reached", "95368 MiB of memory"});
  expect(text_of_job(world, 3), {"too large for every cluster", "20 at one site"});
}

TEST_CASE("why: what only a neighbour has, and what of it is missing here") {
  World world(pair(eight, R"("clusters": [{"name": "nodes", "nodes": 16, "memory_bytes": 64000000000,
    "attributes": {"gpu": "1"}}])"),
              calm_world());
  world.run_until(at(2));
  world.submit(bob, job_of(16));
  world.run_until(at(4));
  JobDescription gpu = job_of(1), large = job_of(1);
  gpu.need.constraints.edit().attributes = {{"gpu", "1"}};
  large.need.constraints.edit().memory_bytes = 32'000'000'000;
  world.submit(ann, gpu), world.submit(ann, large), world.submit(ann, job_of(12));
  world.run_until(at(10));
  expect(why(world, 1), {"gpu=1. It has waited", "Too few nodes of alpha, or none, have gpu=1."});
  expect(why(world, 2), {"32,000 MB of memory", "Too few nodes of alpha, or none, have 32,000 MB of memory."});
  expect(why(world, 3), {"No cluster of alpha has 12 processors: nodes has 8 processors in nodes of 1."});
}

TEST_CASE("why: a drained home site says that it is, and how it ends") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  world.submit(bob, job_of(16));
  world.drain(alpha, alpha);
  world.run_until(at(4));
  const std::uint64_t waiting = world.submit(ann, job_of(4));
  world.run_until(at(8));
  expect(why(world, waiting), {"alpha is drained: nothing new starts on its nodes.", "Its site is drained",
                               "`dmm resume alpha` lets it start at alpha"});
}

TEST_CASE("why: a job of several components is told why a cluster has nothing idle for it") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  JobDescription wide = job_of(8);
  wide.need.components.push_back({8, {}, {}});
  wide.need.components.push_back({8, {}, {}});
  SUBCASE("its owner is drained") { world.drain(beta, beta); }
  SUBCASE("its owner is drained for this site") { world.drain(beta, alpha); }
  const std::uint64_t waiting = world.submit(ann, wide);
  world.run_until(at(8));
  expect(why(world, waiting), {"alpha/nodes 8 of 8, beta/nodes 0 of 16 (drained)"});
  world.drain(alpha, alpha);
  world.run_until(at(30));
  expect(why(world, waiting), {"alpha/nodes 0 of 8 (drained), beta/nodes 0 of 16 (drained)"});
}

TEST_CASE("why: a quota that no whole node meets is named, whether the job is refused or waits for others") {
  const char* const one =
      R"("clusters": [{"name": "nodes", "nodes": 1, "processors_per_node": 32, "quota": 0.9}])";
  const char* const quota = "nodes has 32 processors in nodes of 32, and its quota is 0.9";
  World alone(
      grid_of(std::string(R"({"name": "one", "sites": [{"name": "alpha", "users": ["ann"], )") + one + "}]}"),
      calm_world());
  alone.run_until(at(2));
  alone.submit(ann, job_of(1));
  alone.run_until(at(5));
  expect(text_of_job(alone, 1), {"too large", "has 0 processors", quota});

  World world(pair(one, sixteen), calm_world());
  world.run_until(at(2));
  world.submit(bob, job_of(16));
  world.run_until(at(4));
  world.submit(ann, job_of(1));
  world.run_until(at(8));
  expect(why(world, 1), {"A quota of alpha leaves no room for 1 processor", quota, "a greater \"quota\""});
}

TEST_CASE("why: resource managers that are down are named, here and at a neighbour") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  world.crash(resource_manager_of(alpha, "nodes"));
  world.crash(resource_manager_of(beta, "nodes"));
  world.run_until(at(10));
  world.submit(ann, job_of(4));
  world.run_until(at(15));
  expect(why(world, 1, {{"beta", ask_site(world, beta, "site")}}),
         {"Too few nodes of alpha are there, since resource managers are down: alpha/nodes.",
          "its resource managers that are down: nodes", "a start of those resource managers"});
}

TEST_CASE("why: where all resource managers are up, and offer less than is configured, none is called down") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  world.resize(resource_manager_of(alpha, "nodes"), 6);
  world.run_until(at(10));
  world.submit(ann, job_of(8, 0));
  world.run_until(at(15));
  expect(why(world, 1),
         {"The resource managers of alpha offer fewer nodes than its configuration says: 6 of 8 processors.",
          "resource managers that offer the rest"});
}

TEST_CASE("why: a request that no site can ever hold names neither holders nor a longer way") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  world.submit(ann, job_of(8));
  world.crash(resource_manager_of(beta, "nodes"));
  world.run_until(at(60));
  world.submit(ann, job_of(16));
  world.run_until(at(70));
  const std::string text = why(world, 2);
  CAPTURE(text);
  CHECK(text.find("No cluster of alpha has 16 processors") != std::string::npos);
  CHECK(text.find("These have nodes of alpha") == std::string::npos);
}

TEST_CASE("why: each site that was asked names what kept it, not only that it had no room") {
  struct Case {
    const char* of_beta;
    const char* asked;  ///< "gpu", "memory" or "wide"
    const char* reason;
    bool drained = false, down = false;
  };
  for (const Case& one :
       {Case{sixteen, "", "drained", true}, Case{sixteen, "", "nodes_down", false, true},
        Case{sixteen, "gpu", "no_attribute"}, Case{sixteen, "memory", "too_little_memory"},
        Case{sixteen, "wide", "too_wide"}, Case{R"("clusters": [])", "", "no_nodes"},
        Case{R"("clusters": [{"name": "nodes", "nodes": 1, "processors_per_node": 8, "quota": 0.9}])", "",
             "over_quota"}}) {
    CAPTURE(one.reason);
    World world(pair(R"("clusters": [])", one.of_beta, R"("use_hints": false)"), calm_world());
    world.run_until(at(2));
    if (one.drained) world.drain(beta, beta);
    if (one.down) world.crash(resource_manager_of(beta, "nodes"));
    world.run_until(at(8));
    JobDescription job = job_of(std::string(one.asked) == "wide" ? 17 : 4);
    if (std::string(one.asked) == "gpu") job.need.constraints.edit().attributes = {{"gpu", "1"}};
    if (std::string(one.asked) == "memory") job.need.constraints.edit().memory_bytes = 1;
    world.submit(ann, job);
    world.run_until(at(8.5));
    const Json answer = ask_site(world, alpha, "why", {{"request", "alpha/ann/1"}});
    REQUIRE(answer["answers"].size() == 1);
    CHECK(answer["answers"][0]["reason"] == one.reason);
    expect(joined(wait_sentences(answer)),
           {reject_sentence("beta", one.reason).c_str(), "alpha has no nodes of its own."});
  }
}

TEST_CASE("why: a neighbour that lends the home site nothing for now says why, and for how long yet") {
  const std::string all_in_use = R"("clusters": [{"name": "nodes", "nodes": 4}])";
  for (const bool reclaims : {true, false}) {
    CAPTURE(reclaims);
    World world(pair(all_in_use, sixteen), calm_world());
    world.run_until(at(2));
    world.submit(ann, job_of(4, 0));
    world.run_until(at(4));
    world.submit(ann, job_of(2));
    world.run_until(at(6));
    if (reclaims)
      world.reclaim(beta, "alpha", {});
    else
      world.drain(beta, alpha);
    world.submit(ann, job_of(2));
    world.run_until(at(16));
    const Json others = ask_site(world, beta, "site");
    expect(why(world, 3, {{"beta", others}}),
           {reclaims ? "it lends alpha nothing for 50" : "it is drained for alpha"});
  }
}

TEST_CASE("why: the limit of a link is named, of a job that is refused and of one that waits") {
  const std::string limited = std::string(sixteen) + R"(, "limits": [{"site": "alpha", "processors": 3}])";
  const char* const limit = "beta lends alpha at most 3 processors at once (\"processors\" in \"limits\" there)";
  World world(pair(R"("clusters": [{"name": "nodes", "nodes": 2}])", limited), calm_world());
  world.run_until(at(2));
  world.submit(ann, job_of(8));
  world.submit(ann, job_of(2)), world.submit(ann, job_of(2));
  world.run_until(at(10));
  expect(text_of_job(world, 1),
         {"refused: a limit on the way to its nodes allows less at once; needs 8 processors; ", limit});
  CHECK(text_of_job(world, 1).find("largest cluster") == std::string::npos);
  world.submit(ann, job_of(2));
  world.run_until(at(15));
  expect(why(world, 4), {"beta: not asked: of ",
                         "; it lends alpha at most 3 processors at once (\"processors\" in its "
                         "\"limits\")"});
  expect(why(world, 4, {{"beta", ask_site(world, beta, "site")}}),
         {"it lends alpha at most 3 processors at once (\"processors\" in its \"limits\"), and alpha has 2"});

  World of_leases(
      pair(R"("clusters": [])", std::string(sixteen) + R"(, "limits": [{"site": "alpha", "leases": 1}])",
           R"("reuse_jobs_max": 1)"),
      calm_world());
  of_leases.run_until(at(2));
  of_leases.submit(ann, job_of(2)), of_leases.submit(ann, job_of(2));
  of_leases.run_until(at(10));
  expect(why(of_leases, 2, {{"beta", ask_site(of_leases, beta, "site")}}),
         {"it lends alpha at most 1 lease at a time (\"leases\" in its \"limits\"), and has lent that many"});
}

TEST_CASE("why: a neighbour with a limit below the request says so, and one that was asked says which limit") {
  const std::string limited = std::string(sixteen) + R"(, "limits": [{"site": "alpha", "processors": 3}])";
  World world(grid_of(std::string(R"({"name": "three", "sites": [
    {"name": "alpha", "users": ["ann"], "siblings": ["beta", "gamma"], "clusters": []},
    {"name": "beta", )") +
                      limited + R"(}, {"name": "gamma", "users": ["bob"], )" + eight + "}]}"),
              calm_world());
  world.run_until(at(2));
  world.submit(job_manager_of(SiteName("gamma"), "bob"), job_of(8));
  world.run_until(at(4));
  world.submit(ann, job_of(8));
  world.run_until(at(10));
  expect(why(world, 1), {"beta: it lends alpha at most 3 processors at once (\"processors\" in its \"limits\")"});
  expect(joined(wait_sentences({{"reason", "pausing"},
                                {"answers", {{{"site", "b"}, {"reason", "processors_limit"}, {"most", 3}}}},
                                {"neighbours",
                                 {{{"site", "c"},
                                   {"stage", "cannot"},
                                   {"clause", "processors_limit"},
                                   {"limit", 3},
                                   {"limit_hops", 2}}}}})),
         {"b: lends the site that asked it fewer processors at once than", ": at most 3",
          "c: a site 2 hops away, beyond it, lends less over its link than it has"});
}

TEST_CASE("why: a request that may not travel, and one that stays at home below the threshold") {
  World world(pair(eight, sixteen, R"("delegation_threshold": 5)"), calm_world());
  world.run_until(at(2));
  world.submit(ann, job_of(8));
  world.run_until(at(4));
  world.submit(ann, job_of(4, 0)), world.submit(ann, job_of(4));
  world.run_until(at(8));
  expect(why(world, 2), {"may not travel (DTTL 0)", "`--dttl 1` or more, which lets a neighbour be asked"});
  expect(why(world, 3), {"is not above the delegation threshold (5.00)", "a lower \"delegation_threshold\""});
}

TEST_CASE("why: a greater DTTL is suggested where a site farther away could serve the request, and only there") {
  const auto why_in = [](std::uint32_t of_gamma, std::uint32_t dttl) {
    World world(grid_of(R"({"name": "row", "sites": [
      {"name": "alpha", "users": ["ann"], "siblings": ["beta"], "clusters": [{"name": "nodes", "nodes": 8}]},
      {"name": "beta", "siblings": ["gamma"], "clusters": [{"name": "nodes", "nodes": 2}]},
      {"name": "gamma", "clusters": [{"name": "nodes", "nodes": )" +
                        std::to_string(of_gamma) + "}]}]}"),
                calm_world());
    world.run_until(at(2));
    world.submit(ann, job_of(8));
    world.run_until(at(4));
    world.submit(ann, job_of(4, dttl));
    world.run_until(at(8));
    return why(world, 2);
  };
  expect(why_in(4, 1), {"`--dttl 2` or more, which lets a site 2 hops away be asked that could serve it"});
  expect(why_in(4, 0), {"may not travel (DTTL 0)", "`--dttl 2` or more"});  // the neighbour couldn't serve it
  CHECK(why_in(3, 0).find("--dttl") == std::string::npos);
  CHECK(why_in(3, 1).find("--dttl") == std::string::npos);
}

TEST_CASE("why: a request that may not travel is no better off with a greater DTTL if its site has no neighbour") {
  World alone(
      grid_of(std::string(R"({"name": "one", "sites": [{"name": "alpha", "users": ["ann"], )") + eight + "}]}"),
      calm_world());
  alone.run_until(at(2));
  alone.submit(ann, job_of(8));
  alone.run_until(at(4));
  alone.submit(ann, job_of(4, 0));
  alone.run_until(at(8));
  const std::string text = why(alone, 2);
  expect(text, {"There is no site to ask: its own has no neighbour", "What would start it: the end of enough"});
  CHECK(text.find("DTTL") == std::string::npos);
  CHECK(text.find("--dttl") == std::string::npos);
}

TEST_CASE(
    "why: the wait of a job that was interrupted is that of its present attempt, and its runs are told apart") {
  World world(pair(R"("clusters": [])", sixteen), calm_world());
  world.run_until(at(2));
  const std::uint64_t job = world.submit(ann, job_of(12));
  world.run_until(at(62));
  world.reclaim(beta, "alpha", {});
  world.submit(bob, job_of(16));
  world.run_until(at(80));
  const ToldJob told = job_from_json(ask_jobs(world, ann, "job", {{"job", job}}));
  REQUIRE(told.state == "waiting");
  REQUIRE(told.interruptions == 1);
  const Json answer = ask_site(world, alpha, "why", {{"request", told.request}});
  REQUIRE(answer["waits"] == true);
  CHECK(answer["waited_seconds"] > 70);  // from its submission
  const double now = static_cast<double>(time_of(world).wall_microseconds) / 1e6;
  const double waited = waited_seconds(told, now);
  CHECK(waited < 19);
  expect(joined(wait_sentences(answer, {}, waited)), {"It has waited 18"});
  expect(joined(earlier_sentences(told, now)),
         {"Earlier attempts at it ran for 60.0 s in all.", "has waited for 18.0 s in all"});
}

TEST_CASE("why: a job manager tells the nodes of a running job, its limit, and whether it reaches its site") {
  World world(pair(eight, sixteen), calm_world());
  world.run_until(at(2));
  JobDescription job = job_of(12);
  job.program.limits.edit().wall_seconds = 3600;
  world.submit(ann, job);
  world.run_until(at(62));
  const Json answer = ask_jobs(world, ann, "job", {{"job", 1}});
  CHECK(answer["nodes"]["beta/nodes"] == "0-11");
  CHECK(answer["limit_wall_seconds"] == 3600);
  CHECK(ask_jobs(world, ann, "counts")["site_up"] == true);
  world.crash(site_manager_of(alpha));
  world.run_until(at(70));
  CHECK(ask_jobs(world, ann, "counts")["site_up"] == false);
}

TEST_CASE("why: every reason has a sentence") {
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(WaitReason::gathering); ++i) {
    const std::string word(to_text(static_cast<WaitReason>(i)));
    CHECK(joined(wait_sentences({{"reason", word}, {"processors", 4}})).find("doesn't know") == std::string::npos);
  }
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(RejectReason::delegations_limit); ++i)
    CHECK(reject_sentence("b", std::string(to_text(static_cast<RejectReason>(i)))).find("doesn't know") ==
          std::string::npos);
  CHECK(reject_sentence("b", "other").find("other") != std::string::npos);
}

TEST_CASE("why: each site that was asked is named with the reason") {
  expect(joined(wait_sentences({{"reason", "pausing"},
                                {"pause_left_seconds", 2.5},
                                {"answers", {{{"site", "b"}, {"reason", "no_capacity"}}}}})),
         {"2.5 s", "b: has too few free nodes"});
}

}  // namespace why_test
