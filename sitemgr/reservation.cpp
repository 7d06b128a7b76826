// Choosing victims, and holding what they free; see reservation.hpp.
#include "sitemgr/reservation.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "matchmaking/victims.hpp"

namespace dmm {

void Reservation::keep_from(std::vector<ClusterView>& clusters, const RequestId& request) const {
  if (!held_ || held_->request == request) return;
  DMM_ASSERT(held_->processors.size() <= clusters.size());
  for (std::size_t i = 0; i < clusters.size() && i < held_->processors.size(); ++i)
    clusters[i].idle_processors -= std::min(clusters[i].idle_processors, held_->processors[i]);
}

void Reservation::keep_from_all(std::vector<std::uint32_t>& processors) const {
  if (!held_) return;
  DMM_ASSERT(held_->processors.size() <= processors.size());
  for (std::size_t i = 0; i < processors.size() && i < held_->processors.size(); ++i)
    processors[i] -= std::min(processors[i], held_->processors[i]);
}

bool Reservation::is_over(Instant now, const RequestQueue& queue) const {
  return held_ && (now >= held_->until || !queue.find(held_->request));
}

Instant Reservation::due(const LocalRequest* head, bool may, const SiteSettings& settings) const {
  DMM_ASSERT(!head || head->kind->servable);
  if (settings.reclaim_after == Duration{} || held_ || !may || !head || head->reclaimed) return never;
  return std::max(head->since + settings.reclaim_after, tried_ + settings.term);
}

std::optional<Reservation::Victims> Reservation::choose(Instant now, const ResourceNeed& need,
                                                        const LeaseBook& leases, const OwnedNodes& owned,
                                                        const Placer& placer) {
  DMM_ASSERT(!held_);
  tried_ = now;
  const std::vector<ClusterView> clusters = owned.views(need.constraints);
  std::vector<LeaseId> ids;
  std::vector<VictimView> victims;
  for (const LeaseId& id : leases.all()) {  // rare
    const HopLease& lease = leases.get(id);
    if (lease.upstream || !lease.downstream || lease.nodes.empty() || now < lease.protected_until) continue;
    VictimView victim{std::vector<std::uint32_t>(clusters.size(), 0), 0};
    for (const NodeGroup& group : lease.nodes) {
      const NodeOffer* offer = owned.find_offer(group.resource_manager);
      const auto cluster = owned.find_cluster(group.cluster);
      if (offer && cluster && meets(offer->properties, need.constraints))
        victim.freed[*cluster] += processors_of(group);
    }
    victim.cost = std::uint64_t{processors_of(lease.nodes)} *
                  static_cast<std::uint64_t>((now - lease.granted).microseconds / 1'000'000 + 1);
    ids.push_back(id);
    victims.push_back(std::move(victim));
  }
  const auto chosen = choose_victims(need, clusters, victims, placer.policy_for(need));
  if (!chosen || chosen->leases.empty()) return std::nullopt;
  Victims result{{}, std::vector<std::uint32_t>(clusters.size(), 0)};
  DMM_ASSERT(ids.size() == victims.size() && chosen->leases.size() <= ids.size());
  for (const std::size_t index : chosen->leases) {
    DMM_ASSERT(index < ids.size());
    result.leases.push_back(ids[index]);
  }
  for (const PlacedComponent& placed : chosen->placement) {
    DMM_ASSERT(placed.cluster < result.processors.size() && placed.processors > 0);
    result.processors[placed.cluster] += placed.processors;
  }
  return result;
}

}  // namespace dmm
