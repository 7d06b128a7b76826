// Many simulations side by side: at each point (a load, a threshold) each variant (an architecture, a setting), so
// many times with other seeds. The runs are independent, and go over the processors of this machine; what comes
// out doesn't depend on how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/experiments/metrics.hpp"
#include "cli/simulate/simulation.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

struct ComparisonPoint {
  std::string label;  ///< "70 %"
  double x = 0;
};

/// An experiment's text, its JSON and its files (name and content), where it isn't the table of a comparison.
struct OtherResult {
  std::string text;
  std::string json;
  std::vector<std::pair<std::string, std::string>> files;
};

struct ComparisonResult;

/// What is to be compared.
struct Comparison {
  std::string name;         ///< of files: "figure7"
  std::string title;        ///< for people
  std::string x_label;      ///< of axes
  std::string point_label;  ///< of a column: "load"
  std::vector<ComparisonPoint> points;
  std::vector<std::string> variants;
  std::string variant_label = "architecture";
  std::vector<std::string_view> metrics;  ///< names; the columns of the table and the panels of the figure
  bool message_bars = false;              ///< also a figure of the messages by kind, of the first variant
  bool goodput_bars = false;              ///< also one of the goodput by origin, of the first variant
  std::uint32_t repetitions = 1;
  std::uint64_t seed = 1;  ///< of the first repetition; the others have the next ones
  /// What is simulated at a point under a variant. The seed is set by the caller.
  std::function<SimulationChoice(std::size_t point, std::size_t variant)> choice;
  /// Nothing is simulated: the runs are those of this variant of the comparison ahead of it in its experiment.
  std::optional<std::size_t> variant_ahead = {};
  /// Whether a variant's runs at a point are those at the first one, since what differs doesn't concern it: they
  /// aren't done again.
  std::function<bool(std::size_t point, std::size_t variant)> as_at_first = {};
  /// Whether the seed changes nothing that matters to a variant: its first repetition stands for all.
  std::function<bool(std::size_t variant)> without_chance = {};
  /// What is made of the runs, instead of a table, a figure and files.
  std::function<OtherResult(const ComparisonResult&)> digest = {};
};

/// What came of it.
struct ComparisonResult {
  /// By point, variant and repetition.
  std::vector<std::vector<std::vector<RunFigures>>> runs;

  std::vector<double> samples(std::size_t point, std::size_t variant, const Metric& metric) const;
  /// The runs of one variant alone.
  ComparisonResult of_variant(std::size_t variant) const;
};

struct ComparisonProgress {
  std::uint64_t runs = 0;  ///< in all
  std::uint64_t done = 0;
  double elapsed_seconds = 0;  ///< real
};

/// Runs it on so many threads. `watch` is called a few times a second from this thread, and stops everything by
/// returning false; then nothing came of it. The first fault ends it, too.
OrFault<ComparisonResult, CommandFault> run_comparison(
    const Comparison& comparison, std::uint32_t threads,
    const std::function<bool(const ComparisonProgress&)>& watch);

/// What run_comparison returns when `watch` stopped it.
inline constexpr int exit_code_of_stopped = 130;

}  // namespace dmm
