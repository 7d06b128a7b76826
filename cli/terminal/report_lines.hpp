// What the reports of `dmm run` and `dmm simulate` share: facts in two columns, and the figures of a summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// Collects lines for people.
class ReportLines {
 public:
  static constexpr std::size_t label_columns = 22;

  explicit ReportLines(const Style& style) : style_(style) {}

  void add(std::string line) { lines_.push_back(std::move(line)); }
  /// Adds a sentence, in as many lines as it takes.
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

/// Processor-hours as text, with a digit after the point if `of`, the total, is small.
std::string hours_text(double processor_seconds, double of);
double fraction(double part, double whole);

/// Adds the numbers of jobs: submitted, finished, and the others by outcome. `expected` jobs were to be submitted.
void add_job_counts(ReportLines& lines, const Summary& figures, std::uint64_t expected);
/// Adds the goodput in all, with a bar for each origin if there can be several.
void add_goodput(ReportLines& lines, const Summary& figures, bool by_origin = true);

/// Adds what every run has: jobs, waits, use, goodput and its split by origin, delegations.
void add_figures(nlohmann::ordered_json& json, const Summary& figures);

}  // namespace dmm
