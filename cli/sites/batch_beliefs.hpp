// Where a site and the batch system below it disagree about nodes: a part of `dmm fsck`. Pure, and as forgiving as
// sites_report.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dmm {

/// Sentences, one for each node: held and unknown to the site, offered and in other hands, or borrowed by one side
/// only. `rows` are the site's answer to "nodes", `batch` is a batch manager's to "batch".
std::vector<std::string> batch_disagreements(const std::vector<nlohmann::ordered_json>& rows,
                                             const nlohmann::ordered_json& batch);

}  // namespace dmm
