// Topologies: each rule has its message, shipped files load and have the shape that they claim, and the daemons' own
// readers accept the derived files.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "topologies/daemon_config.hpp"
#include "topologies/derive.hpp"
#include "topologies/text_rules.hpp"
#include "topologies/topology.hpp"

namespace topology_test {

using namespace dmm;

namespace {

/// A topology from text with ' in place of ".
TopologyOrError parse(std::string text, const ReadOptions& options = {}) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return parse_topology(text, "grid.json", options);
}

std::string fault_of(const TopologyOrError& read) {
  const auto* error = std::get_if<ConfigError>(&read);
  return error == nullptr ? "none" : error->text;
}

/// The fault of a topology with these sites and additional keys.
std::string fault_of_sites(const std::string& sites, const std::string& more = "") {
  return fault_of(parse("{'name': 'g', 'sites': [" + sites + "]" + more + "}"));
}

Topology shipped(const std::string& name) {
  const TopologyOrError read = read_topology(std::string(DMM_SOURCE_DIR) + "/topologies/" + name + ".json");
  REQUIRE_MESSAGE(std::holds_alternative<Topology>(read), fault_of(read));
  return std::get<Topology>(read);
}

std::size_t count_links(const Topology& topology, Relation relation) {
  const auto links = links_of(topology);
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [&](const auto& link) { return link.relation == relation; }));
}

std::vector<std::string> neighbours_of(const Topology& topology, const char* site) {
  std::vector<std::string> names;
  for (const auto& neighbour : topology.sites.at(*find_site(topology, SiteName(site))).settings.neighbours)
    names.push_back(neighbour.site.text);
  return names;
}

const DaemonFile& daemon_of(const Deployment& deployment, const Party& party) {
  const auto& all = deployment.daemons;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& file) { return file.party == party; });
  REQUIRE(at != all.end());
  return *at;
}

Deployment derived(const Topology& topology, const DeriveOptions& options) {
  const auto result = derive(topology, options);
  const auto* error = std::get_if<ConfigError>(&result);
  REQUIRE_MESSAGE(error == nullptr, error->text);
  return std::get<Deployment>(result);
}

std::string fault_of_derive(const Topology& topology, const DeriveOptions& options) {
  const auto result = derive(topology, options);
  const auto* error = std::get_if<ConfigError>(&result);
  return error == nullptr ? "none" : error->text;
}

constexpr const char* site_words =
    R"("clusters", "direct_routes", "limits", "name", "notes", "number", "parent", "settings", "siblings", "users")";

}  // namespace

TEST_CASE("topology: it is refused with the file, the field, the rule and what was expected") {
  CHECK(fault_of(parse("{'name': 'g', 'sites': []}")) ==
        "grid.json: sites: expected at least one site, found none");
  CHECK(fault_of(parse("{'name': 'g'}")) == "grid.json: the key \"sites\" is missing");
  CHECK(fault_of(parse("[]")) == "grid.json: expected an object, found an array");
  CHECK(fault_of(parse("{'name': 'g', 'sites': 3}")) == "grid.json: sites: expected an array, found 3");
  CHECK(fault_of_sites("3") == "grid.json: sites[0]: expected an object, found 3");
  CHECK(fault_of_sites("{'nam': 'a'}") == "grid.json: sites[0].nam: unknown key (did you mean \"name\"?)");
  CHECK(fault_of_sites("{'name': 'a', 'zebra': 1}") ==
        std::string("grid.json: sites[0].zebra: unknown key; expected one of ") + site_words);
  CHECK(fault_of_sites("{'name': 'a', 'notes': 7}") == "grid.json: sites[0].notes: expected a text, found 7");
  CHECK(fault_of_sites("{'name': 7}") == "grid.json: sites[0].name: expected a text, found 7");
  CHECK(fault_of_sites("{'name': 'Alpha'}") ==
        "grid.json: sites[0].name: \"Alpha\" is not a name; expected 1 to 32 of a-z, 0-9, '_', '.' and '-', "
        "beginning with a letter or a digit");
  CHECK(fault_of_sites("{'name': 'a'}, {'name': 'a'}") ==
        "grid.json: sites[1].name: \"a\" is already sites[0]; expected each site once");
  CHECK(fault_of_sites("{'name': 'a', 'number': 1}, {'name': 'b', 'number': 1}") ==
        "grid.json: sites[1].number: \"1\" occurs twice; expected each once");
}

