// What came of a comparison, for people, for programs and as figures: every value a mean over the repetitions with
// the half width of its 95 % confidence interval (Student's t). Pure: results in, text out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/experiments/comparison.hpp"
#include "cli/terminal/style.hpp"
#include "workloads/statistics.hpp"

namespace dmm {

/// A table with a row a variant, for each point; the columns are the comparison's metrics.
std::string comparison_table(const Comparison& comparison, const ComparisonResult& result, const Style& style);
/// One object; all metrics, with the values of each repetition.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const ComparisonResult& result);
/// One row a point and variant: mean and half width of all metrics.
std::string comparison_csv(const Comparison& comparison, const ComparisonResult& result);
/// One row a run.
std::string runs_csv(const Comparison& comparison, const ComparisonResult& result);
/// A panel a metric, a line a variant; error bars are the confidence intervals.
std::string comparison_figure(const Comparison& comparison, const ComparisonResult& result);
/// A bar a point: the kinds of messages of the first variant, as shares.
std::string message_figure(const Comparison& comparison, const ComparisonResult& result);
/// A bar a point: on whose processors the jobs of the first variant ran, as shares of the goodput.
std::string goodput_figure(const Comparison& comparison, const ComparisonResult& result);

/// Writes NAME.csv, NAME-runs.csv, NAME.json, NAME.txt, NAME.svg, and NAME-messages.svg and NAME-goodput.svg where
/// the comparison wants them. What went wrong; empty if nothing did.
std::string write_comparison(const std::string& folder, const Comparison& comparison,
                             const ComparisonResult& result);

}  // namespace dmm
