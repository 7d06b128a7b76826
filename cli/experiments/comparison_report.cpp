#include "cli/experiments/comparison_report.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/simulate/simulation_settings.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"
#include "simulator/results/result_file.hpp"
#include "simulator/results/stacked_bars.hpp"

namespace dmm {
namespace {

Estimate estimate_at(const ComparisonResult& result, std::size_t point, std::size_t variant,
                     const Metric& metric) {
  return estimate_of(result.samples(point, variant, metric));
}

std::string cell_text(const Estimate& estimate, const Metric& metric, const Style& style) {
  std::string text = decimal(estimate.mean, metric.digits);
  if (estimate.samples > 1)
    text += style.paint(Ink::dim,
                        std::string(style.pick(" ± ", " +- ")) + decimal(estimate.half_width, metric.digits));
  return text;
}

std::string heading(const Metric& metric) {
  std::string text(metric.title);
  if (!metric.unit.empty()) text.append(" [").append(metric.unit).append("]");
  return text;
}

/// The settings that daemons would not have; none for a system that can't be simulated.
std::vector<Replacement> replaced_at(const Comparison& comparison, std::size_t point, std::size_t variant) {
  auto replaced = replaced_in(comparison.choice(point, variant));
  if (auto* all = std::get_if<std::vector<Replacement>>(&replaced)) return std::move(*all);
  return {};
}

/// "replaced at dmm: term_seconds 3000 instead of 30 (--coarse)": a line for all variants with this replacement at
/// every point. A value that differs between points is what the comparison varies, and is in the table.
std::vector<std::string> replaced_lines(const Comparison& comparison) {
  std::map<std::string, std::string> variants;  // by the text of the replacement
  for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
    std::map<std::string, std::size_t> points;
    for (std::size_t point = 0; point < comparison.points.size(); ++point)
      for (const Replacement& one : replaced_at(comparison, point, variant)) ++points[to_text(one, one.sites)];
    for (const auto& [what, count] : points)
      if (count == comparison.points.size())
        variants[what] += (variants[what].empty() ? "" : ", ") + comparison.variants[variant];
  }
  std::vector<std::string> lines;
  for (const auto& [what, names] : variants) lines.push_back("replaced at " + names + ": " + what);
  return lines;
}

/// A text as a cell of a CSV file.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string note_of(const Comparison& comparison) {
  return count_text(comparison.repetitions, "repetition") + " from seed " + std::to_string(comparison.seed) +
         (comparison.repetitions > 1 ? "; bars are 95 % confidence intervals of the mean" : "");
}

LineChart empty_chart(const ComparisonResult& result, const Metric& metric) {
  LineChart chart;
  chart.title = metric.title;
  chart.y = {metric.unit.empty() ? std::string(metric.title) : heading(metric), metric.axis, {}, {}, {}};
  if (metric.axis != AxisKind::linear) return chart;
  chart.y.low = 0;
  double high = 0;
  for (std::size_t point = 0; point < result.runs.size(); ++point)
    for (std::size_t variant = 0; variant < result.runs[point].size(); ++variant)
      high = std::max(high, estimate_at(result, point, variant, metric).mean);
  if (metric.unit == "%" && high > 50 && high <= 100) chart.y.high = 100;
  return chart;
}

