// The steps of reconfiguring.hpp.
#include "sitemgr/reconfiguring.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/links.hpp"
#include "sitemgr/reclaiming.hpp"

namespace dmm::site_steps {
namespace {

WhyNot fault_of_change(const SiteSettings& now, const SiteSettings& wanted) {
  if (wanted.name != now.name) return "the site's name can't change while it runs";
  if (wanted.ancestors != now.ancestors) return "ancestors can't change while the site manager runs: restart it";
  for (std::size_t i = 0; i < now.clusters.size(); ++i)
    if (i >= wanted.clusters.size() || wanted.clusters[i].name != now.clusters[i].name)
      return "cluster " + now.clusters[i].name.text +
             " can't be taken out or moved while the site manager runs: restart it, or add clusters at the end";
  if (wanted.matchmaking_cycle != now.matchmaking_cycle || wanted.delegation_cycle != now.delegation_cycle)
    return "matchmaking_cycle_seconds and delegation_cycle_seconds can't change while the site manager runs: "
           "restart it";
  return {};
}

}  // namespace

static void add_neighbour(SiteParts& parts, Instant now, const NeighbourSettings& settings);
/// It will be neither asked nor heard any more: all leases over the link are over. What runs under them goes on
/// detached, as after a silence.
static void remove_neighbour(SiteStep& s, std::size_t n);

WhyNot reconfigure(SiteStep& s, const SiteSettings& settings) {
  if (std::string fault = fault_of_change(s.parts.settings, settings); !fault.empty()) return fault;
  for (std::size_t n = 0; n < s.parts.neighbours.size(); ++n)
    if (!s.parts.neighbours[n].removed && std::ranges::find(settings.neighbours, s.parts.neighbours[n].site,
                                                            &NeighbourSettings::site) == settings.neighbours.end())
      remove_neighbour(s, n);
  for (const NeighbourSettings& neighbour : settings.neighbours) add_neighbour(s.parts, s.now, neighbour);
  s.parts.settings = settings;
  const DispatchPolicy* const dispatch = find_dispatch(s.parts.settings.dispatching_policy);
  s.parts.placer = {find_placement(s.parts.settings.placement_policy),
                    find_placement(s.parts.settings.flexible_policy)};
  s.parts.targets.set_policy(find_targets(s.parts.settings.target_policy));
  DMM_ASSERT(dispatch && s.parts.placer.fixed && s.parts.placer.flexible);
  s.parts.matcher.set_policy(*dispatch);
  s.parts.queue.set_policies(*dispatch, *find_delegation(s.parts.settings.delegation_policy));
  s.parts.owned.configure(s.parts.settings.clusters);
  s.parts.leases.set_offer(s.parts.settings.offer);
  s.parts.transit.configure(s.parts.settings);
  s.parts.accounts.set_records_max(s.parts.settings.usage_records_max);
  drop_reservation(s.parts);
  // A request that had no neighbour to ask may have one now, and the other way round.
  const bool may_ask = s.parts.settings.delegate && s.parts.neighbours.configured() > 0;
  std::vector<LocalRequest*> moved;
  for (const auto& [arrival, request] : s.parts.queue.all()) {
    const bool stays = !may_ask || request->kind->dttl == 0;
    if (stays != (request->search == LocalRequest::Search::home)) moved.push_back(request.get());
  }
  for (LocalRequest* request : moved) {
    call_back(s, *request);
    const bool stays = !may_ask || request->kind->dttl == 0;
    s.parts.queue.set_search(*request, stays ? LocalRequest::Search::home : LocalRequest::Search::ready);
  }
  s.effects.log(Level::info, "reconfigured", {},
                {{"neighbours", static_cast<std::int64_t>(s.parts.neighbours.configured())}});
  return {};
}

void add_neighbour(SiteParts& parts, Instant now, const NeighbourSettings& settings) {
  const std::size_t before = parts.neighbours.size();
  const std::size_t n = parts.neighbours.add(settings);
  if (parts.neighbours.size() > before) {
    parts.feasibility.add_neighbours(parts.neighbours.size());
    parts.lending.add_neighbours(parts.neighbours.size());
    parts.leases.add_neighbours(parts.neighbours.size());
    parts.queue.add_neighbours(parts.neighbours.size());
    parts.targets.add_neighbours(parts.neighbours.size(), parts.settings.window_first);
    parts.hints.add_neighbours(parts.neighbours.size());
    parts.board.add_neighbours(parts.neighbours.size());
    parts.speeds.add_neighbours(parts.neighbours.size());
    parts.renewals.add_neighbours(parts.neighbours.size());
    parts.reconciliation.add_neighbours(parts.neighbours.size());
    parts.transit.add_neighbours(parts.neighbours.size());
  }
  parts.feasibility.set_gone(n, false);
  parts.lending.set_weight(now, n, settings.limits.weight);
}

void remove_neighbour(SiteStep& s, std::size_t n) {
  s.effects.log(Level::info, "neighbour_removed", {}, {{"site", s.parts.neighbours[n].site.text}});
  lose_questions(s, n);
  for (const auto* leases : {&s.parts.leases.up(n), &s.parts.leases.down(n)})
    for (const LeaseId& id : std::vector<LeaseId>(leases->begin(), leases->end())) {
      HopLease* lease = s.parts.leases.find(id);
      if (!lease || lease->nodes.empty()) continue;
      tell_ended(s, *lease, lease->nodes, LeaseEnd::link_removed, false, {});
      if (!lease->upstream)
        clean(s, *lease, {}, LeaseEnd::link_removed, true);
      else
        give_back(s, *lease, {}, true);
    }
  neighbour_down(s, n);
  s.parts.neighbours.remove(n);
  s.parts.feasibility.set_gone(n, true);
}

}  // namespace dmm::site_steps
