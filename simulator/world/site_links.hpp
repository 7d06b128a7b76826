// SiteLinks: properties of the links between simulated sites, and the speed of a file from one site to another. Links
// without an entry in the topology have the latency of the network, carry frames at any rate, and files at 100
// Mbit/s.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "topologies/topology.hpp"

namespace dmm {

/// Bandwidth of a link without an entry, in bytes a second.
constexpr std::uint64_t file_bandwidth_unsaid = 100'000'000 / 8;

/// How long these bytes take at this rate.
Duration time_to_carry(std::uint64_t bytes, std::uint64_t bytes_a_second);

class SiteLinks {
 public:
  explicit SiteLinks(const Topology& topology);

  /// The topology's entry for the link between two sites; nullptr if there is none.
  const LinkQuality* find(const SiteName& one, const SiteName& other) const;
  /// Bytes a second for a file between two sites: those of the slowest link on the way with the fewest links. Without
  /// a way, or with an unknown site, those of a link without an entry.
  std::uint64_t file_bandwidth(const SiteName& from, const SiteName& to) const;

 private:
  std::map<std::pair<SiteName, SiteName>, LinkQuality> qualities_;  ///< the lesser name first
  std::map<SiteName, std::vector<SiteName>> neighbours_;
};

}  // namespace dmm