/// A line for each variant.
LineChart chart_over_points(const Comparison& comparison, const ComparisonResult& result, const Metric& metric) {
  LineChart chart = empty_chart(result, metric);
  chart.x = {comparison.x_label, AxisKind::linear, {}, {}, {}};
  for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
    ChartSeries series{comparison.variants[variant], {}, {}};
    for (std::size_t point = 0; point < comparison.points.size(); ++point) {
      const Estimate estimate = estimate_at(result, point, variant, metric);
      series.points.push_back({comparison.points[point].x, estimate.mean, estimate.half_width});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// For a comparison of one point: the variants side by side.
LineChart chart_over_variants(const Comparison& comparison, const ComparisonResult& result, const Metric& metric) {
  LineChart chart = empty_chart(result, metric);
  chart.x = {
      comparison.variant_label, AxisKind::linear, -0.5, static_cast<double>(comparison.variants.size()) - 0.5, {}};
  for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
    const auto at = static_cast<double>(variant);
    const Estimate estimate = estimate_at(result, 0, variant, metric);
    chart.x.marks.push_back({at, comparison.variants[variant]});
    chart.series.push_back({comparison.variants[variant], {{at, estimate.mean, estimate.half_width}}, {}});
  }
  return chart;
}

/// Means of the first variant; `amount` has no unit yet.
template <class Part>
StackedBars bars_over_points(const Comparison& comparison, const ComparisonResult& result, std::size_t parts,
                             const Part& part) {
  StackedBars chart;
  chart.title = comparison.title;
  chart.note = comparison.variants.front() + ", mean of " + count_text(comparison.repetitions, "repetition");
  for (std::size_t point = 0; point < comparison.points.size(); ++point) {
    StackedBar bar{comparison.points[point].label, std::vector<double>(parts), {}};
    double sum = 0;
    for (const RunFigures& run : result.runs[point].front())
      for (std::size_t i = 0; i < parts; ++i) {
        bar.parts[i] += part(run, i) / comparison.repetitions;
        sum += part(run, i) / comparison.repetitions;
      }
    bar.amount = decimal(sum, 0);
    chart.bars.push_back(std::move(bar));
  }
  return chart;
}

}  // namespace

std::string comparison_table(const Comparison& comparison, const ComparisonResult& result, const Style& style) {
  std::vector<Table::Column> columns{{comparison.point_label}, {comparison.variant_label}};
  for (const std::string_view name : comparison.metrics)
    columns.push_back({std::string(find_metric(name)->column), true});
  Table table(std::move(columns));
  for (std::size_t point = 0; point < comparison.points.size(); ++point)
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
      std::vector<std::string> row{variant == 0 ? comparison.points[point].label : "",
                                   comparison.variants[variant]};
      for (const std::string_view name : comparison.metrics) {
        const Metric& metric = *find_metric(name);
        row.push_back(cell_text(estimate_at(result, point, variant, metric), metric, style));
      }
      table.add(std::move(row));
    }
  std::string replaced;
  for (const std::string& line : replaced_lines(comparison)) replaced += style.paint(Ink::dim, line) + "\n";
  return style.paint(Ink::bold, comparison.title) + "\n" +
         (comparison.repetitions > 1
              ? count_text(comparison.repetitions, "repetition") + " from seed " +
                    std::to_string(comparison.seed) + "; mean" + std::string(style.pick(" ± ", " +- ")) +
                    "half of the 95 % confidence interval\n"
              : "") +
         "\n" + table.text(style) + (replaced.empty() ? "" : "\n") + replaced;
}

nlohmann::ordered_json comparison_json(const Comparison& comparison, const ComparisonResult& result) {
  auto points = nlohmann::ordered_json::array();
  for (std::size_t point = 0; point < comparison.points.size(); ++point) {
    auto variants = nlohmann::ordered_json::array();
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
      nlohmann::ordered_json values;
      for (const Metric& metric : metrics()) {
        const Estimate estimate = estimate_at(result, point, variant, metric);
        values[std::string(metric.name)] = {{"mean", estimate.mean},
                                            {"half_width_95", estimate.half_width},
                                            {"values", result.samples(point, variant, metric)}};
      }
      variants.push_back({{"name", comparison.variants[variant]},
                          {"metrics", std::move(values)},
                          {"replaced", to_json(replaced_at(comparison, point, variant))}});
    }
    points.push_back({{"label", comparison.points[point].label},
                      {"x", comparison.points[point].x},
                      {"variants", std::move(variants)}});
  }
  return {{"name", comparison.name},       {"title", comparison.title},
          {"x_label", comparison.x_label}, {"repetitions", comparison.repetitions},
          {"seed", comparison.seed},       {"points", std::move(points)}};
}

