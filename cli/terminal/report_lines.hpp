// What the reports of `dmm run` and `dmm simulate` have in common: facts in two columns, and the figures of a
// summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// Lines for people, being put together.
class ReportLines {
 public:
  static constexpr std::size_t label_columns = 22;

  explicit ReportLines(const Style& style) : style_(style) {}

  void add(std::string line) { lines_.push_back(std::move(line)); }
  /// A sentence, in as many lines as it takes.
  void say(const std::string& sentence);
  void gap() { lines_.emplace_back(); }
  /// "label    value   note"; a note that doesn't fit stands below.
  void fact(const std::string& label, const std::string& value, const std::string& note = {});
  std::vector<std::string> take() { return std::move(lines_); }
  const Style& style() const { return style_; }

 private:
  const Style& style_;
  std::vector<std::string> lines_;
};

/// Few processor-hours need a digit behind the point; `of` is what they are shown beside.
std::string hours_text(double processor_seconds, double of);
double fraction(double part, double whole);

/// Submitted and finished, and what became of the others. `expected` jobs were to be submitted.
void add_job_counts(ReportLines& lines, const Summary& figures, std::uint64_t expected);
/// In all, and a bar for each origin where there can be several.
void add_goodput(ReportLines& lines, const Summary& figures, bool by_origin = true);

/// What every run has: jobs, waits, use, goodput and its split by origin, delegations.
void add_figures(nlohmann::ordered_json& json, const Summary& figures);

}  // namespace dmm