TEST_CASE("topology: names are short and plain") {
  for (const char* good : {"a", "7", "das-0", "a_b.c-d", "12345678901234567890123456789012"})
    CHECK(fault_of_name(good) == "");
  for (const char* bad : {"", "A", "-a", ".a", "a b", "a/b", "\xc3\xa9", "123456789012345678901234567890123"})
    CHECK(fault_of_name(bad) != "");
}

TEST_CASE("topology: parents exist and make no loop") {
  CHECK(fault_of_sites("{'name': 'north', 'parent': 'nroth'}") ==
        "grid.json: sites[0].parent: there is no site \"nroth\"; expected one of \"sites\" (did you mean "
        "\"north\"?)");
  CHECK(fault_of_sites("{'name': 'a', 'parent': 'a'}") ==
        "grid.json: sites[0].parent: a loop of parents, a -> a; a site cannot be its own ancestor");
  CHECK(fault_of_sites("{'name': 'r'}, {'name': 'x', 'parent': 'a'}, {'name': 'a', 'parent': 'b'}, "
                       "{'name': 'b', 'parent': 'c'}, {'name': 'c', 'parent': 'a'}") ==
        "grid.json: sites[2].parent: a loop of parents, a -> b -> c -> a; a site cannot be its own ancestor");
}

TEST_CASE("topology: siblings exist and have the same parent") {
  CHECK(fault_of_sites("{'name': 'a', 'siblings': ['b']}") ==
        "grid.json: sites[0].siblings[0]: there is no site \"b\"; expected one of \"sites\"");
  CHECK(fault_of_sites("{'name': 'a', 'siblings': ['a']}") ==
        "grid.json: sites[0].siblings[0]: \"a\" is a sibling of itself");
  CHECK(fault_of_sites("{'name': 'a'}, {'name': 'b', 'parent': 'a', 'siblings': ['a']}") ==
        "grid.json: sites[1].siblings[0]: \"a\" has no parent, \"b\" has the parent \"a\"; siblings have the same "
        "parent, or both none");
  CHECK(fault_of_sites("{'name': 'a', 'siblings': ['b', 'b']}, {'name': 'b'}") ==
        "grid.json: sites[0].siblings[1]: \"b\" occurs twice; expected each once");
  CHECK(fault_of_sites("{'name': 'a', 'siblings': ['b']}, {'name': 'b', 'siblings': ['a']}") == "none");
}

TEST_CASE("topology: a link table says once what an existing link carries") {
  const std::string sites = "{'name': 'a'}, {'name': 'b', 'parent': 'a'}, {'name': 'c', 'parent': 'a'}";
  CHECK(fault_of_sites(sites, ", 'links': [{'sites': ['b', 'c'], 'megabits': 10}]") ==
        "grid.json: links[0].sites: there is no link between \"b\" and \"c\"; expected a parent and its child, or "
        "two siblings");
  CHECK(fault_of_sites(sites,
                       ", 'links': [{'sites': ['a', 'b'], 'megabits': 10}, "
                       "{'sites': ['b', 'a'], 'megabits': 20}]") ==
        "grid.json: links[1].sites: the link between \"b\" and \"a\" occurs twice; expected each once");
  CHECK(fault_of_sites(sites, ", 'links': [{'sites': ['a'], 'megabits': 10}]") ==
        "grid.json: links[0].sites: expected the names of two sites");
  CHECK(fault_of_sites(sites, ", 'links': [{'sites': ['a', 'b']}]") ==
        "grid.json: links[0]: the key \"megabits\" is missing");
  CHECK(fault_of_sites(sites, ", 'links': [{'sites': ['a', 'b'], 'megabits': 0}]") ==
        "grid.json: links[0].megabits: expected a number from 0.001 to 1000000, found 0");
  const auto read = parse("{'name': 'g', 'sites': [" + sites +
                          "], 'links': [{'sites': ['b', 'a'], 'megabits': 80, 'latency_seconds': 0.01}]}");
  REQUIRE(std::holds_alternative<Topology>(read));
  const std::vector<LinkQuality>& qualities = std::get<Topology>(read).link_qualities;
  REQUIRE(qualities.size() == 1);
  CHECK(qualities[0].bandwidth == 10'000'000);
  CHECK(qualities[0].latency == milliseconds(10));
}

