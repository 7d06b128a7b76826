// Checks that the sites of a topology fit together, and tells each site its neighbours. Kept apart from the
// reading of files, since topologies are also made in code.
#include <algorithm>
#include <map>
#include <set>

#include "topologies/settings_fields.hpp"
#include "topologies/topology.hpp"

namespace dmm {

namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }
std::string twice(const std::string& text) { return quoted(text) + " occurs twice; expected each once"; }
std::string indexed(const char* key, std::size_t i) { return std::string(key) + "[" + std::to_string(i) + "]"; }

/// One pass over the sites. Each check returns the first fault as "field: rule", or an empty text.
class Linker {
 public:
  explicit Linker(Topology& topology) : sites_(topology.sites) {}

  std::string run() {
    if (sites_.empty()) return "sites: expected at least one site, found none";
    for (const auto check :
         {&Linker::check_names, &Linker::check_parents, &Linker::check_loops, &Linker::check_siblings})
      if (std::string fault = (this->*check)(); !fault.empty()) return fault;
    for (std::size_t i = 0; i < sites_.size(); ++i)
      if (std::string fault = check_inside(sites_[i]); !fault.empty()) return indexed("sites", i) + "." + fault;
    for (std::size_t i = 0; i < sites_.size(); ++i)
      if (std::string fault = check_limits(i); !fault.empty()) return indexed("sites", i) + "." + fault;
    for (std::size_t i = 0; i < sites_.size(); ++i) complete(i);
    return {};
  }

