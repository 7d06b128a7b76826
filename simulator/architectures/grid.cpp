#include "simulator/architectures/grid.hpp"

#include <map>

namespace dmm {

std::uint64_t Grid::processors() const {
  std::uint64_t sum = 0;
  for (const GridCluster& cluster : clusters) sum += cluster.processors;
  return sum;
}

Origin Grid::origin(std::uint32_t home, std::uint32_t ran) const {
  const GridCluster& a = clusters.at(home);
  const GridCluster& b = clusters.at(ran);
  if (a.site == b.site) return Origin::local;
  if (a.group == b.group) return Origin::intra_site;
  return a.root == b.root ? Origin::intra_grid : Origin::inter_grid;
}

Grid grid_of(const Topology& topology) {
  Grid grid;
  const auto count = static_cast<std::uint32_t>(topology.sites.size());
  const auto up = [&](std::uint32_t site) {
    return static_cast<std::uint32_t>(find_site(topology, topology.sites[site].parent).value_or(site));
  };
  for (std::uint32_t site = 0; site < count; ++site) {
    std::uint32_t root = site;
    while (up(root) != root) root = up(root);
    const std::uint32_t parent = up(site);
    for (const TopologyCluster& cluster : topology.sites[site].clusters)
      grid.clusters.push_back({.name = cluster.name.text,
                               .processors = static_cast<std::uint32_t>(processors_of(cluster)),
                               .site = site,
                               .group = parent == site ? count + site : parent,
                               .root = root});
  }
  return grid;
}

Grid equal_clusters(std::uint32_t count, std::uint32_t processors) {
  Grid grid;
  for (std::uint32_t i = 0; i < count; ++i)
    grid.clusters.push_back({"cluster" + std::to_string(i), processors, i, i, 0});
  return grid;
}

}  // namespace dmm
