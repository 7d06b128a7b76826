// The results of a comparison for people, for programs and as figures. Each value is a mean over the repetitions, with
// half the width of its 95 % confidence interval (Student's t). Pure: results in, text out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/experiments/comparison.hpp"
#include "cli/terminal/style.hpp"
#include "workloads/statistics.hpp"

namespace dmm {

/// A table: for each point a row for each variant. The columns are the comparison's metrics.
std::string comparison_table(const Comparison& comparison, const ComparisonResult& result, const Style& style);
/// One object with all metrics, and the values of each repetition.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const ComparisonResult& result);
/// A row for each point and variant: mean and half width of all metrics.
std::string comparison_csv(const Comparison& comparison, const ComparisonResult& result);
/// A row for each run.
std::string runs_csv(const Comparison& comparison, const ComparisonResult& result);
/// A panel for each metric, a line for each variant. Error bars are the confidence intervals.
std::string comparison_figure(const Comparison& comparison, const ComparisonResult& result);
/// A bar for each point: the messages of the first variant by kind, as shares.
std::string message_figure(const Comparison& comparison, const ComparisonResult& result);
/// A bar for each point: the goodput of the first variant by the owner of the processors, as shares.
std::string goodput_figure(const Comparison& comparison, const ComparisonResult& result);

/// Writes NAME.csv, NAME-runs.csv, NAME.json, NAME.txt and NAME.svg, and NAME-messages.svg and NAME-goodput.svg if the
/// comparison wants them. Returns what went wrong; empty if nothing did.
std::string write_comparison(const std::string& folder, const Comparison& comparison,
                             const ComparisonResult& result);

}  // namespace dmm
