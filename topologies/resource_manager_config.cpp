// The file of a resource manager: its keys, and the rules between them.
#include <set>
#include <utility>

#include "topologies/daemon_config.hpp"
#include "topologies/daemon_file.hpp"
#include "topologies/daemon_keys.hpp"
#include "topologies/settings_fields.hpp"

namespace dmm {

namespace {

const std::vector<std::string>& backends() {
  static const std::vector<std::string> words = {"process"};
  return words;
}

template <class Config, class Visitor>
void visit_resource_manager_keys(Config& c, Visitor& v) {
  v.require({"site", "name", "cluster", "site_endpoint", "directory"});
  visit_resource_manager(c.settings, v);
  visit_places(c, v);
  v.choice("backend", c.backend, backends());
  v.boolean("in_pilot", c.in_pilot);
  visit_shell(c, v);
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

void read_resource_manager_keys(JsonReader& reader, ResourceManagerConfig& config, const ReadOptions&) {
  visit_resource_manager_keys(config, reader);
  reader.finish();
  check_node_names(reader, config.settings);
  check_accounts(reader, config.settings.jobs.accounts);
  if (std::string fault = fault_of(config.settings.attributes); !fault.empty()) reader.refuse("attributes", fault);
  if (!config.settings.endpoint.empty() && config.listen.empty())
    reader.refuse("endpoint", "an endpoint is published, but nothing listens; expected it in \"listen\" too");
  check_shell(reader, config);
}

}  // namespace

std::vector<std::string> keys_for_next_start(const ResourceManagerConfig& now,
                                             const ResourceManagerConfig& wanted) {
  return start_keys_that_differ(write_config(now), write_config(wanted));
}

ResourceManagerConfigOrError parse_resource_manager_config(const std::string& text, const std::string& file,
                                                           const ReadOptions& options) {
  return config_from_json<ResourceManagerConfig>(parse_json(text, file), file, options,
                                                 read_resource_manager_keys);
}
ResourceManagerConfigOrError read_resource_manager_config(const std::string& path, const ReadOptions& options) {
  return config_from_json<ResourceManagerConfig>(read_json_file(path), path, options, read_resource_manager_keys);
}

std::string write_config(const ResourceManagerConfig& config) {
  return text_of_keys([&](JsonWriter& writer) { visit_resource_manager_keys(config, writer); });
}

}  // namespace dmm
