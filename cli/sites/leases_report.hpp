// What `dmm leases`, `dmm usage` and `dmm nodes` show, made from site managers' answers. Pure. Incomplete answers are
// shown as far as they go, as in sites_report.hpp. Each answer is an object that begins with the name of its "site".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// Shows answers to "leases". Only the sink knows which request uses a lease now. If the sink is among the sites, that
/// is shown at every site of the lease.
std::string render_leases(const std::vector<nlohmann::ordered_json>& sites, const Style& style);

/// Shows answers to "usage": sums by neighbour, or the records behind them.
std::string render_usage(const std::vector<nlohmann::ordered_json>& sites, bool records, const Style& style);

/// Which rows of the answers to "nodes" are shown; empty: all.
struct NodeFilter {
  std::vector<std::string> states;
  std::string resource_manager, cluster;
  bool wants_all() const { return states.empty() && resource_manager.empty() && cluster.empty(); }
};
/// The rows that pass the filter, each with its "site".
std::vector<nlohmann::ordered_json> nodes_that_pass(const std::vector<nlohmann::ordered_json>& sites,
                                                    const NodeFilter& filter);
/// The rows as a table; `none` in place of an empty table.
std::string render_nodes(const std::vector<nlohmann::ordered_json>& rows, const Style& style,
                         const char* none = "no such nodes\n");

}  // namespace dmm