TEST_CASE("topology: a group makes siblings of all its members") {
  const std::string sites = "{'name': 'a'}, {'name': 'b'}, {'name': 'c'}, {'name': 'd', 'parent': 'a'}";
  CHECK(fault_of_sites(sites, ", 'sibling_groups': [['a', 'x']]") ==
        "grid.json: sibling_groups[0][1]: there is no site \"x\"; expected one of \"sites\"");
  CHECK(fault_of_sites(sites, ", 'sibling_groups': [['a', 'b'], ['c', 'd']]") ==
        "grid.json: sibling_groups[1][1]: \"d\" and \"c\" have different parents; siblings have the same parent, "
        "or both none");
  CHECK(fault_of_sites(sites, ", 'sibling_groups': [['a']]") ==
        "grid.json: sibling_groups[0]: expected at least two sites");
  CHECK(fault_of_sites(sites, ", 'sibling_groups': [['a', 'a']]") ==
        "grid.json: sibling_groups[0][1]: \"a\" occurs twice; expected each once");
  CHECK(fault_of_sites(sites, ", 'sibling_groups': [3]") ==
        "grid.json: sibling_groups[0]: expected an array, found 3");
  const auto read = parse("{'name': 'g', 'sites': [" + sites + "], 'sibling_groups': [['c', 'a', 'b']]}");
  REQUIRE(std::holds_alternative<Topology>(read));
  CHECK(neighbours_of(std::get<Topology>(read), "a") == std::vector<std::string>{"d", "b", "c"});
  CHECK(count_links(std::get<Topology>(read), Relation::sibling) == 3);
}

TEST_CASE("topology: clusters and users are checked") {
  const auto cluster = [](const std::string& keys) {
    return fault_of_sites("{'name': 'a'}, {'name': 'b', 'clusters': [{" + keys + "}]}");
  };
  const std::string at = "grid.json: sites[1].clusters[0]";
  CHECK(cluster("'name': 'n', 'nodes': 0") == at + ".nodes: expected a whole number from 1 to 1000000, found 0");
  CHECK(cluster("'name': 'n', 'nodes': 1000001") ==
        at + ".nodes: expected a whole number from 1 to 1000000, found 1000001");
  CHECK(cluster("'name': 'n', 'nodes': -1") == at + ".nodes: expected a whole number from 1 to 1000000, found -1");
  CHECK(cluster("'name': 'n', 'nodes': 1.5") ==
        at + ".nodes: expected a whole number from 1 to 1000000, found 1.5");
  CHECK(cluster("'name': 'n', 'nodes': 'ten'") ==
        at + ".nodes: expected a whole number from 1 to 1000000, found the text \"ten\"");
  CHECK(cluster("'name': 'n', 'nodes': 1e6, 'resource_managers': 10") == "none");
  CHECK(cluster("'name': 'n', 'nodes': 1e6, 'resource_managers': 9") ==
        at + ".resource_managers: each has at most 100000 nodes; expected 10 or more, found 9");
  CHECK(cluster("'name': 'n', 'nodes': 1e6, 'processors_per_node': 11, 'resource_managers': 10") ==
        at + ".nodes: a cluster has at most 10000000 processors, found 11000000");
  CHECK(cluster("'name': 'n'") == at + ": the key \"nodes\" is missing");
  CHECK(cluster("'name': 'n', 'nodes': 4, 'quota': 1.5") ==
        at + ".quota: expected a number from 0 to 1, found 1.5");
  CHECK(cluster("'name': 'n', 'nodes': 4, 'resource_managers': 5") ==
        at + ".resource_managers: each needs a node; expected 1 to 4, found 5");
  CHECK(cluster("'name': 'n', 'nodes': 4, 'attributes': {'arch': 64}") ==
        at + ".attributes.arch: expected a text, found 64");
  CHECK(fault_of_sites("{'name': 'a', 'clusters': [{'name': 'n', 'nodes': 1}, {'name': 'n', 'nodes': 1}]}") ==
        "grid.json: sites[0].clusters[1].name: \"n\" occurs twice; expected each once");
  CHECK(fault_of_sites("{'name': 'a', 'clusters': [{'name': 'n', 'nodes': 2, 'resource_managers': 2}, "
                       "{'name': 'n-1', 'nodes': 1}]}") ==
        "grid.json: sites[0].clusters: two resource managers would be called \"n-1\"; rename a cluster");
  CHECK(fault_of_sites("{'name': 'a', 'users': ['u', 'u']}") ==
        "grid.json: sites[0].users[1]: \"u\" occurs twice; expected each once");
  CHECK(fault_of_sites("{'name': 'a', 'users': ['u']}") == "none");
}

