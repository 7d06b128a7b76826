// The file of a site manager: its keys, and the rules between them.
#include <algorithm>
#include <set>

#include "topologies/daemon_config.hpp"
#include "topologies/daemon_file.hpp"
#include "topologies/daemon_keys.hpp"
#include "topologies/settings_fields.hpp"
#include "topologies/site_behaviour.hpp"

namespace dmm {

namespace {

/// In the order of enum Relation.
const std::vector<std::string>& relations() {
  static const std::vector<std::string> words = {"parent", "child", "sibling"};
  return words;
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

void read_site_keys(JsonReader& reader, SiteConfig& config, const ReadOptions& options) {
  visit_site(config, reader);
  read_site_behaviour(reader, config.settings, options.policies);
  visit_shell(config, reader);
  reader.finish();  // a missing or misspelt key is the better error
  check_site(reader, config);
  for (const LinkConfig& link : config.links)
    config.settings.neighbours.push_back({link.site, link.relation, link.limits});
}

}  // namespace

std::optional<Relation> parse_relation(const std::string& word) {
  const auto found = std::ranges::find(relations(), word);
  if (found == relations().end()) return std::nullopt;
  return static_cast<Relation>(found - relations().begin());
}

std::vector<std::string> keys_for_next_start(const SiteConfig& now, const SiteConfig& wanted) {
  return start_keys_that_differ(write_config(now), write_config(wanted));
}

SiteConfigOrError parse_site_config(const std::string& text, const std::string& file, const ReadOptions& options) {
  return config_from_json<SiteConfig>(parse_json(text, file), file, options, read_site_keys);
}
SiteConfigOrError read_site_config(const std::string& path, const ReadOptions& options) {
  return config_from_json<SiteConfig>(read_json_file(path), path, options, read_site_keys);
}

std::string write_config(const SiteConfig& config) {
  return text_of_keys([&](JsonWriter& writer) {
    visit_site(config, writer);
    visit_site_behaviour(config.settings, writer, known_policies());
    visit_shell(config, writer);
  });
}

}  // namespace dmm
