// The daemons' files: written files read back equal, explicit keys override presets, and each fault names its field.
#include <doctest/doctest.h>

#include "keys/key.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "matchmaking/policy.hpp"
#include "topologies/daemon_config.hpp"
#include "topologies/text_rules.hpp"

namespace config_test {

using namespace dmm;

namespace {

/// JSON with ' in place of ".
std::string json(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

template <class T>
std::string fault_of(const OrFault<T, ConfigError>& read) {
  const auto* error = std::get_if<ConfigError>(&read);
  return error == nullptr ? "none" : error->text;
}

/// A site's file with more keys.
SiteConfigOrError site(const std::string& more = "", const ReadOptions& options = {}) {
  return parse_site_config(json("{'site': 'alpha', 'listen': ['ipc:///tmp/a']" + more + "}"), "a.json", options);
}
std::string fault_of_site(const std::string& more) { return fault_of(site(more)); }

SiteConfig sound_site(const std::string& more = "", const ReadOptions& options = {}) {
  const auto read = site(more, options);
  REQUIRE_MESSAGE(std::holds_alternative<SiteConfig>(read), fault_of(read));
  return std::get<SiteConfig>(read);
}

std::string fault_of_job_manager(const std::string& more) {
  return fault_of(parse_job_manager_config(
      json("{'site': 'a', 'user': 'u', 'site_endpoint': 'ipc:///tmp/a', 'listen': ['ipc:///tmp/u'], "
           "'directory': 'd'" +
           more + "}"),
      "u.json"));
}
std::string fault_of_resource_manager(const std::string& more) {
  return fault_of(parse_resource_manager_config(
      json("{'site': 'a', 'name': 'n', 'cluster': 'c', 'nodes': 4, 'site_endpoint': 'ipc:///tmp/a', "
           "'directory': 'd'" +
           more + "}"),
      "n.json"));
}

/// A site's settings without any default value.
SiteConfig unusual_site() {
  SiteConfig c;
  SiteSettings& s = c.settings;
  s.name = SiteName("alpha");
  s.ancestors = {SiteName("p"), SiteName("r")};
  s.clusters = {{ClusterName("one"), 0.25}, {ClusterName("two"), 1.0 / 3}};
  s.dispatching_policy = "priority", s.delegation_policy = "latest_first", s.target_policy = "round_robin";
  s.placement_policy = "wf", s.flexible_policy = "bf";
  s.delegation_threshold = 0.7;
  s.matchmaking_cycle = microseconds(1'234'567), s.delegation_cycle = milliseconds(1);
  s.delegate = s.lend = s.owner_first = s.keep_local = s.use_hints = s.seen_counts_dttl = false;
  s.lease_ends_with_job = false;
  s.overtaken_limit = seconds(1), s.answer_limit = milliseconds(1500), s.pause_first = seconds(2);
  s.pause_last = seconds(9), s.hint_interval = microseconds(3), s.seen_memory = seconds(4);
  s.term = milliseconds(100);
  s.offer = seconds(6), s.hint_distance = 7, s.lease_length_max = seconds(8);
  s.tries_per_round = 3, s.dttl_limit = 2, s.window_first = 5, s.window_max = 4'294'967'295U, s.seen_max = 1;
  s.requests_per_user_max = 11, s.delegations_per_link_max = 12, s.usage_records_max = 13;
  c.listen = {"ipc:///tmp/a", "tcp://*:7000"};
  c.links = {{SiteName("s"), Relation::sibling, ""},
             {SiteName("p"), Relation::parent, "tcp://p:1#" + std::string(key_letters, 'A')},
             {SiteName("k"), Relation::child, ""}};
  c.users = {"u", "v"};
  c.log = {"logs/\"a\".jsonl", "debug", false};
  c.beat_seconds = 0.1, c.silence_seconds = 0.7, c.count_messages_by_request = true;
  c.directory = "state", c.ledger = "full";
  return c;
}

/// The keys that the fields of a settings header should have: their names, durations with their unit.
std::vector<std::string> keys_of(const std::string& header) {
  std::ifstream file(DMM_SOURCE_DIR "/" + header);
  std::vector<std::string> keys;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("struct "))
      inside = line.find("ManagerSettings") != std::string::npos || line.starts_with("struct SiteSettings");
    const std::string declared = line.substr(0, line.find_first_of(";="));
    const bool is_member = line.starts_with("  ") && !line.starts_with("   ") && declared.find('(') == line.npos;
    std::istringstream words(declared);
    std::string type, name;
    if (inside && is_member && words >> type >> name && !type.starts_with("//"))
      keys.push_back(name + (type == "Duration" ? "_seconds" : ""));
  }
  return keys;
}

/// Checks that a written file has all of these keys; renamed ones are listed.
void check_complete(const std::string& header, const std::string& written, const std::set<std::string>& renamed) {
  const std::vector<std::string> keys = keys_of(header);
  CHECK(keys.size() > 5);
  for (const std::string& key : keys) {
    if (renamed.contains(key)) continue;
    CHECK_MESSAGE(written.find("\"" + key + "\": ") != std::string::npos, header, ": ", key);
  }
}

}  // namespace

