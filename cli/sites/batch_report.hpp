// What `dmm nodes` shows of a batch system: each node with its use by local users or by DMM. Pure, and as
// forgiving as sites_report.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// The name of the resource manager that offers a node of a batch manager's answer to "batch".
std::string offering_manager(const nlohmann::ordered_json& node);
/// The site's rows without those of nodes that were given back: the batch system says more of these.
/// `batch` is a batch manager's answer to "batch".
std::vector<nlohmann::ordered_json> without_returned(const std::vector<nlohmann::ordered_json>& rows,
                                                     const nlohmann::ordered_json& batch);
/// Why the batch system of a job's site gives it no nodes, for a job that waits: sentences, with the batch
/// system's own reasons for local jobs that wait too.
std::vector<std::string> batch_sentences(const nlohmann::ordered_json& batch);
/// Which owners' nodes join the batch system, and what that means for its cluster: a sentence each.
std::vector<std::string> trusted_by(const nlohmann::ordered_json& batch);
/// `rows` say to which neighbour or job a node is lent: by the name of its resource manager.
std::string render_batch(const nlohmann::ordered_json& batch, const std::vector<nlohmann::ordered_json>& rows,
                         const Style& style);

}  // namespace dmm
