#include "simulator/world/site_links.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "manager/assert.hpp"

namespace dmm {
Duration time_to_carry(std::uint64_t bytes, std::uint64_t bytes_a_second) {
  DMM_ASSERT(bytes_a_second > 0);
  return from_seconds(static_cast<double>(bytes) / static_cast<double>(bytes_a_second));
}

SiteLinks::SiteLinks(const Topology& topology) {
  for (const LinkQuality& quality : topology.link_qualities)
    qualities_[std::minmax(quality.sites[0], quality.sites[1])] = quality;
  for (const TopologyLink& link : links_of(topology)) {
    const SiteName &one = topology.sites[link.dialler].name, &other = topology.sites[link.listener].name;
    neighbours_[one].push_back(other);
    neighbours_[other].push_back(one);
  }
}

const LinkQuality* SiteLinks::find(const SiteName& one, const SiteName& other) const {
  const auto found = qualities_.find(std::minmax(one, other));
  return found == qualities_.end() ? nullptr : &found->second;
}

std::uint64_t SiteLinks::file_bandwidth(const SiteName& from, const SiteName& to) const {
  if (qualities_.empty()) return file_bandwidth_unsaid;
  std::map<SiteName, std::uint64_t> reached = {{from, std::numeric_limits<std::uint64_t>::max()}};
  for (std::deque<SiteName> next = {from}; !next.empty() && !reached.contains(to); next.pop_front()) {
    const auto neighbours = neighbours_.find(next.front());
    if (neighbours == neighbours_.end()) continue;
    const std::uint64_t so_far = reached.at(next.front());
    for (const SiteName& neighbour : neighbours->second) {
      const LinkQuality* quality = find(next.front(), neighbour);
      const std::uint64_t link = quality ? quality->bandwidth : file_bandwidth_unsaid;
      if (reached.emplace(neighbour, std::min(so_far, link)).second) next.push_back(neighbour);
    }
  }
  const auto found = reached.find(to);
  return found == reached.end() || from == to ? file_bandwidth_unsaid : found->second;
}

}  // namespace dmm