TEST_CASE("topology: settings are the defaults, then those of the site") {
  const auto read = parse(
      "{'name': 'g', 'defaults': {'preset': 'paper', 'term_seconds': 7, 'tries_per_round': 5}, 'sites': ["
      "{'name': 'a', 'settings': {'term_seconds': 9, 'policies': {'target': 'round_robin'}}}, {'name': 'b'}]}",
      {.overrides = {"defaults.window_max=32", "sites.1.settings.lend=false",
                     "sites.b.settings.tries_per_round=9"}});
  REQUIRE_MESSAGE(std::holds_alternative<Topology>(read), fault_of(read));
  const SiteSettings& a = std::get<Topology>(read).sites[0].settings;
  const SiteSettings& b = std::get<Topology>(read).sites[1].settings;
  CHECK(a.term == seconds(9));
  CHECK(b.term == seconds(7));
  CHECK(a.target_policy == "round_robin");
  CHECK(b.target_policy == "configured");
  CHECK(a.tries_per_round == 5);
  CHECK(b.matchmaking_cycle == seconds(300));
  CHECK(b.window_max == 32);
  CHECK(a.lend);
  CHECK_FALSE(b.lend);
  CHECK(b.tries_per_round == 9);
  CHECK(fault_of_sites("{'name': 'a', 'settings': {'policies': {'target': 'hint'}}}") ==
        "grid.json: sites[0].settings.policies.target: \"hint\" is not known; expected one of \"hints\", "
        "\"best_fit\", \"bf\", \"round_robin\", \"configured\", \"fcfs\" (did you mean \"hints\"?)");
  CHECK(fault_of(parse("{'name': 'g', 'sites': []}", {.overrides = {"sites.4.name=a"}})) ==
        "--set sites.4.name=a: there is no sites.4");
}

TEST_CASE("topology: one that is built in code is checked and completed in the same way") {
  Topology topology;
  topology.sites.resize(2);
  topology.sites[0].name = SiteName("root");
  topology.sites[1].name = SiteName("leaf");
  topology.sites[1].parent = SiteName("root");
  topology.sites[1].clusters.push_back({.name = ClusterName("n"), .nodes = 0});
  auto error = link_sites(topology);
  REQUIRE(error);
  CHECK(error->text == "topology: sites[1].clusters[0].nodes: expected a whole number from 1 to 1000000, found 0");
  topology.sites[1].clusters[0].nodes = 3;
  CHECK_FALSE(link_sites(topology));
  CHECK_FALSE(link_sites(topology));  // linking again changes nothing
  CHECK(topology.sites[1].settings.ancestors == SiteNames{SiteName("root")});
  CHECK(topology.sites[1].settings.clusters.size() == 1);
  CHECK(neighbours_of(topology, "root") == std::vector<std::string>{"leaf"});
}

