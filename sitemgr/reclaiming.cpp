// Taking lent nodes back for a local request that has waited for long: those with which it starts, or none
// (matchmaking/victims.hpp). Until they are there they are kept together for it.
#include <algorithm>

#include "matchmaking/victims.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// What is gathered is given up if it hasn't come so long after the last grace: somebody can't be reached.
constexpr Duration beyond_grace = seconds(60);

}  // namespace

void SiteManager::update_gathering(Instant now) {
  if (!gathering_) return;
  if (now < gathering_->until && queue_.find(gathering_->request)) return;
  set_gathering(std::nullopt);
}

void SiteManager::set_gathering(std::optional<Gathering> gathering) {
  gathering_ = std::move(gathering);
  lendable_of_ = {UINT64_MAX, UINT64_MAX};
  freed_seen_ = 0;  // others may use what gathered, or may not
  hints_dirty_ = true;
}

/// When lent nodes may be taken back for the first that waits; not more often than once a term.
Instant SiteManager::reclaim_due() const {
  if (settings_.reclaim_after == Duration{} || gathering_ || drained_here() || borrowers_.processors() == 0)
    return never;
  const LocalRequest* head = queue_.head();
  if (!head || head->reclaimed) return never;
  return std::max(head->since + settings_.reclaim_after, reclaim_tried_ + settings_.term);
}

void SiteManager::reclaim_for_local(Step& s) {
  if (s.now < reclaim_due()) return;
  LocalRequest* head = queue_.head();
  reclaim_tried_ = s.now;
  const ResourceNeed& need = head->kind->need;
  std::vector<LeaseId> ids;
  std::vector<VictimView> victims;
  Duration longest;
  for (const LeaseId& id : leases_.all()) {  // rare
    const Lease& lease = leases_.get(id);
    if (lease.upstream || !lease.downstream || lease.nodes.empty() || s.now < lease.protected_until) continue;
    VictimView victim{std::vector<std::uint32_t>(settings_.clusters.size(), 0), 0};
    for (const NodeGroup& group : lease.nodes) {
      const NodeOffer* offer = owned_.find_offer(group.resource_manager);
      const auto cluster = owned_.find_cluster(group.cluster);
      if (offer && cluster && meets(offer->properties, need.constraints))
        victim.freed[*cluster] += processors_of(group);
    }
    victim.cost = std::uint64_t{processors_of(lease.nodes)} *
                  static_cast<std::uint64_t>((s.now - lease.granted).microseconds / 1'000'000 + 1);
    ids.push_back(id);
    victims.push_back(std::move(victim));
  }
  const auto chosen = choose_victims(need, owned_.views(need.constraints), victims, placer_.policy_for(need));
  if (!chosen || chosen->leases.empty()) return;
  head->reclaimed = true;
  Gathering gathering{head->request.id, std::vector<std::uint32_t>(settings_.clusters.size(), 0), {}};
  for (const PlacedComponent& placed : chosen->placement) gathering.processors[placed.cluster] += placed.processors;
  for (const std::size_t index : chosen->leases) {
    Lease& lease = *leases_.find(ids[index]);
    longest = std::max(longest, lease.grace == end_of_job ? settings_.gather_max : lease.grace);
    take_back(s, lease, lease.grace, LeaseEnd::reclaimed);
  }
  gathering.until = s.now + longest + beyond_grace;
  set_gathering(std::move(gathering));
}

}  // namespace dmm