TEST_CASE("config: every setting of the three managers has a key") {
  check_complete("sitemgr/settings.hpp", write_config(SiteConfig()),
                 {"name", "neighbours", "dispatching_policy", "delegation_policy", "target_policy",
                  "placement_policy", "flexible_policy"});
  check_complete("jobmgr/settings.hpp", write_config(JobManagerConfig()), {});
  // The limits for jobs are a struct of their own with a key for each field. Whether users are isolated is found out at
  // run time.
  check_complete("resmgr/settings.hpp", write_config(ResourceManagerConfig()),
                 {"jobs", "users_apart", "stages_files"});
}

TEST_CASE("config: it may use exactly the policies that matchmaking has") {
  const auto same = [](const std::string& theirs, std::vector<std::string> ours) {
    std::string plain = theirs;  // "worst_fit (wf), best_fit (bf)"
    for (char& c : plain)
      if (c == ',' || c == '(' || c == ')') c = ' ';
    std::istringstream words(plain);
    std::vector<std::string> names{std::istream_iterator<std::string>(words), {}};
    std::sort(names.begin(), names.end());
    std::sort(ours.begin(), ours.end());
    CHECK(names == ours);
  };
  const PolicyNames known = known_policies();
  same(dispatch_names(), known.dispatching);
  same(delegation_names(), known.delegation);
  same(target_names(), known.target);
  same(placement_names(), known.placement);
}

