// Every view over every topology that DMM ships: just started, idle, loaded, drained, with dead managers. The managers
// answer in the simulated world; the output is made from their answers as in the command.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>

#include "cli/jobs/wait_reasons.hpp"
#include "cli/sites/leases_report.hpp"
#include "cli/sites/sites_report.hpp"
#include "cli/terminal/figures.hpp"
#include "tests/answers/views_stage.hpp"

namespace views_test {

using namespace dmm;
using namespace dmm::views_stage;

namespace {

constexpr Style wide{.colour = false, .unicode = true, .columns = 0};
constexpr Style narrow{.colour = true, .unicode = true, .columns = 80};

/// The answers to one question, one from each living site.
std::vector<Json> ask_sites(const World& world, const std::string& verb) {
  std::vector<Json> answers;
  for (const TopologySite& site : world.topology().sites)
    if (world.site(site.name)) answers.push_back(ask_site(world, site.name, verb));
  return answers;
}

std::vector<Json> sites_of(const World& world) {
  std::vector<Json> sites;
  for (const TopologySite& site : world.topology().sites) {
    const SiteName& name = site.name;
    if (world.site(name))
      sites.push_back(site_with_sessions(ask_site(world, name, "site"), ask_site(world, name, "links")));
    else
      sites.push_back(site_without_answer(name.text, "no answer"));
  }
  return sites;
}

void expect_fits(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 80);
  }
}

/// The output of all commands now, with lines of any width and of at most 80 columns.
void look_at(const World& world) {
  const std::vector<Json> sites = sites_of(world), leases = ask_sites(world, "leases"),
                          usage = ask_sites(world, "usage"), nodes = ask_sites(world, "nodes");
  for (const Style& style : {wide, narrow})
    for (const std::string& text :
         {render_sites(sites, style), render_leases(leases, style), render_usage(usage, false, style),
          render_usage(usage, true, style), render_nodes(nodes_that_pass(nodes, {}), style)}) {
      CHECK_FALSE(text.empty());
      if (style.columns > 0) expect_fits(text);
    }
  const std::string shown = render_sites(sites, wide);
  for (const TopologySite& site : world.topology().sites) CHECK(shown.find(site.name.text) != std::string::npos);
  for (const Party& party : world.parties()) {
    if (party.role != Role::job_manager || !world.job_manager(party)) continue;
    CHECK(ask_jobs(world, party, "counts").contains("site_up"));
    const Json queue = ask_jobs(world, party, "queue");
    for (const Json& job : queue["jobs"]) {
      if (job["state"] != "waiting" || !world.site(party.site)) continue;
      const Json why = ask_site(world, party.site, "why", {{"request", job["request"]}});
      if (why["waits"] == true) CHECK(wait_sentences(why).size() >= 2);
    }
  }
}

std::vector<Party> all_of(const World& world, Role role) {
  std::vector<Party> all;
  for (const Party& party : world.parties())
    if (party.role == role) all.push_back(party);
  return all;
}

/// The JSON with one value after another replaced by a value of another type.
void each_oddity(const Json& json, const std::function<void(const Json&)>& see) {
  const Json flat = json.flatten();
  for (const auto& [path, value] : flat.items())
    for (const Json& odd : {Json(nullptr), Json("text"), Json(-1), Json::array(), Json::object(), Json(true)}) {
      Json other = json;
      other[Json::json_pointer(path)] = odd;
      see(other);
    }
}

}  // namespace

