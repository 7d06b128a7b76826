// Reading and writing of the daemons' files. Each kind has one function that names its keys, for the reader and the
// writer alike; rules between keys are checked after reading.
#include "topologies/daemon_config.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/lending.hpp"
#include "protocol/numbers.hpp"
#include "topologies/json_writer.hpp"
#include "topologies/settings_fields.hpp"
#include "topologies/site_behaviour.hpp"

namespace dmm {

namespace {

const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> words = {"trace", "debug", "info", "warn", "error", "off"};
  return words;
}
/// In the order of enum Relation.
const std::vector<std::string>& relations() {
  static const std::vector<std::string> words = {"parent", "child", "sibling"};
  return words;
}
const std::vector<std::string>& backends() {
  static const std::vector<std::string> words = {"process"};
  return words;
}

/// Of a folder on other hosts.
std::string fault_of_path(const std::string& path) {
  return path.starts_with('/') ? std::string() : "expected an absolute path, found \"" + path + '"';
}

// ---- the keys --------------------------------------------------------------------------------------------------

/// Keys of all daemons.
template <class Config, class Visitor>
void visit_log(Config& c, Visitor& v) {
  v.object("log", [&](auto& log) {
    log.text("file", c.log.file);
    log.choice("level", c.log.level, log_levels());
    log.boolean("terminal", c.log.terminal);
    log.integer("rotate_megabytes", c.log.rotate_megabytes, 0, 100'000);
    log.integer("rotated_files", c.log.rotated_files, 0, 1'000);
  });
}

/// Keys of all daemons with a ledger and neighbours.
template <class Config, class Visitor>
void visit_shell(Config& c, Visitor& v) {
  visit_log(c, v);
  v.choice("ledger", c.ledger, ledger_modes());
  v.number("beat_seconds", c.beat_seconds, 0.01, 3600);
  v.number("silence_seconds", c.silence_seconds, 0.01, 3600);
  v.boolean("count_messages_by_request", c.count_messages_by_request);
}

/// A site's identity and its parties. Its behaviour comes between this and visit_shell.
template <class Config, class Visitor>
void visit_site(Config& c, Visitor& v) {
  v.require({"site", "listen"});
  v.name("site", c.settings.name);
  v.names("ancestors", c.settings.ancestors);
  v.texts("listen", c.listen, fault_of_listen);
  v.objects("links", c.links, [](auto& item, auto& link) {
    item.require({"site", "relation"});
    item.name("site", link.site);
    item.enumeration("relation", link.relation, relations());
    item.text("connect", link.connect,
              [](const std::string& at) { return at.empty() ? std::string() : fault_of_connect(at); });
    item.text("key", link.key,
              [](const std::string& key) { return key.empty() ? std::string() : fault_of_key(key); });
    item.texts("accounts", link.accounts, fault_of_account);
    visit_limits(link.limits, item);
  });
  v.objects("clusters", c.settings.clusters, [](auto& item, auto& cluster) {
    item.require({"name"});
    item.name("name", cluster.name);
    item.number("quota", cluster.quota, 0, 1);
    item.integer("nodes", cluster.nodes, 0, nodes_max);
    visit_nodes(cluster, item);
  });
  v.texts("users", c.users, [](const std::string& name) { return fault_of_name(name); });
  v.texts("resource_managers", c.resource_managers,
          [](const std::string& name) { return fault_of_name(name, manager_name_length_max); });
  v.texts("resource_manager_accounts", c.resource_manager_accounts, fault_of_account);
  v.texts("administrators", c.administrators, fault_of_account);
  v.texts("revoked", c.revoked, fault_of_key);
  v.text("directory", c.directory);
}

/// The connections of a job manager or a resource manager.
template <class Config, class Visitor>
void visit_places(Config& c, Visitor& v) {
  v.text("site_endpoint", c.site_endpoint, fault_of_connect);
  v.texts("listen", c.listen, fault_of_listen);
  v.text("directory", c.directory, [](const std::string& directory) {
    return directory.empty() ? std::string("expected the path of a directory, found nothing") : std::string();
  });
}

/// Empty, or an address and a port.
std::string fault_of_files_listen(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  std::uint16_t port = 0;
  const bool is_whole =
      colon != std::string::npos && colon > 0 && parse_number(std::string_view(listen).substr(colon + 1), port);
  return listen.empty() || is_whole ? std::string()
                                    : "expected HOST:PORT, as in 0.0.0.0:0; found \"" + listen + '"';
}

template <class Config, class Visitor>
void visit(Config& c, Visitor& v, const JobManagerConfig*) {
  v.require({"site", "user", "site_endpoint", "listen", "directory"});
  visit_job_manager(c.settings, v);
  visit_places(c, v);
  v.text("files_listen", c.files_listen, fault_of_files_listen);
  v.text("files_host", c.files_host);
  v.integer("files_bytes_max", c.files_bytes_max, 1);
  visit_shell(c, v);
}

template <class Config, class Visitor>
void visit(Config& c, Visitor& v, const ResourceManagerConfig*) {
  v.require({"site", "name", "cluster", "site_endpoint", "directory"});
  visit_resource_manager(c.settings, v);
  visit_places(c, v);
  v.choice("backend", c.backend, backends());
  v.boolean("in_pilot", c.in_pilot);
  visit_shell(c, v);
}

/// A text that must be there and not be empty.
std::string fault_of_text(const std::string& text) {
  return text.empty() ? std::string("expected a text, found nothing") : std::string();
}

const std::vector<std::string>& batch_system_names() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> names;
    for (const BatchSystem& system : batch_systems()) names.emplace_back(system.name);
    return names;
  }();
  return words;
}

std::string fault_of_cluster_place(const std::string& place) {
  const std::size_t slash = place.find('/');
  const bool has_both = slash != std::string::npos && slash > 0 && slash + 1 < place.size();
  return has_both ? std::string() : "expected SITE/CLUSTER, found \"" + place + '"';
}

template <class Settings, class Visitor>
void visit_borrow(Settings& s, Visitor& v) {
  v.texts("from", s.from, fault_of_cluster_place);
  v.text("trust", s.trust);
  v.text("jobmgr", s.jobmgr);
  v.integer("nodes_max", s.nodes_max, 1, 1'000);
  v.integer("processors", s.processors, 1, processors_per_node_max);
  v.integer("memory_megabytes", s.memory_megabytes, 1);
  v.duration("after_seconds", s.after, 0, seconds_max);
  v.duration("idle_for_seconds", s.idle_for, 0, seconds_max);
  v.text("slurm_conf", s.configuration);
  v.text("munge_key", s.key);
}

template <class Config, class Visitor>
void visit(Config& c, Visitor& v, const BatchManagerConfig*) {
  v.require(
      {"site", "name", "system", "cluster", "sitemgr", "node_endpoint", "node_folder", "listen", "directory"});
  auto& s = c.settings;
  v.name("site", s.site);
  v.text("name", s.name, [](const std::string& name) { return fault_of_name(name, manager_name_length_max); });
  v.choice("system", s.system, batch_system_names());
  v.name("cluster", s.cluster);
  v.text("partition", s.partition, fault_of_text);
  v.text("programs", s.programs);
  v.integer("nodes_max", s.nodes_max, 0, nodes_max);
  v.integer("reserve", s.reserve, 0, nodes_max);
  v.duration("idle_for_seconds", s.idle_for, 0, seconds_max);
  v.texts("features", s.features, fault_of_text);
  v.text("hours", s.hours, [](const std::string& hours) {
    const auto read = parse_hours(hours);
    const auto* const fault = std::get_if<std::string>(&read);
    return hours.empty() || !fault ? std::string() : *fault;
  });
  v.duration("hold_seconds", s.hold, 60, seconds_max);
  v.duration("grace_seconds", s.grace, 0, hand_back_grace_max);
  v.duration("recall_after_seconds", s.recall_after, 0, seconds_max);
  v.boolean("lend_between", s.lend_between);
  v.duration("retry_after_seconds", s.retry_after, 0, 3600);
  v.duration("look_every_seconds", s.look_every, 0.1, seconds_max);
  v.duration("command_max_seconds", s.command_max, 0.1, seconds_max);
  v.text("sitemgr", s.sitemgr, fault_of_connect);
  v.text("node_endpoint", s.node_endpoint, fault_of_place);
  v.text("node_folder", s.node_folder, fault_of_path);
  v.texts("node_settings", s.node_settings, [](const std::string& setting) {
    return setting.find('=') != std::string::npos ? std::string() : "expected KEY=VALUE, found \"" + setting + '"';
  });
  v.text("node_programs", s.node_programs,
         [](const std::string& path) { return path.empty() ? path : fault_of_path(path); });
  v.object("borrow", [&](auto& borrow) { visit_borrow(s.borrow, borrow); });
  v.texts("listen", c.listen, fault_of_listen);
  v.text("directory", c.directory, fault_of_text);
  visit_log(c, v);
}

// ---- rules between keys ----------------------------------------------------------------------------------------

template <class Config>
void check_shell(JsonReader& reader, const Config& config) {
  if (config.silence_seconds <= config.beat_seconds)
    reader.refuse(reader.has("silence_seconds") ? "silence_seconds" : "beat_seconds",
                  "a link would be down before it beats; expected silence_seconds > beat_seconds");
}

void check_ancestors(JsonReader& reader, const SiteConfig& config) {
  const SiteNames& ancestors = config.settings.ancestors;
  for (std::size_t i = 0; i < ancestors.size(); ++i)
    if (ancestors[i] == config.settings.name)
      reader.refuse("ancestors[" + std::to_string(i) + "]", "a site cannot be its own ancestor");
  const auto parent = std::find_if(config.links.begin(), config.links.end(),
                                   [](const LinkConfig& link) { return link.relation == Relation::parent; });
  const std::string first = ancestors.empty() ? "none" : "\"" + ancestors.front().text + "\"";
  const std::string linked = parent == config.links.end() ? "none" : "\"" + parent->site.text + "\"";
  if (first != linked)
    reader.refuse("ancestors",
                  "the first ancestor is the parent; expected " + linked + " as in links, found " + first);
}

void check_links(JsonReader& reader, const SiteConfig& config) {
  std::set<SiteName> seen;
  bool has_parent = false;
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    const LinkConfig& link = config.links[i];
    const std::string at = "links[" + std::to_string(i) + "]";
    const std::string quoted = "\"" + link.site.text + "\"";
    if (link.site == config.settings.name) reader.refuse(at + ".site", "a site cannot be linked to itself");
    if (!seen.insert(link.site).second)
      reader.refuse(at + ".site", quoted + " occurs twice; expected one link for each site");
    if (link.relation == Relation::parent && has_parent)
      reader.refuse(at + ".relation", quoted + " is a second parent; expected at most one");
    has_parent = has_parent || link.relation == Relation::parent;
  }
  check_ancestors(reader, config);
}

void check_site(JsonReader& reader, const SiteConfig& config) {
  check_links(reader, config);
  if (config.listen.empty()) reader.refuse("listen", "expected at least one endpoint, found none");
  std::set<ClusterName> seen;
  for (std::size_t i = 0; i < config.settings.clusters.size(); ++i) {
    const ClusterName& name = config.settings.clusters[i].name;
    if (!seen.insert(name).second)
      reader.refuse("clusters[" + std::to_string(i) + "].name",
                    "\"" + name.text + "\" occurs twice; expected each once");
    if (std::string fault = fault_of(config.settings.clusters[i].attributes); !fault.empty())
      reader.refuse("clusters[" + std::to_string(i) + "].attributes", fault);
  }
  check_shell(reader, config);
}

void check_accounts(JsonReader& reader, const JobAccountRules& accounts) {
  if (accounts.last > 0 && accounts.first == 0)
    reader.refuse("accounts.first_uid", "0 is root; expected the uid of the first account for jobs, 1 at least");
  if (accounts.first > 0 && accounts.last < accounts.first)
    reader.refuse("accounts.last_uid", "expected at least " + std::to_string(accounts.first) +
                                           " as in \"first_uid\", found " + std::to_string(accounts.last));
  if (accounts.required && !accounts.are_given())
    reader.refuse("accounts.required",
                  "no job of another site could run; expected \"first_uid\" and \"last_uid\", or \"map\"");
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < accounts.map.size(); ++i) {
    const MappedAccount& one = accounts.map[i];
    const std::string fault = one.trust == "full" ? std::string() : fault_of_job_account(one.account);
    if (!fault.empty()) reader.refuse("accounts.map[" + std::to_string(i) + "].account", fault);
    if (seen.emplace(one.site, one.user).second) continue;
    reader.refuse("accounts.map[" + std::to_string(i) + "]",
                  "site \"" + one.site + "\", user \"" + one.user + "\" occurs twice; expected each once");
  }
}

