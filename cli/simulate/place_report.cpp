#include "cli/simulate/place_report.hpp"

#include <algorithm>
#include <initializer_list>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "cli/simulate/place_explanation.hpp"

namespace dmm {
namespace {

/// One cluster's line. Counts are of processors.
struct Row {
  const ClusterView& cluster;
  std::uint32_t usable;
  std::uint32_t taken = 0;              // whole nodes: may exceed what the components asked for
  std::vector<PlacedComponent> placed;  // by index
};

std::vector<Row> rows_of(const PlaceReport& report) {
  std::vector<Row> rows;
  for (const auto& cluster : report.clusters) rows.push_back({cluster, usable_processors(cluster), 0, {}});
  if (!report.placement) return rows;
  for (const auto& placed : *report.placement) {
    Row& row = rows[placed.cluster];
    const std::uint32_t per_node = row.cluster.processors_per_node;
    row.taken += (placed.processors + per_node - 1) / per_node * per_node;
    row.placed.push_back(placed);
  }
  return rows;
}

std::size_t clusters_used(const std::vector<Row>& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.placed.empty(); }));
}

/// A kind of processors in a bar.
struct Segment {
  std::string_view glyph;
  std::string_view meaning;
  std::uint32_t (*length)(const Row&);
};

constexpr Segment segments[] = {
    {"█", "placed", [](const Row& row) { return row.taken; }},
    {"░", "idle", [](const Row& row) { return row.usable - row.taken; }},
    {"·", "idle, but not usable (quota, whole nodes)",
     [](const Row& row) { return row.cluster.idle_processors - row.usable; }},
    {"▒", "in use", [](const Row& row) { return row.cluster.total_processors - row.cluster.idle_processors; }},
};

/// The common scale of all bars: at most 40 cells, and at most one cell for each processor.
struct Scale {
  std::uint64_t processors_max = 1;
  std::uint64_t cells_max = 40;

  std::uint64_t cell_of(std::uint64_t processors) const {
    if (processors_max <= cells_max) return processors;
    return (processors * cells_max + processors_max / 2) / processors_max;
  }
};

std::string bar(const Row& row, const Scale& scale) {
  std::string text;
  std::uint64_t cells = 0;
  std::uint64_t end = 0;
  // Each segment ends where the running sum says, so that rounding never changes the length of the whole bar.
  for (const auto& segment : segments)
    for (end += segment.length(row); cells < scale.cell_of(end); ++cells) text += segment.glyph;
  for (; cells < scale.cell_of(scale.processors_max); ++cells) text += ' ';
  return text;
}

/// "#1 8, #3 4": components with their numbers of processors.
std::string components_text(const Row& row) {
  std::string text;
  for (const auto& placed : row.placed) {
    if (!text.empty()) text += ", ";
    text += '#' + std::to_string(placed.component + 1) + ' ' + std::to_string(placed.processors);
  }
  return text;
}

std::string legend(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& segment : segments) {
    const auto occurs = [&segment](const Row& row) { return segment.length(row) > 0; };
    if (std::none_of(rows.begin(), rows.end(), occurs)) continue;
    if (!text.empty()) text += "   ";
    text.append(segment.glyph).append(" ").append(segment.meaning);
  }
  return text;
}

nlohmann::ordered_json components_json(const PlaceReport& report, const std::optional<Placement>& placement) {
  auto components = nlohmann::ordered_json::array();
  if (!placement) return components;
  for (const auto& placed : *placement)
    components.push_back({{"component", placed.component},
                          {"cluster", report.clusters[placed.cluster].name.text},
                          {"processors", placed.processors}});
  return components;
}

template <class Text>
void print_line(std::string_view name, std::initializer_list<Text> columns, std::string tail, std::ostream& out) {
  tail.erase(tail.find_last_not_of(' ') + 1);
  out << std::left << std::setw(10) << name << std::right;
  for (const auto& column : columns) out << std::setw(8) << column;
  out << (tail.empty() ? "" : "  ") << tail << '\n';
}

}  // namespace

void print_text(const PlaceReport& report, std::ostream& out) {
  const auto rows = rows_of(report);
  Scale scale;
  for (const auto& row : rows)
    scale.processors_max = std::max<std::uint64_t>(scale.processors_max, row.cluster.total_processors);
  print_line("cluster", {"idle", "usable", "placed", "left"}, {}, out);
  for (const auto& row : rows)
    print_line(row.cluster.name.text, {row.cluster.idle_processors, row.usable, row.taken, row.usable - row.taken},
               bar(row, scale) + "  " + components_text(row), out);
  if (const auto text = legend(rows); !text.empty()) out << '\n' << text << '\n';
  if (!report.placement) {
    out << "not placeable by " << report.policy << ": " << report.why_not << '\n';
    return;
  }
  const std::size_t used = clusters_used(rows);
  out << "placed on " << used << (used == 1 ? " cluster" : " clusters") << " by " << report.policy << '\n';
}

void print_json(const PlaceReport& report, std::ostream& out) {
  const auto rows = rows_of(report);
  nlohmann::ordered_json object;
  object["policy"] = report.policy;
  object["placed"] = report.placement.has_value();
  object["clusters_used"] = clusters_used(rows);
  object["reason"] = report.placement ? nlohmann::ordered_json() : nlohmann::ordered_json(report.why_not);
  object["components"] = components_json(report, report.placement);
  auto& clusters = object["clusters"] = nlohmann::ordered_json::array();
  for (const auto& row : rows)
    clusters.push_back({{"cluster", row.cluster.name.text},
                        {"total_processors", row.cluster.total_processors},
                        {"idle_processors", row.cluster.idle_processors},
                        {"usable_processors", row.usable},
                        {"placed_processors", row.taken},
                        {"left_processors", row.usable - row.taken}});
  if (report.links) object["links"] = links_json(*report.links, report.clusters);
  for (const PlacementAlternative& one : report.alternatives)
    object["alternatives"].push_back(
        {{"policy", one.policy},
         {"rule", rule_of(one.policy)},
         {"placed", one.placement.has_value()},
         {"reason", one.placement ? nlohmann::ordered_json() : nlohmann::ordered_json(one.why_not)},
         {"components", components_json(report, one.placement)}});
  out << object.dump(2) << '\n';
}

}  // namespace dmm