TEST_CASE("topology: the dual grid has the shape of Iosup et al. 2007, figure 1") {
  const Topology grid = shipped("dual-grid");
  CHECK(grid.sites.size() == 31);
  CHECK(processors_of(grid) == 3356);
  CHECK(count_links(grid, Relation::parent) == 29);
  CHECK(count_links(grid, Relation::sibling) == 56);
  const std::vector<WorkloadHome> homes = workload_homes(grid);
  CHECK(homes.size() == 20);
  const std::uint64_t sizes[] = {144, 64,  64, 64,  64,  198, 128, 128, 64,  96,
                                 106, 208, 64, 112, 140, 210, 224, 480, 114, 684};
  const std::map<std::uint32_t, std::vector<std::uint32_t>> children = {{20, {0, 1, 2, 3, 4}},
                                                                        {21, {22, 23, 24, 25, 26, 27, 28, 29, 30}},
                                                                        {22, {5, 6, 7, 8}},
                                                                        {23, {9}},
                                                                        {24, {10}},
                                                                        {25, {11, 12}},
                                                                        {26, {13, 14}},
                                                                        {27, {15, 16}},
                                                                        {28, {17}},
                                                                        {29, {18}},
                                                                        {30, {19}}};
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for (std::size_t i = 0; i < grid.sites.size(); ++i) {
    const TopologySite& site = grid.sites[i];
    REQUIRE(site.number.value_or(99) == i);
    CHECK(site.users.size() == (i < 20 ? 1 : 0));
    CHECK(processors_of(site) == (i < 20 ? sizes[i] : 0));
    if (i < 20) CHECK(homes[i].site == i);
    if (i < 20) CHECK(homes[i].user == "u0");
    if (!site.parent.empty()) found[*grid.sites[*find_site(grid, site.parent)].number].push_back(*site.number);
  }
  CHECK(found == children);
  CHECK(neighbours_of(grid, "das-3") == std::vector<std::string>{"das-0", "das-1", "das-2", "das-4", "das"});
  CHECK(neighbours_of(grid, "das") ==
        std::vector<std::string>{"das-0", "das-1", "das-2", "das-3", "das-4", "g5k"});
  CHECK(grid.sites[5].settings.ancestors == SiteNames{SiteName("rennes"), SiteName("g5k")});
}

TEST_CASE("topology: the other shipped topologies load and have the shape they claim") {
  const Topology two = shipped("two-sites");
  CHECK(two.sites.size() == 2);
  CHECK(processors_of(two.sites[0]) == 8);
  CHECK(processors_of(two.sites[1]) == 16);
  CHECK(count_links(two, Relation::sibling) == 1);
  const Topology three = shipped("three-level");
  CHECK(three.sites.size() == 8);
  CHECK(three.sites.back().settings.ancestors.size() == 2);
  CHECK(count_links(three, Relation::parent) == 7);
  const Topology chain = shipped("chain-of-six");
  CHECK(chain.sites.size() == 6);
  CHECK(chain.sites.back().settings.ancestors.size() == 5);
  CHECK(count_links(chain, Relation::sibling) == 0);
  const Topology ring = shipped("ring-of-siblings");
  CHECK(ring.sites.size() == 6);
  CHECK(count_links(ring, Relation::parent) == 0);
  CHECK(count_links(ring, Relation::sibling) == 6);
  CHECK(neighbours_of(ring, "ring-0") == std::vector<std::string>{"ring-1", "ring-5"});
}

TEST_CASE("topology: nodes are divided over the resource managers of a cluster") {
  const auto read = parse(
      "{'name': 'g', 'sites': [{'name': 'a', 'settings': {'term_seconds': 5}, 'users': ['u', 'v'], 'clusters': ["
      "{'name': 'n', 'nodes': 10, 'processors_per_node': 4, 'resource_managers': 3}, "
      "{'name': 'm', 'nodes': 2}]}]}");
  REQUIRE_MESSAGE(std::holds_alternative<Topology>(read), fault_of(read));
  const TopologySite& site = std::get<Topology>(read).sites[0];
  std::vector<std::pair<std::string, std::uint32_t>> shares;
  for (const auto& manager : resource_managers_of(site)) shares.emplace_back(manager.name, manager.nodes);
  CHECK(shares == decltype(shares){{"n-0", 4}, {"n-1", 3}, {"n-2", 3}, {"m", 2}});
  CHECK(processors_of(site) == 42);
  CHECK(job_managers_of(site).size() == 2);
  CHECK(job_managers_of(site)[1].confirm_limit == seconds(20));
}

