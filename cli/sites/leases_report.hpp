// What `dmm leases`, `dmm usage` and `dmm nodes` show, made of site managers' answers. Pure, and as forgiving as
// sites_report.hpp. Each answer is an object with the name of its "site" in front.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// Answers to "leases". Who uses a lease now is known at its sink alone, and shown at all its sites if that is among
/// them.
std::string render_leases(const std::vector<nlohmann::ordered_json>& sites, const Style& style);

/// Answers to "usage": sums by neighbour, or the records that they are made of.
std::string render_usage(const std::vector<nlohmann::ordered_json>& sites, bool records, const Style& style);

/// Which rows of the answers to "nodes" are wanted; empty: any.
struct NodeFilter {
  std::vector<std::string> states;
  std::string resource_manager, cluster;
  bool wants_all() const { return states.empty() && resource_manager.empty() && cluster.empty(); }
};
/// The rows that pass the filter, each with its "site".
std::vector<nlohmann::ordered_json> nodes_that_pass(const std::vector<nlohmann::ordered_json>& sites,
                                                    const NodeFilter& filter);
/// As a table; `none` in place of an empty one.
std::string render_nodes(const std::vector<nlohmann::ordered_json>& rows, const Style& style,
                         const char* none = "no such nodes\n");

}  // namespace dmm
