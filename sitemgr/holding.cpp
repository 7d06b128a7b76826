// The steps of holding.hpp.
#include "sitemgr/holding.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/leasing.hpp"

namespace dmm::site_steps {

SiteName aim_of(const Delegate& asked) {
  const ResourceNeed& need = asked.request.need;
  if (asked.part == 0 || need.kind != RequestKind::fixed || need.components.empty()) return {};
  const SiteName& site = need.components.front().site;
  const bool is_one =
      std::ranges::all_of(need.components, [&](const Component& component) { return component.site == site; });
  return is_one ? site : SiteName();
}

Precedence precedence_of(const Foreign& foreign) { return {foreign.since(), foreign.delegate.request.id}; }

std::size_t enough_of(const SiteParts& parts, const ResourceNeed& need, std::span<const LeaseId> leases) {
  std::vector<ClusterView> views = parts.owned.views(need.constraints);
  for (std::size_t count = 1; count <= leases.size(); ++count) {
    for (const NodeGroup& group : parts.leases.get(leases[count - 1]).nodes)
      if (const auto cluster = parts.owned.find_cluster(group.cluster))
        views[*cluster].idle_processors += processors_of(group);
    if (parts.placer.place(need, views)) return count;
  }
  return 0;
}

bool outrank(SiteStep& s, const ResourceNeed& need, const Precedence& one, std::size_t hops, Duration round_trip) {
  std::vector<LeaseId> held = s.parts.holds.younger_than(one);
  std::erase_if(held, [&](const LeaseId& id) {
    const HopLease* lease = s.parts.leases.find(id);
    return !lease || lease->nodes.empty();
  });
  held.resize(enough_of(s.parts, need, held));
  if (held.empty()) return false;
  const Duration cycles = s.parts.settings.matchmaking_cycle + s.parts.settings.delegation_cycle;
  s.parts.holds.turned_away(s.now, one,
                            Holds::first_kept + cycles * static_cast<std::int64_t>(2 * hops) + round_trip * 2);
  for (const LeaseId& id : held) {
    HopLease& lease = *s.parts.leases.find(id);
    s.effects.log(Level::info, "outranked", lease.request, {{"lease", to_text(id)}, {"by", to_text(one.request)}});
    s.parts.holds.drop(id);
    tell_ended(s, lease, lease.nodes, LeaseEnd::outranked, false);
    clean(s, lease, {}, LeaseEnd::outranked, false);
  }
  return true;
}

std::map<ClusterName, std::uint32_t> held_by_cluster(SiteParts& parts) {
  std::map<ClusterName, std::uint32_t> held;
  parts.holds.each([&](const LeaseId& id) {
    if (const HopLease* lease = parts.leases.find(id))
      for (const NodeGroup& group : lease->nodes) held[group.cluster] += processors_of(group);
  });
  return held;
}

void acknowledge(SiteStep& s, const HopLease& lease) {
  if (lease.part == 0 || lease.upstream) return;
  DMM_ASSERT(lease.downstream);
  s.parts.holds.claimed(lease.id);
  send(s, *lease.downstream, Claimed{lease.id, lease.request}, lease.request);
}

void on(SiteStep& s, FromSite from, const Claimed& claimed) {
  const HopLease* lease = s.parts.leases.find(claimed.lease);
  if (!lease || lease->upstream != from.neighbour) return s.parts.ignore("unknown_lease");
  if (lease->downstream) return send(s, *lease->downstream, claimed, claimed.request);
  if (lease->state == LeaseState::offered) return s.parts.ignore("not_claimed");
  part_claimed(s, claimed.lease);
}

}  // namespace dmm::site_steps