std::string comparison_csv(const Comparison& comparison, const ComparisonResult& result) {
  std::string text = "x,label,variant,repetitions";
  for (const Metric& metric : metrics())
    text.append(",").append(metric.name).append(",").append(metric.name).append("_half_width_95");
  text += '\n';
  for (std::size_t point = 0; point < comparison.points.size(); ++point)
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
      text += plain(comparison.points[point].x, 6) + ',' + quoted(comparison.points[point].label) + ',' +
              quoted(comparison.variants[variant]) + ',' + std::to_string(comparison.repetitions);
      for (const Metric& metric : metrics()) {
        const Estimate estimate = estimate_at(result, point, variant, metric);
        text += ',' + plain(estimate.mean, 6) + ',' + plain(estimate.half_width, 6);
      }
      text += '\n';
    }
  return text;
}

std::string runs_csv(const Comparison& comparison, const ComparisonResult& result) {
  std::string text = "x,label,variant,seed";
  for (const Metric& metric : metrics()) text.append(",").append(metric.name);
  text += '\n';
  for (std::size_t point = 0; point < comparison.points.size(); ++point)
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant)
      for (std::size_t repetition = 0; repetition < comparison.repetitions; ++repetition) {
        text += plain(comparison.points[point].x, 6) + ',' + quoted(comparison.points[point].label) + ',' +
                quoted(comparison.variants[variant]) + ',' + std::to_string(comparison.seed + repetition);
        for (const Metric& metric : metrics())
          text += ',' + plain(metric.of(result.runs[point][variant][repetition]), 6);
        text += '\n';
      }
  return text;
}

std::string comparison_figure(const Comparison& comparison, const ComparisonResult& result) {
  std::vector<LineChart> charts;
  for (const std::string_view name : comparison.metrics)
    charts.push_back(comparison.points.size() > 1 ? chart_over_points(comparison, result, *find_metric(name))
                                                  : chart_over_variants(comparison, result, *find_metric(name)));
  return chart_document(comparison.title, note_of(comparison), charts, 2);
}

std::string message_figure(const Comparison& comparison, const ComparisonResult& result) {
  StackedBars chart = bars_over_points(
      comparison, result, message_kinds,
      [](const RunFigures& run, std::size_t kind) { return static_cast<double>(run.messages[kind]); });
  chart.note += ", by kind";
  chart.axis_label = "share of all messages [%]";
  for (std::size_t kind = 0; kind < message_kinds; ++kind)
    chart.part_names.push_back(words_of(to_text(static_cast<MessageKind>(kind))));
  for (StackedBar& bar : chart.bars) bar.amount += " messages";
  return stacked_bars_document(chart);
}

std::string goodput_figure(const Comparison& comparison, const ComparisonResult& result) {
  StackedBars chart =
      bars_over_points(comparison, result, origin_count, [](const RunFigures& run, std::size_t origin) {
        return run.summary.goodput_processor_seconds_by_origin[origin] / 3600;
      });
  chart.note += ", by owner of the processors";
  chart.axis_label = "share of the goodput of finished jobs [%]";
  chart.part_names = {"local", "intra-site", "intra-grid", "inter-grid"};
  for (StackedBar& bar : chart.bars) bar.amount += " processor-hours";
  return stacked_bars_document(chart);
}

std::string write_comparison(const std::string& folder, const Comparison& comparison,
                             const ComparisonResult& result) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return "cannot make the folder " + folder + ": " + error.message();
  const std::string start = folder + "/" + comparison.name;
  std::vector<std::pair<std::string, std::string>> files = {
      {".csv", comparison_csv(comparison, result)},
      {"-runs.csv", runs_csv(comparison, result)},
      {".json", comparison_json(comparison, result).dump(2) + '\n'},
      {".txt", comparison_table(comparison, result, {.colour = false, .unicode = true})},
      {".svg", comparison_figure(comparison, result)}};
  if (comparison.message_bars) files.emplace_back("-messages.svg", message_figure(comparison, result));
  if (comparison.goodput_bars) files.emplace_back("-goodput.svg", goodput_figure(comparison, result));
  for (const auto& [end, text] : files)
    if (std::string fault = write_file(start + end, text); !fault.empty()) return fault;
  return {};
}

}  // namespace dmm
