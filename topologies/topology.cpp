// Values that follow from a topology: links, homes of workloads, the managers of a site, sums.
#include "topologies/topology.hpp"

#include <algorithm>

namespace dmm {

std::vector<TopologyLink> links_of(const Topology& topology) {
  std::map<SiteName, std::size_t> positions;
  for (std::size_t i = 0; i < topology.sites.size(); ++i) positions[topology.sites[i].name] = i;
  std::vector<TopologyLink> links;
  for (std::size_t i = 0; i < topology.sites.size(); ++i) {
    const TopologySite& site = topology.sites[i];
    if (!site.parent.empty()) links.push_back({i, positions.at(site.parent), Relation::parent});
    for (const SiteName& sibling : site.siblings)
      if (positions.at(sibling) < i) links.push_back({i, positions.at(sibling), Relation::sibling});
  }
  return links;
}

std::vector<WorkloadHome> workload_homes(const Topology& topology) {
  std::vector<WorkloadHome> homes;
  for (std::size_t i = 0; i < topology.sites.size(); ++i) {
    const TopologySite& site = topology.sites[i];
    const std::string user = site.users.empty() ? std::string() : site.users.front();
    for (std::size_t k = 0; k < site.clusters.size(); ++k) homes.push_back({i, k, site.name, user});
  }
  return homes;
}

std::vector<ResourceManagerSettings> resource_managers_of(const TopologySite& site) {
  std::vector<ResourceManagerSettings> all;
  for (const TopologyCluster& cluster : site.clusters) {
    const std::uint32_t managers = cluster.resource_managers;
    for (std::uint32_t k = 0; k < managers; ++k) {
      ResourceManagerSettings settings;
      settings.site = site.name;
      settings.name = cluster.name.text + (managers == 1 ? std::string() : "-" + std::to_string(k));
      settings.cluster = cluster.name;
      settings.nodes = cluster.nodes / managers + (k < cluster.nodes % managers ? 1 : 0);
      settings.processors_per_node = cluster.processors_per_node;
      settings.memory_bytes = cluster.memory_bytes;
      settings.attributes = cluster.attributes;
      settings.term = site.settings.term;
      settings.jobs.isolate = cluster.isolate_jobs;
      if (cluster.kept_files_bytes_max > 0)
        settings.jobs.kept_files = {.folder = "/" + site.name.text + "-" + cluster.name.text,
                                    .bytes_max = cluster.kept_files_bytes_max};
      all.push_back(std::move(settings));
    }
  }
  return all;
}

std::vector<JobManagerSettings> job_managers_of(const TopologySite& site) {
  std::vector<JobManagerSettings> all;
  for (const std::string& user : site.users) {
    JobManagerSettings settings;
    settings.site = site.name;
    settings.user = user;
    settings.term = site.settings.term;
    settings.confirm_limit = site.settings.term * 4;  // the default of a site's own file
    all.push_back(std::move(settings));
  }
  return all;
}

std::optional<std::size_t> find_site(const Topology& topology, const SiteName& name) {
  const auto& sites = topology.sites;
  const auto at =
      std::find_if(sites.begin(), sites.end(), [&](const TopologySite& site) { return site.name == name; });
  if (at == sites.end()) return std::nullopt;
  return static_cast<std::size_t>(at - sites.begin());
}

std::uint64_t processors_of(const TopologyCluster& cluster) {
  return std::uint64_t{cluster.nodes} * cluster.processors_per_node;
}
std::uint64_t processors_of(const TopologySite& site) {
  std::uint64_t sum = 0;
  for (const TopologyCluster& cluster : site.clusters) sum += processors_of(cluster);
  return sum;
}
std::uint64_t processors_of(const Topology& topology) {
  std::uint64_t sum = 0;
  for (const TopologySite& site : topology.sites) sum += processors_of(site);
  return sum;
}
std::uint64_t nodes_of(const Topology& topology) {
  std::uint64_t sum = 0;
  for (const TopologySite& site : topology.sites)
    for (const TopologyCluster& cluster : site.clusters) sum += cluster.nodes;
  return sum;
}

}  // namespace dmm
