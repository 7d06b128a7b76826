// What `dmm leases`, `dmm usage` and `dmm nodes` show, made from site managers' answers. Pure. Incomplete answers are
// shown as far as they go, as in sites_report.hpp. Each answer is an object that begins with the name of its "site".
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// Shows answers to "leases". Only the sink knows which request uses a lease now. If the sink is among the sites, that
/// is shown at every site of the lease.
std::string render_leases(const std::vector<nlohmann::ordered_json>& sites, const Style& style);

/// Numbers of jobs by user ("alpha/u"), and names by request without its attempt: "alpha/u/17_3" by "alpha/u/21".
using JobsOfUsers = std::map<std::string, std::set<std::uint64_t>>;
using ElementNames = std::map<std::string, std::string>;
/// The jobs that leases were granted for, or are used by; `most` of each user at most.
JobsOfUsers jobs_of_leases(const std::vector<nlohmann::ordered_json>& sites, std::size_t most);
/// Adds "element" beside each "request" of an element of an array: its name, as its user knows it.
void name_elements(std::vector<nlohmann::ordered_json>& sites, const ElementNames& names);

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
/// A sentence for each cluster of another site that a site's answer says it has set aside.
std::vector<std::string> clusters_aside_in(const nlohmann::ordered_json& site);
/// The same of all answers to "nodes", as lines that begin with the name of the site that has set them aside.
std::string render_clusters_aside(const std::vector<nlohmann::ordered_json>& sites, const Style& style);
/// The rows as a table; `none` in place of an empty table.
std::string render_nodes(const std::vector<nlohmann::ordered_json>& rows, const Style& style,
                         const char* none = "no such nodes\n");

}  // namespace dmm