/// The nodes are given either by their names or by their number.
void check_node_names(JsonReader& reader, ResourceManagerSettings& settings) {
  const std::vector<std::string>& names = settings.node_names;
  if (names.empty()) {
    if (!reader.has("nodes"))
      reader.refuse("nodes", "how many nodes it offers is missing; expected it, or \"node_names\"");
    return;
  }
  if (names.size() > nodes_per_manager_max)
    return reader.refuse("node_names", "expected at most " + std::to_string(nodes_per_manager_max) + " nodes");
  const std::set<std::string> different(names.begin(), names.end());
  if (different.size() != names.size())
    return reader.refuse("node_names", "a name occurs twice; expected each once");
  if (reader.has("nodes") && settings.nodes != names.size())
    return reader.refuse("nodes",
                         "expected " + std::to_string(names.size()) + " as in \"node_names\", or nothing");
  settings.nodes = static_cast<std::uint32_t>(names.size());
}

// ---- one file --------------------------------------------------------------------------------------------------

void read_keys(JsonReader& reader, SiteConfig& config, const ReadOptions& options) {
  visit_site(config, reader);
  read_site_behaviour(reader, config.settings, options.policies);
  visit_shell(config, reader);
  reader.finish();  // a missing or misspelt key is the better error
  check_site(reader, config);
  for (const LinkConfig& link : config.links)
    config.settings.neighbours.push_back({link.site, link.relation, link.limits});
}