TEST_CASE("topology: a derived testbed is read back by the daemons, and each link is dialled by one side") {
  const Topology grid = shipped("dual-grid");
  const Deployment all = derived(grid, {.directory = "/tmp/t"});
  CHECK(all.daemons.size() == 71);
  std::set<std::string> files, endpoints, dialled;
  std::size_t links = 0;
  for (const DaemonFile& daemon : all.daemons) {
    files.insert(daemon.config_file);
    endpoints.insert(daemon.endpoint);
    if (daemon.kind == DaemonKind::jobmgr) {
      const auto read = parse_job_manager_config(daemon.text, daemon.config_file);
      REQUIRE(std::holds_alternative<JobManagerConfig>(read));
      CHECK(write_config(std::get<JobManagerConfig>(read)) == daemon.text);
    } else if (daemon.kind == DaemonKind::resmgr) {
      const auto read = parse_resource_manager_config(daemon.text, daemon.config_file);
      REQUIRE(std::holds_alternative<ResourceManagerConfig>(read));
      CHECK(write_config(std::get<ResourceManagerConfig>(read)) == daemon.text);
      CHECK(std::get<ResourceManagerConfig>(read).settings.endpoint == daemon.endpoint);
    } else {
      const auto read = parse_site_config(daemon.text, daemon.config_file);
      REQUIRE(std::holds_alternative<SiteConfig>(read));
      CHECK(write_config(std::get<SiteConfig>(read)) == daemon.text);
      for (const LinkConfig& link : std::get<SiteConfig>(read).links) {
        ++links;
        if (link.connect.empty()) continue;
        const bool fresh = dialled
                               .insert(std::min(link.site.text + " " + daemon.party.site.text,
                                                daemon.party.site.text + " " + link.site.text))
                               .second;
        CHECK(fresh);
        CHECK(link.connect == daemon_of(all, site_manager_of(link.site)).endpoint);
      }
    }
  }
  CHECK(files.size() == 71);
  CHECK(endpoints.size() == 71);
  CHECK(dialled.size() == 85);
  CHECK(links == 2 * 85);
}

namespace {

/// Keys for each site: made of bytes that count the sites.
DeriveOptions with_keys(const Topology& topology, DeriveOptions options) {
  std::uint8_t number = 0;
  for (const TopologySite& site : topology.sites) {
    ++number;
    options.keys[site.name] = {SiteKey{{1, number}}, LinkKey{{0, number}}};
  }
  return options;
}

}  // namespace

TEST_CASE("topology: derived parts are named after kind, site and user, and cycles follow the speed-up") {
  Topology two = shipped("two-sites");
  two.sites[1].settings.matchmaking_cycle = seconds(300);
  two.sites[1].direct_routes = false;
  two.ledger = "full";
  const Deployment all =
      derived(two, with_keys(two, {.directory = "t", .tcp = true, .first_port = 9000, .speedup = 100}));
  const DaemonFile& manager = daemon_of(all, job_manager_of(SiteName("alpha"), "u0"));
  CHECK(manager.config_file == "t/config/jobmgr-alpha-u0.json");
  CHECK(manager.log_file == "t/logs/jobmgr-alpha-u0.jsonl");
  CHECK(manager.directory == "t/jobs-alpha-u0");
  CHECK(daemon_of(all, site_manager_of(SiteName("alpha"))).directory == "t/site-alpha");
  CHECK(daemon_of(all, site_manager_of(SiteName("alpha"))).place == "tcp://127.0.0.1:9000");
  CHECK(daemon_of(all, site_manager_of(SiteName("alpha"))).endpoint == "ipc://t/s/0.ipc");
  const auto site = parse_site_config(daemon_of(all, site_manager_of(SiteName("beta"))).text, "beta");
  REQUIRE(std::holds_alternative<SiteConfig>(site));
  CHECK(std::get<SiteConfig>(site).settings.matchmaking_cycle == seconds(3));
  CHECK(std::get<SiteConfig>(site).settings.term == seconds(30));
  CHECK(std::get<SiteConfig>(site).directory == "t/site-beta");
  CHECK(std::get<SiteConfig>(site).ledger == "full");
  CHECK(std::get<SiteConfig>(site).links.at(0).connect == "tcp://127.0.0.1:9000#" + to_text(LinkKey{{0, 1}}));
  const DaemonFile& nodes = daemon_of(all, resource_manager_of(SiteName("beta"), "nodes"));
  CHECK(nodes.directory == "t/run-beta-nodes");
  const auto read = parse_resource_manager_config(nodes.text, "nodes");
  REQUIRE(std::holds_alternative<ResourceManagerConfig>(read));
  CHECK(std::get<ResourceManagerConfig>(read).settings.endpoint == "");
}

