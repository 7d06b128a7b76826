// The steps of preempting.hpp.
#include "sitemgr/preempting.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/orders.hpp"

namespace dmm::site_steps {
namespace {

/// Of leases that a Delegate names.
constexpr std::size_t given_up_max = 64;

bool is_low(const HopLease& lease) {
  return !lease.downstream && lease.state == LeaseState::active && !lease.handed_out.empty() &&
         !lease.nodes.empty() && lease.priority <= 0;
}

/// Ends as many of these leases, in their order, as the need lacks. False: none ended, since it lacks nothing, or
/// since all are too few.
bool end_for(SiteStep& s, const ResourceNeed& need, std::vector<LeaseId> leases, Duration grace,
             const Precedence& one, Duration kept) {
  if (s.parts.placer.place(need, s.parts.owned.views(need.constraints))) return false;
  leases.resize(enough_of(s.parts, need, leases));
  if (leases.empty()) return false;
  s.parts.holds.turned_away(s.now, one, kept);
  for (const LeaseId& id : leases) reclaim(s, *s.parts.leases.find(id), grace, LeaseEnd::preempted);
  return true;
}

}  // namespace

std::vector<LeaseId> may_end(const SiteParts& parts, Instant now, const LocalRequest& request) {
  if (!parts.settings.preempt || request.request.priority <= 0) return {};
  if (!parts.co_allocator.may_preempt(now, request.request.id)) return {};
  std::vector<LeaseId> leases;
  for (const LeaseId& id : parts.leases.all())
    if (is_low(parts.leases.get(id))) leases.push_back(id);
  const auto granted = [&](const LeaseId& id) { return parts.leases.get(id).granted; };
  std::ranges::stable_sort(leases, std::greater{}, granted);
  if (leases.size() > given_up_max) leases.resize(given_up_max);
  return leases;
}

void add_given_up(const SiteParts& parts, const LeaseId& lease, CoMap& map) {
  for (const NodeGroup& group : parts.leases.get(lease).nodes)
    for (std::size_t i = 0; i < map.views.size(); ++i)
      if (ClusterView& view = map.views[i];
          view.site == lease.owner && view.name == group.cluster && !map.is_barred(i)) {
        view.idle_processors = std::min(view.idle_processors + processors_of(group), view.total_processors);
        break;  // of several kinds of nodes, any may have them
      }
}

bool give_up(SiteStep& s, const LocalRequest& request, const std::vector<LeaseId>& given_up,
             std::vector<CoPart>& parts) {
  bool has_ended = false;
  for (CoPart& part : parts) {
    const auto is_at_part = [&](const NodeGroup& group) {
      return std::ranges::any_of(part.need.components,
                                 [&](const Component& one) { return one.cluster == group.cluster; });
    };
    for (const LeaseId& id : given_up)
      if (const HopLease& lease = s.parts.leases.get(id);
          id.owner == part.site && std::ranges::any_of(lease.nodes, is_at_part)) {
        part.gives_up.push_back(id);
        s.parts.co_allocator.preempts(s.now, request.request.id);
        s.parts.co_allocator.take_standing(request.request.id, lease.waits_since);
      }
    const bool is_own = !part.neighbour && part.lease.empty();
    if (is_own)
      has_ended |= end_for(s, part.need, part.gives_up, s.parts.settings.preempt_grace,
                           precedence_of(s.parts, request), Holds::first_kept + s.parts.settings.preempt_grace);
  }
  return has_ended;
}

bool end_given_up(SiteStep& s, const Foreign& foreign, const Precedence& one) {
  const Delegate& asked = foreign.delegate;
  std::vector<LeaseId> leases;
  for (const LeaseId& id : asked.gives_up) {
    const HopLease* lease = s.parts.leases.find(id);
    const bool is_its = lease && !lease->upstream && lease->downstream == foreign.from && !lease->nodes.empty() &&
                        lease->chain.back() == asked.request.id.site;
    if (is_its && leases.size() < given_up_max && std::ranges::find(leases, id) == leases.end())
      leases.push_back(id);
  }
  const Duration grace = std::clamp(asked.gives_up_grace, Duration{}, s.parts.settings.reclaim_grace);
  return end_for(s, foreign.need(), std::move(leases), grace, one,
                 Holds::first_kept + grace + asked.round_trip * 2);
}

}  // namespace dmm::site_steps