TEST_CASE("config: what is written reads back equal") {
  const std::string text = write_config(unusual_site());
  const auto read = parse_site_config(text, "a.json");
  REQUIRE_MESSAGE(std::holds_alternative<SiteConfig>(read), fault_of(read));
  const SiteConfig& c = std::get<SiteConfig>(read);
  CHECK(write_config(c) == text);
  CHECK(write_config(c) != write_config(sound_site()));
  CHECK(c.settings.matchmaking_cycle == microseconds(1'234'567));
  CHECK(c.settings.hint_interval == microseconds(3));
  CHECK(c.settings.window_max == 4'294'967'295U);
  CHECK(c.settings.clusters[1].quota == 1.0 / 3);
  REQUIRE(c.settings.neighbours.size() == 3);
  CHECK(c.settings.neighbours[1].relation == Relation::parent);
  CHECK(c.settings.neighbours[2].site == SiteName("k"));
  CHECK(c.log.file == "logs/\"a\".jsonl");

  JobManagerConfig j;
  j.settings = {.site = SiteName("a"),
                .user = "u",
                .first_job = 18'446'744'073'709'551'615U,
                .term = seconds(3),
                .relay_after = seconds(4),
                .confirm_limit = seconds(5),
                .jobs_max = 6,
                .submissions_remembered = 9,
                .starts_at_once = 7,
                .fetch_bytes_max = 8,
                .keep_output = seconds(9),
                .keeper_deaths_max = 5,
                .rerun_pause = seconds(6)};
  j.site_endpoint = "ipc://a", j.listen = {"ipc://u"}, j.directory = "d", j.log.level = "trace";
  const auto job = parse_job_manager_config(write_config(j), "u.json");
  REQUIRE_MESSAGE(std::holds_alternative<JobManagerConfig>(job), fault_of(job));
  CHECK(write_config(std::get<JobManagerConfig>(job)) == write_config(j));
  CHECK(std::get<JobManagerConfig>(job).settings.first_job == j.settings.first_job);

  ResourceManagerConfig r;
  r.settings = {.site = SiteName("a"),
                .name = "n",
                .cluster = ClusterName("c"),
                .nodes = 3,
                .processors_per_node = 4,
                .memory_bytes = 1ULL << 40,
                .attributes = {{"arch", "x86_64"}},
                .endpoint = "ipc://n",
                .term = seconds(1),
                .park = seconds(2),
                .idle_lease_max = seconds(3),
                .keep_output = seconds(0)};
  r.settings.jobs = {.isolate = false,
                     .cgroup = "/c",
                     .start_max = seconds(4),
                     .processes_max = 5,
                     .file_bytes_max = 6,
                     .disk_bytes_max = 7};
  r.settings.jobs.accounts = {.first = 8, .last = 9, .map = {{"a", "", "b"}, {"a", "u", "c"}}, .required = true};
  r.site_endpoint = "ipc://a", r.listen = {"ipc://n"}, r.directory = "d", r.ledger = "off";
  const auto nodes = parse_resource_manager_config(write_config(r), "n.json");
  REQUIRE_MESSAGE(std::holds_alternative<ResourceManagerConfig>(nodes), fault_of(nodes));
  CHECK(write_config(std::get<ResourceManagerConfig>(nodes)) == write_config(r));
  CHECK(std::get<ResourceManagerConfig>(nodes).settings.attributes == r.settings.attributes);
  CHECK(std::get<ResourceManagerConfig>(nodes).settings.jobs == r.settings.jobs);
}

TEST_CASE("config: each key that changed is named, as taken at once or as left for the next start") {
  using Keys = std::vector<std::string>;
  ResourceManagerConfig nodes, others = nodes;
  others.settings.jobs.processes_max = 7;
  others.settings.jobs.kept_files.folder = "/kept";
  others.settings.jobs.accounts.required = true;
  others.settings.nodes = 9;
  others.log.level = "trace";
  CHECK(keys_for_next_start(nodes, others) == Keys{"accounts", "job_processes_max", "kept_files", "log"});
  CHECK(keys_taken_at_once(write_config(nodes), write_config(others)) == Keys{"nodes"});
  JobManagerConfig user, other = user;
  other.files_listen = "0.0.0.0:0";
  other.settings.jobs_max = 6;
  CHECK(keys_for_next_start(user, other) == Keys{"files_listen"});
  CHECK(keys_taken_at_once(write_config(user), write_config(other)) == Keys{"jobs_max"});
  SiteConfig site = sound_site(), changed = site;
  changed.settings.lend = false;
  changed.users = {"u"};
  CHECK(keys_for_next_start(site, changed).empty());
  CHECK(keys_taken_at_once(write_config(site), write_config(changed)) == Keys{"lend", "users"});
  CHECK(keys_taken_at_once(write_config(changed), write_config(changed)).empty());
  BatchManagerConfig batch, lender = batch;
  lender.settings.borrow.from = {"b/c"};
  lender.settings.reserve = 3;
  CHECK(keys_for_next_start(batch, lender) == Keys{"borrow"});
  CHECK(keys_taken_at_once(write_config(batch), write_config(lender)) == Keys{"reserve"});
}

TEST_CASE("config: absent keys have the defaults of the settings") {
  SiteConfig plain;
  plain.settings.name = SiteName("alpha");
  plain.listen = {"ipc:///tmp/a"};
  CHECK(write_config(sound_site()) == write_config(plain));
  const auto read = parse_job_manager_config(
      json("{'site': 'a', 'user': 'u', 'site_endpoint': 'ipc://a', 'listen': ['ipc://u'], 'directory': 'd', "
           "'term_seconds': 5}"),
      "u.json");
  REQUIRE(std::holds_alternative<JobManagerConfig>(read));
  CHECK(std::get<JobManagerConfig>(read).settings.confirm_limit == seconds(20));  // four terms
}

TEST_CASE("config: the paper's preset gives way to explicit keys, wherever they stand") {
  const SiteSettings s =
      sound_site(", 'use_hints': true, 'delegation_cycle_seconds': 60, 'preset': 'paper'").settings;
  CHECK(s.dispatching_policy == "fcfs");
  CHECK(s.delegation_policy == "fcfs");
  CHECK(s.target_policy == "configured");
  CHECK(s.matchmaking_cycle == seconds(300));
  CHECK(s.delegation_cycle == seconds(60));
  CHECK(s.delegation_threshold == 1.0);
  CHECK(s.tries_per_round == 1'000'000);
  CHECK(s.use_hints);
  CHECK_FALSE(s.keep_local);
  CHECK_FALSE(s.owner_first);
  CHECK_FALSE(s.seen_counts_dttl);
  CHECK_FALSE(s.lease_ends_with_job);
  CHECK(fault_of_site(", 'preset': 'papre'") ==
        "a.json: preset: \"papre\" is not known; expected one of \"paper\" (did you mean \"paper\"?)");
}

TEST_CASE("config: a site's file is refused with the file, the field, the rule and what was expected") {
  CHECK(fault_of(parse_site_config("{}", "a.json")) == "a.json: the key \"site\" is missing");
  CHECK(fault_of(parse_site_config(json("{'site': 'a'}"), "a.json")) == "a.json: the key \"listen\" is missing");
  CHECK(fault_of(parse_site_config(json("{'site': 'a', 'listen': []}"), "a.json")) ==
        "a.json: listen: expected at least one endpoint, found none");
  CHECK(fault_of_site(", 'matchmaking_cycle': 3") ==
        "a.json: matchmaking_cycle: unknown key (did you mean \"matchmaking_cycle_seconds\"?)");
  CHECK(fault_of_site(", 'log': {'levl': 'info'}") == "a.json: log.levl: unknown key (did you mean \"level\"?)");
  CHECK(fault_of_site(", 'log': {'level': 'loud'}") ==
        "a.json: log.level: \"loud\" is not known; expected one of "
        "\"trace\", \"debug\", \"info\", \"warn\", \"error\", \"off\"");
  CHECK(fault_of_site(", 'lend': 1") == "a.json: lend: expected true or false, found 1");
  CHECK(fault_of_site(", 'term_seconds': '30'") ==
        "a.json: term_seconds: expected a number from 0.001 to 86400, found the text \"30\"");
  CHECK(fault_of_site(", 'term_seconds': 0") ==
        "a.json: term_seconds: expected a number from 0.001 to 86400, found 0");
  CHECK(fault_of_site(", 'dttl_limit': 17") ==
        "a.json: dttl_limit: expected a whole number from 0 to 16, found 17");
  CHECK(fault_of_site(", 'seen_max': 4294967296") ==
        "a.json: seen_max: expected a whole number from 1 to 4294967295, found 4294967296");
  CHECK(fault_of_site(", 'policies': {'dispatching': 'fcsf'}") ==
        "a.json: policies.dispatching: \"fcsf\" is not known; expected one of \"fcfs\", \"fcfs_scan\", "
        "\"smallest_first\", \"largest_first\", \"priority\" (did you mean \"fcfs\"?)");
  CHECK(fault_of_site(", 'pause_first_seconds': 90").find("expected pause_first_seconds <= pause_last_seconds") !=
        std::string::npos);
  CHECK(fault_of_site(", 'window_max': 2") ==
        "a.json: window_max: the first window is larger than the largest; expected window_first <= window_max");
  CHECK(fault_of_site(", 'beat_seconds': 5") ==
        "a.json: beat_seconds: a link would be down before it beats; expected silence_seconds > beat_seconds");
  CHECK(fault_of_site(", 'clusters': [{'name': 'c'}, {'name': 'c'}]") ==
        "a.json: clusters[1].name: \"c\" occurs twice; expected each once");
  CHECK(fault_of_site(", 'notes': 'for people'") == "none");
}

TEST_CASE("config: links agree with one another and with the ancestors") {
  const auto links = [](const std::string& list, const std::string& more = "") {
    return fault_of_site(", 'links': [" + list + "]" + more);
  };
  CHECK(links("{'site': 'b', 'relation': 'sibling'}") == "none");
  CHECK(links("{'site': 'b'}") == "a.json: links[0]: the key \"relation\" is missing");
  CHECK(links("{'site': 'b', 'relation': 'cousin'}") ==
        "a.json: links[0].relation: \"cousin\" is not known; expected one of \"parent\", \"child\", \"sibling\"");
  CHECK(links("{'site': 'alpha', 'relation': 'child'}") ==
        "a.json: links[0].site: a site cannot be linked to itself");
  CHECK(links("{'site': 'b', 'relation': 'child'}, {'site': 'b', 'relation': 'sibling'}") ==
        "a.json: links[1].site: \"b\" occurs twice; expected one link for each site");
  CHECK(links("{'site': 'b', 'relation': 'parent'}, {'site': 'c', 'relation': 'parent'}") ==
        "a.json: links[1].relation: \"c\" is a second parent; expected at most one");
  CHECK(links("{'site': 'b', 'relation': 'parent'}") ==
        "a.json: ancestors: the first ancestor is the parent; expected \"b\" as in links, found none");
  CHECK(links("", ", 'ancestors': ['b']") ==
        "a.json: ancestors: the first ancestor is the parent; expected none as in links, found \"b\"");
  CHECK(links("{'site': 'b', 'relation': 'parent'}", ", 'ancestors': ['b', 'alpha']") ==
        "a.json: ancestors[1]: a site cannot be its own ancestor");
  CHECK(links("{'site': 'b', 'relation': 'child', 'connect': "
              "'tcp://*:80#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}")
            .find("not connected to") != std::string::npos);
}

TEST_CASE("config: job managers' and resource managers' files are refused likewise") {
  CHECK(fault_of_job_manager("") == "none");
  CHECK(fault_of_resource_manager("") == "none");
  CHECK(fault_of_job_manager(", 'users': 1") ==
        "u.json: users: unknown key; expected one of \"beat_seconds\", "
        "\"confirm_limit_seconds\", \"count_messages_by_request\", \"directory\", \"fetch_bytes_max\", "
        "\"files_bytes_max\", \"files_host\", \"files_listen\", "
        "\"first_job\", \"jobs_max\", \"keep_output_seconds\", \"keeper_deaths_max\", \"ledger\", "
        "\"listen\", \"log\", \"notes\", \"relay_after_seconds\", \"rerun_pause_seconds\", "
        "\"silence_seconds\", \"site\", \"site_endpoint\", "
        "\"staging_limit_seconds\", \"start_limit_seconds\", \"starts_at_once\", \"submissions_remembered\", "
        "\"term_seconds\", \"user\"");
  CHECK(fault_of_job_manager(", 'starts_at_once': 0") ==
        "u.json: starts_at_once: expected a whole number from 1 to 4294967295, found 0");
  CHECK(fault_of_job_manager(", 'first_job': 0") ==
        "u.json: first_job: expected a whole number of at least 1, found 0");
  CHECK(fault_of_resource_manager(", 'backend': 'slurmm'") ==
        "n.json: backend: \"slurmm\" is not known; expected one of \"process\"");
  CHECK(fault_of_resource_manager(", 'ledger': 'ful'") ==
        "n.json: ledger: \"ful\" is not known; expected one of \"graded\", \"full\", \"off\" "
        "(did you mean \"full\"?)");
  CHECK(fault_of_resource_manager(", 'endpoint': 'ipc://x'") ==
        "n.json: endpoint: an endpoint is published, but nothing listens; expected it in \"listen\" too");
  CHECK(fault_of_resource_manager(", 'processors_per_node': 4097") ==
        "n.json: processors_per_node: expected a whole number from 1 to 4096, found 4097");
  CHECK(fault_of_resource_manager(", 'job_cgroup': 'jobs'") ==
        "n.json: job_cgroup: expected an absolute path, found \"jobs\"");
}

TEST_CASE("config: accounts of jobs are read, and accounts that no job may have are refused") {
  const auto fault = [](const char* accounts) {
    return fault_of_resource_manager(", 'accounts': {" + std::string(accounts) + "}");
  };
  CHECK(fault("") == "none");
  CHECK(fault("'first_uid': 70001, 'last_uid': 70001, 'required': true") == "none");
  CHECK(
      fault(
          "'map': [{'site': 'beta', 'account': 'beta_jobs'}, {'site': 'beta', 'user': 'ann', 'account': 'g7'}]") ==
      "none");
  CHECK(fault("'first_uid': 0, 'last_uid': 9") ==
        "n.json: accounts.first_uid: 0 is root; expected the uid of the first account for jobs, 1 at least");
  CHECK(fault("'first_uid': 70001") ==
        "n.json: accounts.last_uid: expected at least 70001 as in \"first_uid\", found 0");
  CHECK(fault("'first_uid': 9, 'last_uid': 8") ==
        "n.json: accounts.last_uid: expected at least 9 as in \"first_uid\", found 8");
  CHECK(fault("'first_uid': 9, 'last_uid': 4294967295") ==
        "n.json: accounts.last_uid: expected a whole number from 0 to 4294967293, found 4294967295");
  CHECK(fault("'map': [{'site': 'beta', 'account': 'root'}]") ==
        "n.json: accounts.map[0].account: \"root\" may do everything; expected an account without privileges");
  CHECK(fault("'map': [{'site': 'beta', 'user': 'slurm', 'account': 'root', 'trust': 'full'}]") == "none");
  CHECK(fault("'map': [{'site': 'beta', 'account': 'root', 'trust': 'much'}]") ==
        "n.json: accounts.map[0].trust: expected \"full\" or nothing, found \"much\"");
  CHECK(fault("'map': [{'site': 'beta'}]").starts_with("n.json: accounts.map[0]"));
  CHECK(fault("'map': [{'site': 'Beta', 'account': 'b'}]").starts_with("n.json: accounts.map[0].site: "));
  CHECK(fault("'map': [{'site': 'b', 'user': 'u', 'account': 'b'}, {'site': 'b', 'user': 'u', 'account': 'c'}]") ==
        "n.json: accounts.map[1]: site \"b\", user \"u\" occurs twice; expected each once");
  CHECK(fault("'required': true") ==
        "n.json: accounts.required: no job of another site could run; expected "
        "\"first_uid\" and \"last_uid\", or \"map\"");
}

TEST_CASE("config: endpoints that can't be used are refused") {
  const std::string key = '#' + std::string(key_letters, 'A');
  CHECK(fault_of_connect("tcp://h.org:80").find("expected tcp://host:port#KEY") != std::string::npos);
  CHECK(fault_of_connect("tcp://h.org:80" + key + "A") != "");
  CHECK(fault_of_place("tcp://h.org:80") == "");
  CHECK(fault_of_key(key.substr(1)) == "");
  CHECK(fault_of_key(key) != "");
  for (const std::string& good : {std::string("ipc:///tmp/x"), std::string("ipc://x"), "tcp://127.0.0.1:1" + key,
                                  "tcp://[::1]:65535" + key, "tcp://h.org:80" + key})
    CHECK(fault_of_connect(good) == "");
  for (const char* bad : {"", "x", "ipc://", "tcp://", "tcp://host", "tcp://:5", "tcp://h:0", "tcp://h:65536",
                          "tcp://h:5x", "inproc://x", "http://h:80", "tcp://*:80"})
    CHECK(fault_of_connect(bad) != "");
  CHECK(fault_of_listen("tcp://*:80") == "");
  CHECK(fault_of_listen("ipc://" + std::string(107, 'x')) == "");
  CHECK(fault_of_listen("ipc://" + std::string(108, 'x')) != "");
}

TEST_CASE("config: the command line overrides the file") {
  const SiteConfig c =
      sound_site(", 'term_seconds': 5, 'clusters': [{'name': 'c'}]",
                 {.overrides = {"term_seconds=7", "log.level=debug", "log.file=x=y.log", "clusters.0.quota=0.5",
                                "policies.target=fcfs", "term_seconds=8"}});
  CHECK(c.settings.term == seconds(8));
  CHECK(c.log.level == "debug");
  CHECK(c.log.file == "x=y.log");
  CHECK(c.settings.clusters[0].quota == 0.5);
  CHECK(c.settings.target_policy == "fcfs");
  const auto fault = [](const char* override) { return fault_of(site("", {.overrides = {override}})); };
  CHECK(fault("term") == "--set term: expected key=value or key.key=value");
  CHECK(fault("=3") == "--set =3: expected key=value or key.key=value");
  CHECK(fault("log..level=3") == "--set log..level=3: expected key=value or key.key=value");
  CHECK(fault("site.x=3") == "--set site.x=3: there is no site.x");
  CHECK(fault("listen.9=3") == "--set listen.9=3: there is no listen.9");
  CHECK(fault("trem_seconds=3") == "a.json: trem_seconds: unknown key (did you mean \"term_seconds\"?)");
}

TEST_CASE("config: text that isn't sound JSON is refused with its place") {
  const auto parse = [](const std::string& text) { return fault_of(parse_site_config(json(text), "a.json")); };
  CHECK(parse("{\n  'site': 'a',\n  listen\n}").starts_with("a.json: line 3, column 3: syntax error"));
  CHECK(parse("").starts_with("a.json: line 1, column 1: "));
  CHECK(parse("{'site': 'a'} x").starts_with("a.json: line 1, column 15: "));
  CHECK(parse("{'site': 'a', 'site': 'b'}") == "a.json: site: the key occurs twice; expected it once");
  CHECK(parse("{'links': [{'site': 'a'}, {'site': 'a', 'connect': '', 'site': 'c'}]}") ==
        "a.json: links[1].site: the key occurs twice; expected it once");
  CHECK(parse("{'links': [[], 3, {'a': [1], 'b': {}, 'a': 1}]}") ==
        "a.json: links[2].a: the key occurs twice; expected it once");
  CHECK(parse("{'site': 1e999}").starts_with("a.json: "));
  CHECK(parse("{'site': '\xff'}").starts_with("a.json: line 1, column "));
  CHECK(parse("{'site': 'a\\u0000b'}") == "a.json: site: expected a text without control characters");
  CHECK(parse(std::string(100'000, '[')).find("a.json: ") == 0);
  const std::string deep = std::string(33, '[') + std::string(33, ']');
  CHECK(parse(deep).find("nested deeper than 32 levels") != std::string::npos);
  CHECK(parse(std::string(17 * 1024 * 1024, ' ')) ==
        "a.json: the file has 17825792 bytes; expected at most 16777216");
}

TEST_CASE("config: files are read by their path") {
  CHECK(fault_of(read_site_config("no-such-file.json")) == "no-such-file.json: there is no such file");
  CHECK(fault_of(read_site_config(DMM_SOURCE_DIR)).find("there is no such file") != std::string::npos);
  const std::string path = "config_test_written.json";
  std::ofstream(path) << write_config(unusual_site());
  const auto read = read_site_config(path);
  std::remove(path.c_str());
  REQUIRE_MESSAGE(std::holds_alternative<SiteConfig>(read), fault_of(read));
  CHECK(write_config(std::get<SiteConfig>(read)) == write_config(unusual_site()));
}

TEST_CASE("config: relative paths begin where the reader says, other paths stay as they are") {
  const std::string text = json(
      "{'site': 'a', 'listen': ['ipc://a.sock', 'ipc:///run/a', 'ipc://@a', 'tcp://*:7700'],"
      "'links': [{'site': 'b', 'relation': 'sibling', 'connect': 'ipc://b.sock'}],"
      "'directory': 'state', 'log': {'file': 'a.jsonl'}}");
  const auto config = std::get<SiteConfig>(parse_site_config(text, "a.json", {.folder = "/here"}));
  CHECK(config.listen ==
        std::vector<std::string>{"ipc:///here/a.sock", "ipc:///run/a", "ipc://@a", "tcp://*:7700"});
  CHECK(config.links[0].connect == "ipc:///here/b.sock");
  CHECK(config.directory == "/here/state");
  CHECK(config.log.file == "/here/a.jsonl");
  CHECK(std::get<SiteConfig>(parse_site_config(text, "a.json")).directory == "state");
}

}  // namespace config_test
