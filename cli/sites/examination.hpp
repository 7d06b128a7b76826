// What `dmm doctor` finds out about a site on a batch system by asking managers, and how it shows all findings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchmgr/finding.hpp"
#include "batchmgr/settings.hpp"
#include "cli/terminal/style.hpp"

namespace dmm {

/// Asks the managers that the settings name: whether they answer, know this account, and know the cluster and the
/// owners.
std::vector<Finding> examine_managers(const BatchSettings& settings);

/// Findings under one title.
struct Examined {
  std::string title;
  std::vector<Finding> findings;
};

std::size_t changes_in(const std::vector<Examined>& all);
std::string render_examination(const std::vector<Examined>& all, const Style& style);
nlohmann::ordered_json examination_json(const std::vector<Examined>& all);

}  // namespace dmm