 private:
  std::string check_names() {
    std::set<std::uint32_t> numbers;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const TopologySite& site = sites_[i];
      const std::string at = indexed("sites", i) + ".";
      if (std::string fault = fault_of_name(site.name.text); !fault.empty()) return at + "name: " + fault;
      const auto [old, fresh] = positions_.emplace(site.name, i);
      if (!fresh)
        return at + "name: " + quoted(site.name.text) + " is already " + indexed("sites", old->second) +
               "; expected each site once";
      if (site.number && !numbers.insert(*site.number).second)
        return at + "number: " + twice(std::to_string(*site.number));
    }
    return {};
  }

  std::string check_parents() {
    children_.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const SiteName& parent = sites_[i].parent;
      if (parent.empty()) continue;
      const auto at = positions_.find(parent);
      if (at == positions_.end()) return indexed("sites", i) + ".parent: " + no_site(parent);
      children_[at->second].push_back(i);
    }
    return {};
  }

  std::string check_loops() {
    std::vector<bool> sound(sites_.size(), false);  // its way to the root was checked
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      std::vector<std::size_t> way;
      std::set<std::size_t> on_way;
      for (std::size_t at = i; !sound[at]; at = positions_.at(sites_[at].parent)) {
        if (!on_way.insert(at).second) return loop_from(at);
        way.push_back(at);
        if (sites_[at].parent.empty()) break;
      }
      for (std::size_t at : way) sound[at] = true;
    }
    return {};
  }

  std::string loop_from(std::size_t start) const {
    std::string walk = sites_[start].name.text;
    for (std::size_t at = positions_.at(sites_[start].parent);; at = positions_.at(sites_[at].parent)) {
      walk += " -> " + sites_[at].name.text;
      if (at == start) break;
    }
    return indexed("sites", start) + ".parent: a loop of parents, " + walk + "; a site cannot be its own ancestor";
  }

  /// Checks the siblings that were named, and makes them mutual.
  std::string check_siblings() {
    siblings_.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      for (std::size_t k = 0; k < sites_[i].siblings.size(); ++k) {
        const SiteName& name = sites_[i].siblings[k];
        const std::string at = indexed("sites", i) + "." + indexed("siblings", k) + ": ";
        const auto other = positions_.find(name);
        if (other == positions_.end()) return at + no_site(name);
        if (other->second == i) return at + quoted(name.text) + " is a sibling of itself";
        if (sites_[other->second].parent != sites_[i].parent)
          return at + quoted(name.text) + " has " + parent_of(other->second) + ", " + quoted(sites_[i].name.text) +
                 " has " + parent_of(i) + "; siblings have the same parent, or both none";
        siblings_[i].insert(other->second);
        siblings_[other->second].insert(i);
      }
    }
    return {};
  }

  std::string parent_of(std::size_t i) const {
    return sites_[i].parent.empty() ? "no parent" : "the parent " + quoted(sites_[i].parent.text);
  }

  std::string no_site(const SiteName& name) const {
    std::vector<std::string> words;
    for (const TopologySite& site : sites_) words.push_back(site.name.text);
    return "there is no site " + quoted(name.text) + "; expected one of \"sites\"" + suggestion(name.text, words);
  }

  /// Limits name neighbours, each once.
  std::string check_limits(std::size_t i) const {
    std::set<SiteName> seen;
    for (std::size_t k = 0; k < sites_[i].limits.size(); ++k) {
      const SiteName& name = sites_[i].limits[k].site;
      const std::string at = indexed("limits", k) + ".site: ";
      const auto other = positions_.find(name);
      if (other == positions_.end()) return at + no_site(name);
      const std::size_t n = other->second;
      const bool is_child = sites_[n].parent == sites_[i].name;
      const bool is_neighbour = siblings_[i].contains(n) || sites_[i].parent == name || is_child;
      if (!is_neighbour) return at + quoted(name.text) + " is no neighbour of " + quoted(sites_[i].name.text);
      if (!seen.insert(name).second) return at + twice(name.text);
    }
    return {};
  }

  static std::string check_inside(const TopologySite& site) {
    std::set<std::string> users;
    for (std::size_t i = 0; i < site.users.size(); ++i) {
      const std::string at = indexed("users", i) + ": ";
      if (std::string fault = fault_of_name(site.users[i]); !fault.empty()) return at + fault;
      if (!users.insert(site.users[i]).second) return at + twice(site.users[i]);
    }
    std::set<ClusterName> clusters;
    for (std::size_t i = 0; i < site.clusters.size(); ++i) {
      const TopologyCluster& cluster = site.clusters[i];
      if (std::string fault = check_cluster(cluster); !fault.empty()) return indexed("clusters", i) + "." + fault;
      if (!clusters.insert(cluster.name).second)
        return indexed("clusters", i) + ".name: " + twice(cluster.name.text);
    }
    std::set<std::string> managers;
    for (const ResourceManagerSettings& manager : resource_managers_of(site))
      if (!managers.insert(manager.name).second)
        return "clusters: two resource managers would be called " + quoted(manager.name) + "; rename a cluster";
    return {};
  }

  static std::string check_cluster(const TopologyCluster& cluster) {
    if (std::string fault = fault_of_name(cluster.name.text); !fault.empty()) return "name: " + fault;
    if (cluster.nodes < 1 || cluster.nodes > nodes_max)
      return "nodes: expected a whole number from 1 to " + std::to_string(nodes_max) + ", found " +
             std::to_string(cluster.nodes);
    if (cluster.processors_per_node < 1 || cluster.processors_per_node > processors_per_node_max)
      return "processors_per_node: expected a whole number from 1 to " + std::to_string(processors_per_node_max) +
             ", found " + std::to_string(cluster.processors_per_node);
    if (processors_of(cluster) > processors_max)
      return "nodes: a cluster has at most " + std::to_string(processors_max) + " processors, found " +
             std::to_string(processors_of(cluster));
    if (std::string fault = fault_of(cluster.attributes); !fault.empty()) return "attributes: " + fault;
    if (cluster.resource_managers < 1 || cluster.resource_managers > cluster.nodes)
      return "resource_managers: each needs a node; expected 1 to " + std::to_string(cluster.nodes) + ", found " +
             std::to_string(cluster.resource_managers);
    if ((cluster.nodes - 1) / cluster.resource_managers >= nodes_per_manager_max)
      return "resource_managers: each has at most " + std::to_string(nodes_per_manager_max) + " nodes; expected " +
             std::to_string((cluster.nodes - 1) / nodes_per_manager_max + 1) + " or more, found " +
             std::to_string(cluster.resource_managers);
    return {};
  }

  void complete(std::size_t i) {
    TopologySite& site = sites_[i];
    site.siblings.clear();
    for (std::size_t other : siblings_[i]) site.siblings.push_back(sites_[other].name);
    SiteSettings& settings = site.settings;
    settings.name = site.name;
    settings.ancestors.clear();
    for (SiteName at = site.parent; !at.empty(); at = sites_[positions_.at(at)].parent)
      settings.ancestors.push_back(at);
    settings.clusters.clear();
    for (const auto& cluster : site.clusters)
      settings.clusters.push_back({cluster.name, cluster.quota, cluster.nodes, cluster.processors_per_node,
                                   cluster.memory_bytes, cluster.attributes});
    // From near to far: a policy that keeps this order must look inside the grid before it looks outside.
    settings.neighbours.clear();
    for (std::size_t child : children_[i]) settings.neighbours.push_back({sites_[child].name, Relation::child});
    for (const SiteName& sibling : site.siblings) settings.neighbours.push_back({sibling, Relation::sibling});
    if (!site.parent.empty()) settings.neighbours.push_back({site.parent, Relation::parent});
    for (const NeighbourSettings& limited : site.limits)
      std::ranges::find(settings.neighbours, limited.site, &NeighbourSettings::site)->limits = limited.limits;
  }

  std::vector<TopologySite>& sites_;
  std::map<SiteName, std::size_t> positions_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::set<std::size_t>> siblings_;
};

}  // namespace

std::optional<ConfigError> link_sites(Topology& topology, const std::string& file) {
  const std::string fault = Linker(topology).run();
  if (fault.empty()) return std::nullopt;
  return ConfigError{file + ": " + fault};
}

}  // namespace dmm
