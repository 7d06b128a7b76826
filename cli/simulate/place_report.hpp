// What `dmm place` prints: the same facts as a table with bars or as JSON.
#pragma once

#include <iosfwd>

#include "cli/simulate/place_result.hpp"

namespace dmm {

/// A line for each cluster with a bar, then one summary line. Bars are Unicode blocks, at most 40 cells.
void print_text(const PlaceReport& report, std::ostream& out);

/// One object: policy, placed, clusters_used, reason (null if placed), components, clusters, and the alternatives
/// and links, if there are any.
void print_json(const PlaceReport& report, std::ostream& out);

}  // namespace dmm