TEST_CASE("topology: each site of a testbed may have an address of its own") {
  const Topology two = shipped("two-sites");
  const auto endpoint = [&](const std::string& first, const Party& party) {
    return daemon_of(derived(two, with_keys(two, {.directory = "t", .tcp = true, .first_host = first})), party)
        .place;
  };
  CHECK(endpoint("10.77.0.1", site_manager_of(SiteName("alpha"))) == "tcp://10.77.0.1:7700");
  CHECK(endpoint("10.77.0.1", site_manager_of(SiteName("beta"))) == "tcp://10.77.0.2:7701");
  CHECK(endpoint("10.77.0.1", resource_manager_of(SiteName("beta"), "nodes")) == "tcp://10.77.0.2:7703");
  CHECK(endpoint("10.77.0.255", site_manager_of(SiteName("beta"))) == "tcp://10.77.1.0:7701");
  // Files of jobs come from the job manager's host.
  const auto files_of = [&](const DeriveOptions& options) {
    const Party user = job_manager_of(SiteName("beta"), two.sites[1].users.at(0));
    const auto read = parse_job_manager_config(daemon_of(derived(two, options), user).text, "user");
    REQUIRE(std::holds_alternative<JobManagerConfig>(read));
    return std::get<JobManagerConfig>(read).files_listen;
  };
  CHECK(files_of(with_keys(two, {.directory = "t", .tcp = true, .first_host = "10.77.0.1"})) == "10.77.0.2:0");
  CHECK(files_of({.directory = "t"}) == "127.0.0.1:0");
  for (const char* wrong : {"10.77.0", "10.77.0.1.", "10.77.0.256", "head.example.org", "10.77.0.1:7700"})
    CHECK(fault_of_derive(two, with_keys(two, {.directory = "t", .tcp = true, .first_host = wrong})) ==
          "derive: hosts: expected an IPv4 address, found \"" + std::string(wrong) + "\"");
}

TEST_CASE("topology: an impossible testbed is refused") {
  const Topology two = shipped("two-sites");
  const std::string deep(100, 'x');
  CHECK(fault_of_derive(two, {.directory = deep}) ==
        "derive: endpoint: \"ipc://" + deep +
            "/s/0.ipc\": the path of a socket has at most 107 bytes, this one "
            "has 108; use a shorter directory");
  CHECK(fault_of_derive(two, with_keys(two, {.directory = "t", .tcp = true, .first_port = 65533}))
            .find("port from 1 to 65535") != std::string::npos);
  CHECK(fault_of_derive(two, {.directory = "t", .tcp = true}) == "derive: keys: site alpha has none");
  CHECK(fault_of_derive(two, {}) == "derive: expected a directory, found nothing");
  CHECK(fault_of_derive(two, {.directory = "t", .speedup = 0}) == "derive: speedup: expected a number above 0");
  const auto read = parse(
      "{'name': 'g', 'sites': [{'name': 'a-b', 'users': ['c']}, "
      "{'name': 'a', 'users': ['b-c']}]}");
  REQUIRE(std::holds_alternative<Topology>(read));
  CHECK(fault_of_derive(std::get<Topology>(read), {.directory = "t"}) ==
        "derive: two daemons would have files called \"jobmgr-a-b-c\"; rename a site, a user or a cluster");
}

}  // namespace topology_test
