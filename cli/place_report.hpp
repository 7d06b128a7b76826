// What `dmm place` prints: the same facts as a table with bars or as JSON.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/place_links.hpp"
#include "matchmaking/placement_reasons.hpp"

namespace dmm {

/// The outcome of one run of a policy.
struct PlaceReport {
  std::string_view policy;                         ///< its canonical name
  const ResourceNeed& need;                        ///< what was asked
  std::span<const ClusterView> clusters;           ///< what was there
  std::optional<Placement> placement;              ///< what the policy made of it
  std::string why_not;                             ///< if nothing: the reason, one line
  std::vector<PlacementAlternative> alternatives;  ///< of all policies; empty if they aren't to be told
  std::optional<std::vector<LinkUse>> links;       ///< what it asks of links, if anything is known of that
};

/// A line a cluster with a bar, then one summary line. Bars are Unicode blocks; 40 cells at most.
void print_text(const PlaceReport& report, std::ostream& out);

/// One object: policy, placed, clusters_used, reason (null if placed), components, clusters, and the alternatives
/// and links, if there are any.
void print_json(const PlaceReport& report, std::ostream& out);

}  // namespace dmm
