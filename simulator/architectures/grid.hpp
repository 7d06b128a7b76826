// A grid as the models of architectures see it: the sizes and owners of clusters. The real managers get the whole
// topology.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/origin.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct GridCluster {
  std::string name;
  std::uint32_t processors = 0;
  std::uint32_t site = 0;   ///< equal for clusters of one site
  std::uint32_t group = 0;  ///< equal for sites of one parent; a site without a parent is a group of its own
  std::uint32_t root = 0;   ///< equal for sites of one grid
};

struct Grid {
  std::vector<GridCluster> clusters;  ///< numbered as in workload_homes

  std::uint64_t processors() const;
  /// The origin of the processors of cluster `ran`, seen from a job's home.
  Origin origin(std::uint32_t home, std::uint32_t ran) const;
};

/// The clusters of a complete topology.
Grid grid_of(const Topology& topology);
/// `count` clusters of `processors` each, each with an owner of its own.
Grid equal_clusters(std::uint32_t count, std::uint32_t processors);

}  // namespace dmm