void read_keys(JsonReader& reader, JobManagerConfig& config, const ReadOptions&) {
  visit(config, reader, &config);
  reader.finish();
  constexpr std::int64_t terms_to_confirm = 4;
  JobManagerSettings& settings = config.settings;
  if (!reader.has("confirm_limit_seconds")) settings.confirm_limit = settings.term * terms_to_confirm;
  if (!reader.has("start_limit_seconds")) settings.start_limit = settings.term * terms_to_confirm;
  check_shell(reader, config);
}

void read_keys(JsonReader& reader, ResourceManagerConfig& config, const ReadOptions&) {
  visit(config, reader, &config);
  reader.finish();
  check_node_names(reader, config.settings);
  check_accounts(reader, config.settings.jobs.accounts);
  if (std::string fault = fault_of(config.settings.attributes); !fault.empty()) reader.refuse("attributes", fault);
  if (!config.settings.endpoint.empty() && config.listen.empty())
    reader.refuse("endpoint", "an endpoint is published, but nothing listens; expected it in \"listen\" too");
  check_shell(reader, config);
}

void read_keys(JsonReader& reader, BatchManagerConfig& config, const ReadOptions&) {
  visit(config, reader, &config);
  reader.finish();
  const bool has_programs = !config.settings.programs.empty();
  if (has_programs != (config.settings.system == "script"))
    reader.refuse("programs", has_programs
                                  ? "only system \"script\" has programs"
                                  : "expected the folder with the programs look, hold, recall and withdraw");
  const BorrowSettings& borrow = config.settings.borrow;
  if (!borrow.is_on()) return;
  if (config.settings.system != "slurm") reader.refuse("borrow", "only system \"slurm\" borrows nodes");
  if (borrow.trust != "full")
    reader.refuse("borrow.trust",
                  "root of each of these sites can act as root of this cluster; expected \"full\"");
  const std::pair<const char*, const std::string*> wanted[] = {{"borrow.jobmgr", &borrow.jobmgr},
                                                               {"borrow.slurm_conf", &borrow.configuration},
                                                               {"borrow.munge_key", &borrow.key}};
  for (const auto& [key, value] : wanted)
    if (value->empty()) reader.refuse(key, "it is missing, and nothing can be borrowed without it");
}

