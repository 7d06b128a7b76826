// What a sensitivity sweep says: each claim under each value of each unstated parameter, as a table, JSON and CSV.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/experiments/claims.hpp"
#include "cli/experiments/comparison.hpp"
#include "cli/experiments/unstated_parameters.hpp"

namespace dmm {

/// One other value of one parameter; everything else is ours.
struct SensitivitySetting {
  std::size_t parameter = 0;  ///< index in unstated_parameters
  std::size_t value = 0;      ///< index in its values, at least 1
};

/// All settings, by parameter. The points of the sweep are our values, and these behind them.
std::vector<SensitivitySetting> sensitivity_settings();

struct SensitivityVerdicts {
  std::vector<Judgement> ours;                     ///< by claim
  std::vector<std::vector<Judgement>> by_setting;  ///< by setting and claim
};

/// `result` has a point for our values and one a setting, and a variant a case of claim_cases.
SensitivityVerdicts judge_sensitivity(const ComparisonResult& result);

OtherResult sensitivity_report(const SensitivityVerdicts& verdicts, std::uint32_t repetitions, std::uint64_t seed);

}  // namespace dmm
