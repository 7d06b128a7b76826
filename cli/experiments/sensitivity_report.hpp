// The result of a sensitivity sweep: each claim under each value of each unstated parameter, as a table, JSON and CSV.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/experiments/claims.hpp"
#include "cli/experiments/comparison.hpp"
#include "cli/experiments/unstated_parameters.hpp"

namespace dmm {

/// Another value of one parameter; all other parameters have our values.
struct SensitivitySetting {
  std::size_t parameter = 0;  ///< index in unstated_parameters
  std::size_t value = 0;      ///< index in its values, at least 1
};

/// All settings, by parameter. The first point of the sweep has our values; the settings are the points after it.
std::vector<SensitivitySetting> sensitivity_settings();

struct SensitivityVerdicts {
  std::vector<Judgement> ours;                     ///< by claim
  std::vector<std::vector<Judgement>> by_setting;  ///< by setting and claim
};

/// `result` has a point for our values and a point for each setting. Its variants are the cases of claim_cases.
SensitivityVerdicts judge_sensitivity(const ComparisonResult& result);

OtherResult sensitivity_report(const SensitivityVerdicts& verdicts, std::uint32_t repetitions, std::uint64_t seed);

}  // namespace dmm
