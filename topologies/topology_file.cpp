// A topology from its JSON file. The values of single keys are checked here; how the sites fit together, in
// link_sites.cpp.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "topologies/json_reader.hpp"
#include "topologies/settings_fields.hpp"
#include "topologies/site_behaviour.hpp"
#include "topologies/topology.hpp"

namespace dmm {

namespace {

void read_cluster(JsonReader& reader, TopologyCluster& cluster) {
  reader.require({"name", "nodes"});
  reader.name("name", cluster.name);
  reader.integer("nodes", cluster.nodes, 1, nodes_max);
  visit_nodes(cluster, reader);
  reader.number("quota", cluster.quota, 0, 1);
  reader.integer("resource_managers", cluster.resource_managers, 1, nodes_max);
  reader.boolean("isolate_jobs", cluster.isolate_jobs);
  reader.integer("kept_files_bytes_max", cluster.kept_files_bytes_max, 0);
}

void read_site(JsonReader& reader, TopologySite& site, const PolicyNames& policies) {
  reader.require({"name"});
  reader.name("name", site.name);
  std::uint32_t number = 0;
  reader.integer("number", number, 0);
  if (reader.has("number")) site.number = number;
  reader.name("parent", site.parent);
  reader.names("siblings", site.siblings);
  reader.objects("clusters", site.clusters, read_cluster);
  reader.texts("users", site.users, [](const std::string& name) { return fault_of_name(name); });
  reader.boolean("direct_routes", site.direct_routes);
  reader.objects("limits", site.limits, [](JsonReader& item, NeighbourSettings& neighbour) {
    item.require({"site"});
    item.name("site", neighbour.site);
    visit_limits(neighbour.limits, item);
  });
  reader.object("settings", [&](JsonReader& inner) { read_site_behaviour(inner, site.settings, policies); });
}

/// Adds to each member of a group all members before it. Errors about a member name the group, not the site's own list
/// of siblings: the mistake is in the group.
void join_group(JsonReader& reader, const std::vector<std::string>& names, std::size_t group, Topology& topology) {
  const std::string key = "sibling_groups[" + std::to_string(group) + "]";
  if (names.size() < 2) return reader.refuse(key, "expected at least two sites");
  std::vector<std::size_t> members;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string at = key + "[" + std::to_string(k) + "]";
    const auto position = find_site(topology, SiteName(names[k]));
    if (!position) return reader.refuse(at, "there is no site \"" + names[k] + "\"; expected one of \"sites\"");
    const TopologySite& first = topology.sites[members.empty() ? *position : members.front()];
    if (topology.sites[*position].parent != first.parent)
      return reader.refuse(at, "\"" + names[k] + "\" and \"" + first.name.text +
                                   "\" have different parents; siblings have the same parent, or both none");
    members.push_back(*position);
  }
  for (std::size_t k = 0; k < members.size(); ++k)
    for (std::size_t j = 0; j < k; ++j)
      topology.sites[members[k]].siblings.push_back(topology.sites[members[j]].name);
}

void read_groups(JsonReader& reader, FirstFault& fault, Topology& topology) {
  const SortedJson* groups = reader.find_array("sibling_groups");
  for (std::size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
    const SortedJson wrapped = {
        {"group", (*groups)[i]}};  // the reader reads keys of objects, and a group has none
    FirstFault inner_fault;
    JsonReader inner(wrapped, "", inner_fault);
    std::vector<std::string> names;
    inner.texts("group", names);
    constexpr std::size_t own_key = std::char_traits<char>::length("group");
    if (inner_fault.any())
      return fault.set("", reader.at("sibling_groups", i) + inner_fault.text().substr(own_key));
    join_group(reader, names, i, topology);
  }
}

/// The link table: each entry names a link that the sites make, once.
void read_link_qualities(JsonReader& reader, Topology& topology) {
  constexpr double megabits_max = 1'000'000;
  reader.objects("links", topology.link_qualities, [](JsonReader& item, LinkQuality& quality) {
    item.require({"sites", "megabits"});
    item.names("sites", quality.sites);
    item.duration("latency_seconds", quality.latency, 0, 60);
    double megabits = 100;
    item.number("megabits", megabits, 0.001, megabits_max);
    quality.bandwidth = static_cast<std::uint64_t>(megabits * 1e6 / 8);
    if (quality.sites.size() != 2) item.refuse("sites", "expected the names of two sites");
  });
}

/// The fault in the link table, once the links are known.
std::string fault_of_link_qualities(const Topology& topology) {
  std::set<std::pair<SiteName, SiteName>> links, seen;
  for (const TopologyLink& link : links_of(topology))
    links.insert(std::minmax(topology.sites[link.dialler].name, topology.sites[link.listener].name));
  for (std::size_t i = 0; i < topology.link_qualities.size(); ++i) {
    const std::vector<SiteName>& sites = topology.link_qualities[i].sites;
    const std::pair<SiteName, SiteName> link = std::minmax(sites[0], sites[1]);
    const std::string names = "\"" + sites[0].text + "\" and \"" + sites[1].text + "\"";
    const std::string at = "links[" + std::to_string(i) + "].sites: ";
    if (!links.contains(link))
      return at + "there is no link between " + names + "; expected a parent and its child, or two siblings";
    if (!seen.insert(link).second) return at + "the link between " + names + " occurs twice; expected each once";
  }
  return {};
}

TopologyOrError from_json(OrFault<SortedJson, ConfigError> read, const std::string& file,
                          const ReadOptions& options) {
  if (const auto* error = std::get_if<ConfigError>(&read)) return *error;
  SortedJson& json = std::get<SortedJson>(read);
  const std::string wrong = apply_overrides(json, options.overrides);
  if (!wrong.empty()) return ConfigError{wrong};
  Topology topology;
  FirstFault fault;
  JsonReader reader(json, "", fault);
  reader.require({"name", "sites"});
  reader.text("name", topology.name, [](const std::string& name) { return fault_of_name(name); });
  reader.text("description", topology.description);
  reader.choice("ledger", topology.ledger, ledger_modes());
  TopologySite typical;
  typical.settings = options.site_defaults;
  reader.object("defaults",
                [&](JsonReader& inner) { read_site_behaviour(inner, typical.settings, options.policies); });
  reader.objects("sites", topology.sites, [&](JsonReader& inner, TopologySite& site) {
    site.settings = typical.settings;
    read_site(inner, site, options.policies);
  });
  read_groups(reader, fault, topology);
  read_link_qualities(reader, topology);
  reader.finish();
  if (fault.any()) return ConfigError{file + ": " + fault.text()};
  if (auto error = link_sites(topology, file)) return *error;
  if (const std::string wrong_link = fault_of_link_qualities(topology); !wrong_link.empty())
    return ConfigError{file + ": " + wrong_link};
  return topology;
}

}  // namespace

TopologyOrError parse_topology(const std::string& text, const std::string& file, const ReadOptions& options) {
  return from_json(parse_json(text, file), file, options);
}

TopologyOrError read_topology(const std::string& path, const ReadOptions& options) {
  return from_json(read_json_file(path), path, options);
}

}  // namespace dmm
