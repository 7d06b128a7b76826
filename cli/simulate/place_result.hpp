// What a placement policy made of a request, for `dmm place`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/simulate/place_links.hpp"
#include "matchmaking/placement_reasons.hpp"

namespace dmm {

/// The outcome of one run of a policy.
struct PlaceReport {
  std::string_view policy;                         ///< its canonical name
  const ResourceNeed& need;                        ///< what was asked
  std::span<const ClusterView> clusters;           ///< what was there
  std::optional<Placement> placement;              ///< what the policy made of it
  std::string why_not;                             ///< one line, if there is no placement
  std::vector<PlacementAlternative> alternatives;  ///< of all policies; empty if they aren't shown
  std::optional<std::vector<LinkUse>> links;       ///< its use of links, if the job's communication is known
};

}  // namespace dmm