// ---- paths -----------------------------------------------------------------------------------------------------

void begin_at(const std::string& folder, std::string& path) {
  if (!path.empty() && path.front() != '/') path = folder + "/" + path;
}

void begin_endpoint_at(const std::string& folder, std::string& endpoint) {
  constexpr std::string_view scheme = "ipc://";
  if (!endpoint.starts_with(scheme) || endpoint[scheme.size()] == '@') return;  // an abstract name is no path
  std::string path = endpoint.substr(scheme.size());
  begin_at(folder, path);
  endpoint = std::string(scheme) + path;
}

template <class Config>
void begin_paths_at(const std::string& folder, Config& config) {
  begin_at(folder, config.directory);
  begin_at(folder, config.log.file);
  for (std::string& endpoint : config.listen) begin_endpoint_at(folder, endpoint);
  if constexpr (requires { config.settings.programs; }) begin_at(folder, config.settings.programs);
  if constexpr (requires { config.settings.sitemgr; }) begin_endpoint_at(folder, config.settings.sitemgr);
  if constexpr (requires { config.site_endpoint; }) begin_endpoint_at(folder, config.site_endpoint);
  if constexpr (requires { config.settings.endpoint; }) begin_endpoint_at(folder, config.settings.endpoint);
  if constexpr (requires { config.links; })
    for (LinkConfig& link : config.links) begin_endpoint_at(folder, link.connect);
}

