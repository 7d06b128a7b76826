// SiteLinks: what the links between simulated sites carry, and how fast a file goes from one site to another.
// Links without an entry in the topology have the latency of the network, carry frames at any rate, and files at
// 100 Mbit/s.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "topologies/topology.hpp"

namespace dmm {

/// Of a link about which nothing is said, in bytes a second.
constexpr std::uint64_t file_bandwidth_unsaid = 100'000'000 / 8;

/// How long these bytes take at this rate.
Duration time_to_carry(std::uint64_t bytes, std::uint64_t bytes_a_second);

class SiteLinks {
 public:
  explicit SiteLinks(const Topology& topology);

  /// What the topology says of the link between two sites; nullptr if it says nothing.
  const LinkQuality* find(const SiteName& one, const SiteName& other) const;
  /// Bytes a second for a file between two sites: of the slowest link on the way over the fewest links. Where
  /// there is no way, or one of them isn't known, it is that of a link about which nothing is said.
  std::uint64_t file_bandwidth(const SiteName& from, const SiteName& to) const;

 private:
  std::map<std::pair<SiteName, SiteName>, LinkQuality> qualities_;  ///< the lesser name first
  std::map<SiteName, std::vector<SiteName>> neighbours_;
};

}  // namespace dmm
