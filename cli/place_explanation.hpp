// `dmm place --explain`: what each placement policy would do with the same request and by which rule, or why it
// finds no placement.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/place_report.hpp"

namespace dmm {

/// Why the policy found no placement, in one line.
std::string why_not_placed(const ResourceNeed& need, const std::vector<ClusterView>& clusters,
                           PlacementPolicy policy);
/// How many clusters the placement uses.
std::size_t clusters_of(const Placement& placement);
/// All policies in the order of their table. Source of the rules: Sonmez et al. 2006, sections 4.1 and 4.2; of
/// best fit Jones et al. 2004, section 4.1.
std::vector<PlaceAlternative> alternatives_for(const ResourceNeed& need, const std::vector<ClusterView>& clusters);
/// A line for each policy, the chosen one marked, and the rule of each.
void print_alternatives(const PlaceReport& report, std::ostream& out);

}  // namespace dmm
