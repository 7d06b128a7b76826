// Many simulations side by side: at each point (a load, a threshold) each variant (an architecture, a setting) is
// simulated several times, with different seeds. The runs are independent and share the processors of this machine.
// Their results don't depend on the number of threads.
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
#include "protocol/or_fault.hpp"

namespace dmm {

struct ComparisonPoint {
  std::string label;  ///< "70 %"
  double x = 0;
};

/// An experiment's text, JSON and files (name and content), where they aren't the table of a comparison.
struct OtherResult {
  std::string text;
  std::string json;
  std::vector<std::pair<std::string, std::string>> files;
};

struct ComparisonResult;

/// What to compare.
struct Comparison {
  std::string name;         ///< of files: "figure7"
  std::string title;        ///< for people
  std::string x_label;      ///< of the axis
  std::string point_label;  ///< of a column: "load"
  std::vector<ComparisonPoint> points;
  std::vector<std::string> variants;
  std::string variant_label = "architecture";
  std::vector<std::string_view> metrics;  ///< their names; they are the table's columns and the figure's panels
  bool message_bars = false;              ///< also a figure of the messages by kind, for the first variant
  bool goodput_bars = false;              ///< also a figure of the goodput by origin, for the first variant
  std::uint32_t repetitions = 1;
  std::uint64_t seed = 1;  ///< of the first repetition; the next one has the next seed
  /// The simulation of a variant at a point. The caller sets the seed.
  std::function<SimulationChoice(std::size_t point, std::size_t variant)> choice;
  /// If set, nothing is simulated: the runs are those of this variant in the previous comparison of the experiment.
  std::optional<std::size_t> variant_ahead = {};
  /// Whether a variant's runs at this point equal those at the first point, because the variant doesn't depend on what
  /// differs. They aren't repeated then.
  std::function<bool(std::size_t point, std::size_t variant)> as_at_first = {};
  /// Whether the seed changes nothing that matters to a variant. Its first repetition then stands for all.
  std::function<bool(std::size_t variant)> without_chance = {};
  /// Makes the result from the runs, in place of a table, a figure and files.
  std::function<OtherResult(const ComparisonResult&)> digest = {};
};

/// The results of a comparison.
struct ComparisonResult {
  /// By point, variant and repetition.
  std::vector<std::vector<std::vector<RunFigures>>> runs;

  std::vector<double> samples(std::size_t point, std::size_t variant, const Metric& metric) const;
  /// The runs of one variant alone.
  ComparisonResult of_variant(std::size_t variant) const;
};

struct ComparisonProgress {
  std::uint64_t runs = 0;  ///< number of runs in all
  std::uint64_t done = 0;
  double elapsed_seconds = 0;  ///< real time
};

/// Runs the comparison on this number of threads. This thread calls `watch` a few times a second; if `watch` returns
/// false, everything stops and there is no result. The first fault also ends the comparison.
OrFault<ComparisonResult, CommandFault> run_comparison(
    const Comparison& comparison, std::uint32_t threads,
    const std::function<bool(const ComparisonProgress&)>& watch);

/// The exit code of run_comparison when `watch` stopped it.
inline constexpr int exit_code_of_stopped = 130;

}  // namespace dmm