template <class Config>
OrFault<Config, ConfigError> from_json(OrFault<SortedJson, ConfigError> read, const std::string& file,
                                       const ReadOptions& options) {
  if (const auto* error = std::get_if<ConfigError>(&read)) return *error;
  SortedJson& json = std::get<SortedJson>(read);
  std::string fault = apply_overrides(json, options.overrides);
  if (!fault.empty()) return ConfigError{fault};
  Config config;
  fault = read_whole(json, file, [&](JsonReader& reader) { read_keys(reader, config, options); });
  if (!fault.empty()) return ConfigError{fault};
  if (!options.folder.empty()) begin_paths_at(options.folder, config);
  return config;
}

std::string text_of(const OrderedJson& json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

template <class Config>
std::string text_of_manager(const Config& config) {
  OrderedJson json;
  JsonWriter writer(json);
  visit(config, writer, &config);
  return text_of(json);
}

/// Keys of places and of the shell, which managers don't know.
template <class Config>
std::vector<std::string> shell_keys_that_differ(const Config& now, const Config& wanted) {
  const SortedJson before = SortedJson::parse(write_config(now)), after = SortedJson::parse(write_config(wanted));
  std::vector<std::string> keys;
  for (const char* key :
       {"listen", "directory", "ledger", "log", "beat_seconds", "silence_seconds", "count_messages_by_request",
        "site_endpoint", "endpoint", "address", "backend", "in_pilot", "relay_after_seconds"})
    if (before.value(key, SortedJson()) != after.value(key, SortedJson())) keys.emplace_back(key);
  return keys;
}

}  // namespace

std::optional<Relation> parse_relation(const std::string& word) {
  const auto found = std::ranges::find(relations(), word);
  if (found == relations().end()) return std::nullopt;
  return static_cast<Relation>(found - relations().begin());
}

std::vector<std::string> keys_for_next_start(const SiteConfig& now, const SiteConfig& wanted) {
  return shell_keys_that_differ(now, wanted);
}
std::vector<std::string> keys_for_next_start(const JobManagerConfig& now, const JobManagerConfig& wanted) {
  return shell_keys_that_differ(now, wanted);
}
std::vector<std::string> keys_for_next_start(const ResourceManagerConfig& now,
                                             const ResourceManagerConfig& wanted) {
  return shell_keys_that_differ(now, wanted);
}

SiteConfigOrError parse_site_config(const std::string& text, const std::string& file, const ReadOptions& options) {
  return from_json<SiteConfig>(parse_json(text, file), file, options);
}
JobManagerConfigOrError parse_job_manager_config(const std::string& text, const std::string& file,
                                                 const ReadOptions& options) {
  return from_json<JobManagerConfig>(parse_json(text, file), file, options);
}
ResourceManagerConfigOrError parse_resource_manager_config(const std::string& text, const std::string& file,
                                                           const ReadOptions& options) {
  return from_json<ResourceManagerConfig>(parse_json(text, file), file, options);
}

SiteConfigOrError read_site_config(const std::string& path, const ReadOptions& options) {
  return from_json<SiteConfig>(read_json_file(path), path, options);
}
JobManagerConfigOrError read_job_manager_config(const std::string& path, const ReadOptions& options) {
  return from_json<JobManagerConfig>(read_json_file(path), path, options);
}
ResourceManagerConfigOrError read_resource_manager_config(const std::string& path, const ReadOptions& options) {
  return from_json<ResourceManagerConfig>(read_json_file(path), path, options);
}

BatchManagerConfigOrError parse_batch_manager_config(const std::string& text, const std::string& file,
                                                     const ReadOptions& options) {
  return from_json<BatchManagerConfig>(parse_json(text, file), file, options);
}
BatchManagerConfigOrError read_batch_manager_config(const std::string& path, const ReadOptions& options) {
  return from_json<BatchManagerConfig>(read_json_file(path), path, options);
}

std::string write_config(const SiteConfig& config) {
  OrderedJson json;
  JsonWriter writer(json);
  visit_site(config, writer);
  visit_site_behaviour(config.settings, writer, known_policies());
  visit_shell(config, writer);
  return text_of(json);
}
std::string write_config(const JobManagerConfig& config) { return text_of_manager(config); }
std::string write_config(const ResourceManagerConfig& config) { return text_of_manager(config); }
std::string write_config(const BatchManagerConfig& config) { return text_of_manager(config); }

}  // namespace dmm
