// What `dmm nodes` shows of a batch system: each node, and whether local users or DMM use it. Pure. Incomplete answers
// are shown as far as they go, as in sites_report.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// The resource manager that offers this node; the node is a row of a batch manager's answer to "batch".
std::string offering_manager(const nlohmann::ordered_json& node);
/// The site's rows without nodes that were given back: the table of the batch system says more about these. `batch` is
/// a batch manager's answer to "batch".
std::vector<nlohmann::ordered_json> without_returned(const std::vector<nlohmann::ordered_json>& rows,
                                                     const nlohmann::ordered_json& batch);
/// Why the batch system of a job's site has no nodes for a waiting job, as sentences. They include the batch system's
/// own reasons for local jobs that wait, too.
std::vector<std::string> batch_sentences(const nlohmann::ordered_json& batch);
/// Which owners' nodes join the batch system, and what that means for its cluster: one sentence for each.
std::vector<std::string> trusted_by(const nlohmann::ordered_json& batch);
/// `rows` say to which neighbour or job a node is lent; the name of its resource manager connects the two.
std::string render_batch(const nlohmann::ordered_json& batch, const std::vector<nlohmann::ordered_json>& rows,
                         const Style& style);

}  // namespace dmm