TEST_CASE("views: every view shows every shipped grid, started, idle, loaded, drained and with dead managers") {
  for (const auto& entry : std::filesystem::directory_iterator(DMM_SOURCE_DIR "/topologies")) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    auto read = read_topology(entry.path().string());
    REQUIRE(std::holds_alternative<Topology>(read));
    World world(std::get<Topology>(std::move(read)), calm_world());
    look_at(world);
    world.run_until(at(2));
    look_at(world);
    const std::vector<Party> users = all_of(world, Role::job_manager), sites = all_of(world, Role::site_manager),
                             managers = all_of(world, Role::resource_manager);
    for (const Party& user : users) world.submit(user, job_of(4), 3);
    world.run_until(at(5));
    look_at(world);
    for (const Party& site : sites) world.drain(site.site, site.site);
    for (const Party& user : users) world.submit(user, job_of(2, 1), 2);
    world.run_until(at(8));
    look_at(world);
    world.crash(managers.front());
    world.crash(sites.back());
    world.crash(users.front());
    world.run_until(at(20));
    look_at(world);
  }
}

TEST_CASE("views: whatever is missing in an answer or is of another type hides nothing else") {
  World world(grid_of(R"({"name": "pair", "sites": [
    {"name": "alpha", "clusters": [{"name": "nodes", "nodes": 2}], "users": ["u"], "siblings": ["beta"]},
    {"name": "beta", "clusters": [{"name": "nodes", "nodes": 4}], "users": ["u"]}]})"),
              calm_world());
  world.run_until(at(2));
  world.submit(job_manager_of(SiteName("alpha"), "u"), job_of(3), 2);
  world.run_until(at(4));
  const auto with_sound = [](const Json& odd) {
    return std::vector<Json>{odd, {{"site", "sound"}, {"up", true}}};
  };
  std::size_t looks = 0;
  each_oddity(sites_of(world).back(), [&](const Json& odd) {
    const std::string text = render_sites(with_sound(odd), wide);
    looks += text.find("sound") != std::string::npos;
  });
  CHECK(looks > 300);
  for (const char* verb : {"leases", "usage", "nodes"})
    each_oddity(ask_sites(world, verb).back(), [&](const Json& odd) {
      CHECK_NOTHROW(render_leases(with_sound(odd), wide));
      CHECK_NOTHROW(render_usage(with_sound(odd), true, wide));
      CHECK_NOTHROW(render_nodes(nodes_that_pass(with_sound(odd), {}), wide));
    });
  each_oddity(ask_site(world, SiteName("alpha"), "why", {{"request", "alpha/u/2"}}),
              [](const Json& odd) { CHECK_NOTHROW(wait_sentences(odd)); });
}

TEST_CASE("views: a resource manager that is down shows in the list of sites, and with its nodes") {
  World world(grid_of(R"({"name": "one", "sites": [
    {"name": "alpha", "users": ["u"],
     "clusters": [{"name": "left", "nodes": 4}, {"name": "right", "nodes": 2}]}]})"),
              calm_world());
  const SiteName alpha("alpha");
  world.run_until(at(2));
  CHECK(render_sites(sites_of(world), wide).find("is down") == std::string::npos);
  world.submit(job_manager_of(alpha, "u"), job_of(3));
  world.run_until(at(4));
  world.crash(resource_manager_of(alpha, "left"));
  world.run_until(at(10));
  CHECK(render_sites(sites_of(world), wide).find("alpha/left: this resource manager is down") !=
        std::string::npos);
  const auto rows = [&](const NodeFilter& filter) { return nodes_that_pass(ask_sites(world, "nodes"), filter); };
  REQUIRE(rows({.states = {"down"}, .resource_manager = {}, .cluster = {}}).size() == 2);
  const Json leased = rows({.states = {"down"}, .resource_manager = {}, .cluster = {}}).front();
  CHECK(leased["resource_manager"] == "left");
  CHECK(leased["nodes"] == "0-2");
  CHECK(leased["lease"] == "alpha#1");
  CHECK(leased["requests"] == Json{"alpha/u/1"});
  CHECK(leased["reason"] == "its resource manager is down");
  const std::vector<Json> right = rows({.states = {}, .resource_manager = {}, .cluster = "right"});
  REQUIRE(right.size() == 1);
  CHECK(right.front()["state"] == "free");
  CHECK(right.front()["count"] == 2);
  CHECK(render_nodes(right, wide)
            .ends_with("alpha: jobs of all sites run under one account, without separation, at right\n"));
  std::vector<Json> apart = right;
  apart.front()["users_apart"] = true;
  CHECK(render_nodes(apart, wide).find("account") == std::string::npos);
  CHECK(render_nodes(rows({.states = {"cleaning"}, .resource_manager = {}, .cluster = {}}), wide) ==
        "no such nodes\n");
}

