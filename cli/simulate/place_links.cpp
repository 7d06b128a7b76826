#include "cli/simulate/place_links.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/terminal/figures.hpp"
#include "matchmaking/link_demand.hpp"
#include "matchmaking/link_price.hpp"

namespace dmm {

double LinkUse::share() const { return asked + carried > capacity ? capacity / (asked + carried) : 1.0; }

std::vector<LinkUse> link_uses(const Placement& placement, const LinkFigures& figures) {
  const std::vector<ClusterProcessors> pieces = pieces_of(placement);
  std::uint32_t in_all = 0;
  for (const ClusterProcessors& piece : pieces) in_all += piece.processors;
  std::vector<LinkUse> uses;
  if (pieces.size() < 2) return uses;
  for (const auto& [cluster, processors] : pieces)
    uses.push_back({cluster, processors, in_all, link_demand(in_all, processors, figures.per_processor),
                    figures.capacity.at(cluster), figures.carried.empty() ? 0.0 : figures.carried.at(cluster)});
  return uses;
}

double share_of(std::span<const LinkUse> uses) {
  double share = 1.0;
  for (const LinkUse& use : uses) share = std::min(share, use.share());
  return share;
}

void print_links(std::span<const LinkUse> uses, std::span<const ClusterView> clusters, const LinkFigures& figures,
                 std::ostream& out) {
  if (uses.empty()) {
    out << "\nit is within one cluster, and asks nothing of the links between them\n";
    return;
  }
  out << '\n';
  for (const LinkUse& use : uses)
    out << "link of " << clusters[use.cluster].name.text.view() << ": (" << use.in_all << " - " << use.here
        << ") / (" << use.in_all << " - 1) x " << decimal(figures.per_processor, 2) << " x " << use.here << " = "
        << decimal(use.asked, 1) << " Mbit/s asked, " << decimal(use.carried, 1) << " carried, of "
        << decimal(use.capacity, 1) << ": it carries " << decimal(use.share(), 2) << " of that\n";
  out << "the job gets " << decimal(share_of(uses), 2) << " of the bandwidth that it asks for\n";
}

nlohmann::ordered_json links_json(std::span<const LinkUse> uses, std::span<const ClusterView> clusters) {
  auto links = nlohmann::ordered_json::array();
  for (const LinkUse& use : uses)
    links.push_back({{"cluster", clusters[use.cluster].name.text.view()},
                     {"processors", use.here},
                     {"asked_mbit_s", use.asked},
                     {"carried_mbit_s", use.carried},
                     {"capacity_mbit_s", use.capacity},
                     {"share", use.share()}});
  return links;
}

}  // namespace dmm
