// How experiments with placed workloads (simulator/experiments/placed_workload.hpp) judge the claims of a paper.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/experiments/placed_workload.hpp"

namespace dmm {

/// A line for each claim: "yes" or "no".
std::string placed_claims_table(const std::vector<PlacedClaim>& claims);
nlohmann::ordered_json placed_claims_json(const std::vector<PlacedClaim>& claims);

}  // namespace dmm