TEST_CASE("views: free nodes of a site that is drained say why nothing starts there") {
  World world(grid_of(R"({"name": "one", "sites": [
    {"name": "alpha", "users": ["u"], "clusters": [{"name": "left", "nodes": 4}]}]})"),
              calm_world());
  const SiteName alpha("alpha");
  world.run_until(at(2));
  const auto reason = [&] { return nodes_that_pass(ask_sites(world, "nodes"), {}).front()["reason"]; };
  CHECK(reason() == "");
  world.drain(alpha, alpha);
  CHECK(reason() == "the site is drained: nothing new starts");
}

TEST_CASE("views: a resource manager that gave its nodes back to their host isn't down") {
  const auto site_with = [](const char* why) {
    return std::vector<Json>{
        {{"site", "b"},
         {"up", true},
         {"resource_managers", {{{"name", "b1"}, {"up", false}, {"set_aside", "0"}, {"set_aside_why", why}}}}}};
  };
  const std::vector<Json> back = site_with("given back to the host's own users"),
                          lost = site_with("its disk is full");
  CHECK_FALSE(is_anything_down(back));
  CHECK(render_sites(back, wide).find("b1") == std::string::npos);
  CHECK(is_anything_down(lost));
  CHECK(render_sites(lost, wide).find("b/b1: this resource manager is down") != std::string::npos);
  CHECK(render_sites(lost, wide).find("its disk is full") != std::string::npos);
}

TEST_CASE("views: a cluster that a site has set aside is named with the sites and with the nodes") {
  const Json aside{{"site", "b"}, {"cluster", "nodes"}, {"failures", 10}, {"seconds_left", 90.0}};
  const std::vector<Json> sites{{{"site", "a"}, {"up", true}, {"clusters_aside", {aside}}}};
  const std::string told =
      "a: places no jobs on cluster b/nodes for 90.0 s, since its hosts failed 10 jobs in a row\n";
  CHECK(render_clusters_aside(sites, wide) == told);
  CHECK(render_sites(sites, wide).find(told) != std::string::npos);
  CHECK(render_clusters_aside({{{"site", "a"}}}, wide).empty());
}

TEST_CASE("views: a list of nodes comes in pages") {
  World world(grid_of(R"({"name": "one", "sites": [{"name": "alpha", "users": ["u"],
    "clusters": [{"name": "nodes", "nodes": 8}]}]})"),
              calm_world());
  const SiteName alpha("alpha");
  world.run_until(at(2));
  world.submit(job_manager_of(alpha, "u"), job_of(1), 5);
  world.run_until(at(4));
  std::size_t rows = 0;
  for (Json from = 0; from.is_number();) {
    const Json page = ask_site(world, alpha, "nodes", {{"from", from}, {"limit", 2}});
    CHECK(page["total"] == 6);
    rows += page["nodes"].size();
    from = page["next"];
  }
  CHECK(rows == 6);
}

TEST_CASE(
    "views: a lease that serves one job after the other names the job that uses it now, at all of its sites") {
  World world(grid_of(R"({"name": "pair", "sites": [
    {"name": "alpha", "users": ["u"], "siblings": ["beta"]},
    {"name": "beta", "clusters": [{"name": "nodes", "nodes": 4}]}]})"),
              calm_world());
  world.run_until(at(2));
  JobDescription job = job_of(4);
  job.program.arguments = {"sleep", "10"};
  world.submit(job_manager_of(SiteName("alpha"), "u"), job, 3);
  world.run_until(at(15));
  const std::vector<Json> leases = ask_sites(world, "leases");
  REQUIRE(leases.back()["leases"].size() == 1);
  CHECK(leases.back()["leases"][0]["request"] == "alpha/u/1");
  const std::string text = render_leases({leases.back()}, wide), whole = render_leases(leases, wide);
  CHECK(text.find("alpha/u/2") == std::string::npos);  // only the sink knows that request
  CHECK(whole.find("alpha/u/2") != whole.rfind("alpha/u/2"));
}

