#include "simulator/faults/shares_watch.hpp"

#include <algorithm>
#include <vector>

#include "protocol/text.hpp"

namespace dmm {
namespace {

constexpr Duration between_share_looks = seconds(5);

struct Use {
  SiteName site;
  Instant started{};
  double processors = 0;
};

/// The running programs in an owner's hosts.
std::vector<Use> uses_of(const World& world, const TopologySite& owner) {
  std::vector<Use> uses;
  for (const ResourceManagerSettings& one : resource_managers_of(owner)) {
    const auto cluster = std::ranges::find(owner.clusters, one.cluster, &TopologyCluster::name);
    for (const auto& program : world.performer(resource_manager_of(owner.name, one.name)).running())
      uses.push_back({program->id.request.site, program->started,
                      static_cast<double>(count(program->nodes)) * cluster->processors_per_node});
  }
  return uses;
}

double weight_of(const TopologySite& owner, const SiteName& borrower) {
  const auto& neighbours = owner.settings.neighbours;
  const auto found = std::ranges::find(neighbours, borrower, &NeighbourSettings::site);
  return found == neighbours.end() ? 0 : found->limits.weight;
}

}  // namespace

std::string SharesWatch::look(const World& world) {
  if (world.now() - looked_ < between_share_looks) return {};
  looked_ = world.now();
  for (std::size_t owner = 0; owner < world.topology().sites.size() && fault_.empty(); ++owner)
    if (!world.topology().sites[owner].clusters.empty()) look_at(world, owner);
  return fault_;
}

void SharesWatch::look_at(const World& world, std::size_t owner) {
  const TopologySite& site = world.topology().sites[owner];
  const std::vector<Use> uses = uses_of(world, site);
  const bool is_blocked =
      std::ranges::any_of(uses, [&](const Use& use) { return world.now() - use.started > longest; });
  for (std::size_t borrower = 0; borrower < world.topology().sites.size(); ++borrower) {
    const Key key{owner, borrower};
    const SiteName& name = world.topology().sites[borrower].name;
    if (borrower == owner || weight_of(site, name) == 0) continue;
    if (is_blocked || !wants_(world, owner, borrower)) {
      stays_.erase(key);
      continue;
    }
    Stay& stay = stays_.try_emplace(key, Stay{world.now(), {}}).first->second;
    if (stay.since < excused_at_) stay = {world.now(), {}};
    for (const Use& use : uses)
      if (use.started >= stay.since || use.site == name)
        stay.used[use.site] += use.processors * between_share_looks.in_seconds();
    if (world.now() - stay.since < window) continue;
    fault_ = fault_of(site, name, stay);
    if (!fault_.empty()) return;
    ++shares_;
    stays_.erase(key);
  }
}

/// An owner may also serve sites beyond its neighbours. Those count as part of a neighbour's share, and aren't
/// checked.
std::string SharesWatch::fault_of(const TopologySite& owner, const SiteName& borrower, const Stay& stay) const {
  const auto used = [&](const SiteName& site) {
    const auto found = stay.used.find(site);
    return found == stay.used.end() ? 0.0 : found->second / weight_of(owner, site);
  };
  for (const auto& [other, seconds_used] : stay.used) {
    if (other == borrower || weight_of(owner, other) == 0) continue;
    if (used(borrower) >= least_share * used(other)) continue;
    return std::string(borrower.text) + " got less than its share of " + std::string(owner.name.text) + ": " +
           std::to_string(used(borrower)) + " processor seconds by weight, where " + std::string(other.text) +
           " got " + std::to_string(used(other));
  }
  return {};
}

}  // namespace dmm
