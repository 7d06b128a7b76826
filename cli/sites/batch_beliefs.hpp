// Where a site and the batch system below it disagree about nodes: a part of `dmm fsck`. Pure. Incomplete answers are
// shown as far as they go, as in sites_report.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dmm {

/// One sentence for each node that both sides know differently: held by a pilot but unknown to the site, offered by the
/// site but without a pilot, or borrowed by one side only. `rows` is the site's answer to "nodes", `batch` a batch
/// manager's answer to "batch".
std::vector<std::string> batch_disagreements(const std::vector<nlohmann::ordered_json>& rows,
                                             const nlohmann::ordered_json& batch);

}  // namespace dmm
