// How many processors would do at all sites within reach together, each site once however many ways lead to it
// (docs/protocol.md section 6.4, S74e). Never too few: sites that no neighbour named count on every way.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// As good as without bound: more processors than any request may ask for.
constexpr std::uint64_t processors_unbounded = std::uint64_t{1} << 40;

/// The sum of two numbers of processors; either may be without bound.
std::uint64_t added(std::uint64_t a, std::uint64_t b);

/// Sites of one kind of nodes that are named in a class, and in a whole Reach.
constexpr std::size_t sites_named_max = 32, sites_told_max = 256;

/// Adds what another way leads to. What a limit leaves of a site on several ways adds up; else the greater number is
/// right. False: there are too many sites, and `sites` is empty.
bool unite_sites(std::vector<ReachSite>& sites, const std::vector<ReachSite>& more);

class ReachTotal {
 public:
  /// Adds the nodes that meet the constraints and are lent for as long.
  void add(const ReachEntry& entry, const Constraints& constraints, Duration length);
  std::uint64_t processors() const;

 private:
  std::map<std::tuple<SiteName, std::uint64_t, Attributes>, ReachSite> sites_;  ///< by site and kind of nodes
  std::uint64_t unnamed_ = 0;
};

}  // namespace dmm