TEST_CASE("views: leases name the elements of arrays as their users do") {
  World world(grid_of(R"({"name": "one", "sites": [
    {"name": "alpha", "users": ["u"], "clusters": [{"name": "nodes", "nodes": 4}]}]})"),
              calm_world());
  const Party u = job_manager_of(SiteName("alpha"), "u");
  world.run_until(at(2));
  JobDescription array = job_of(1);
  array.array = std::get<ArrayIndices>(parse_array("5-6"));
  world.submit(u, array);
  world.run_until(at(6));
  std::vector<Json> leases = ask_sites(world, "leases");
  CHECK(jobs_of_leases(leases, 9) == JobsOfUsers{{"alpha/u", {2, 3}}});
  const Json names = ask_jobs(world, u, "names", {{"jobs", {1, 2, 3, 99}}})["elements"];
  CHECK(names == Json{{"2", "1_5"}, {"3", "1_6"}});
  CHECK(render_leases(leases, wide).find("alpha/u/2") != std::string::npos);
  name_elements(leases, {{"alpha/u/2", "alpha/u/1_5"}});
  const std::string text = render_leases(leases, wide);
  CHECK(text.find("alpha/u/2") == std::string::npos);
  CHECK(text.find("alpha/u/1_5") != text.rfind("alpha/u/1_5"));  // granted for, and used by
  CHECK(text.find("alpha/u/3") != std::string::npos);            // its job manager didn't say
}

TEST_CASE("views: the leases of a co-allocated job are told together") {
  World world(grid_of(R"({"name": "pair", "sites": [
    {"name": "alpha", "users": ["u"], "siblings": ["beta"], "clusters": [{"name": "nodes", "nodes": 4}]},
    {"name": "beta", "clusters": [{"name": "nodes", "nodes": 4}]}]})"),
              calm_world());
  world.run_until(at(2));
  JobDescription job = job_of(4);
  job.need.components = {{4, {}, {}}, {3, {}, {}}};
  job.program.arguments = {"sleep", "100"};
  world.submit(job_manager_of(SiteName("alpha"), "u"), job);
  world.run_until(at(15));
  const std::string text = render_leases(ask_sites(world, "leases"), wide);
  CHECK(text.find(
            "alpha/u/1 has 2 leases with 7 processors:\n  alpha#1, 4 processors in use\n  beta#1, 3 processors "
            "in use\n") != std::string::npos);
}

TEST_CASE("views: what is wider than the terminal is cut, or stands below its row") {
  Table table({{"site"}, {"number", true}, {"text", false, true}, {"empty"}});
  table.add({"alpha", "17", std::string(200, 'x'), ""});
  const std::string cut = table.text({.colour = false, .unicode = true, .columns = 40});
  CHECK(cut.find("…") != std::string::npos);
  CHECK(cut.find("empty") == std::string::npos);
  expect_fits(cut);
  CHECK(table.text(wide).find(std::string(200, 'x')) != std::string::npos);

  Table many({{"site"}, {"first number", true}, {"second number", true}, {"third number", true}});
  many.add({"alpha", "1", "2", "3"});
  const std::string below = many.text({.colour = false, .unicode = false, .columns = 36});
  CHECK(below == "site   first number  second number\nalpha             1              2\n    third number 3\n");
  CHECK(folded("one two three", 8) == std::vector<std::string>{"one two", "  three"});
  CHECK(folded("one two three", 0).size() == 1);
}

}  // namespace views_test
