// What a placement asks of the links between clusters: Jones et al. 2004, equations 1 and 2, with their numbers.
// Bandwidths are in megabits a second.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// What a job sends over links between clusters, and what these links carry.
struct LinkFigures {
  double per_processor = 0;      ///< what each processor sends to the others; 0: not known
  std::vector<double> capacity;  ///< of each cluster's link
  std::vector<double> carried;   ///< by other jobs already, on each link; empty: nothing
};

/// The link of a cluster that a placement uses.
struct LinkUse {
  std::size_t cluster = 0;
  std::uint32_t here = 0, in_all = 0;  ///< processors of the job in the cluster, and in all clusters
  double asked = 0;                    ///< equation 1
  double capacity = 0, carried = 0;
  /// The part of the asked bandwidth that the link carries; at most 1 (equation 2).
  double share() const;
};

/// The links that the placement uses: none if it is in one cluster.
std::vector<LinkUse> link_uses(const Placement& placement, const LinkFigures& figures);
/// The part of the asked bandwidth that the job gets: that of its fullest link (section 3.5).
double share_of(std::span<const LinkUse> uses);

void print_links(std::span<const LinkUse> uses, std::span<const ClusterView> clusters, const LinkFigures& figures,
                 std::ostream& out);
nlohmann::ordered_json links_json(std::span<const LinkUse> uses, std::span<const ClusterView> clusters);

}  // namespace dmm
