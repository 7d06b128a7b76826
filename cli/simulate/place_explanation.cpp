#include "cli/simulate/place_explanation.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// The rule of each policy; the text follows the policy's name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> rules{{
    {"worst_fit", "puts the largest component first, and each on the cluster with most left: loads stay even"},
    {"cm", "fills the emptiest cluster before it looks at the next: a job spans few clusters"},
    {"fcm", "cuts a flexible request to the idle counts of the emptiest clusters, and places others as cm does"},
    {"best_fit", "puts each component on the fullest cluster that holds it: large gaps stay whole"},
    {"bfff", "cuts as fcm does, the last component to the fullest cluster that holds it; others as best_fit"},
    {"close_to_files", "puts each component where its input files are soonest, of equal clusters on the emptiest"},
}};

std::string text_of(const PlacementAlternative& alternative, const PlaceReport& report) {
  if (!alternative.placement) return "none: " + alternative.why_not;
  std::string text;
  for (const PlacedComponent& placed : *alternative.placement)
    text += (text.empty() ? "#" : ", #") + std::to_string(placed.component + 1) + ' ' +
            std::to_string(placed.processors) + " on " + report.clusters[placed.cluster].name.text;
  return text;
}

std::string count_of(const PlacementAlternative& alternative) {
  return alternative.placement ? std::to_string(clusters_of(*alternative.placement)) : "-";
}

}  // namespace

std::string_view rule_of(std::string_view policy) {
  const auto found = std::ranges::find(rules, policy, [](const auto& rule) { return rule.first; });
  DMM_ASSERT(found != rules.end());
  return found->second;
}

void print_alternatives(const PlaceReport& report, std::ostream& out) {
  out << '\n'
      << std::left << std::setw(16) << "policy" << std::right << std::setw(10) << "clusters"
      << "  placement\n";
  for (const PlacementAlternative& one : report.alternatives) {
    const std::string name = std::string(one.policy) + (one.policy == report.policy ? " *" : "");
    out << std::left << std::setw(16) << name << std::right << std::setw(10) << count_of(one) << "  "
        << text_of(one, report) << '\n';
  }
  out << '\n';
  for (const PlacementAlternative& one : report.alternatives)
    out << one.policy << ' ' << rule_of(one.policy) << '\n';
}

}  // namespace dmm
