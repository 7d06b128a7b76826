// Making the parts of a site manager, and sending to neighbours; see site_step.hpp.
#include "sitemgr/site_step.hpp"

#include "manager/assert.hpp"
#include "sitemgr/hinting.hpp"

namespace dmm {
namespace {

/// For so long after its last lease a pair may speak through us: output is kept for an hour where it was written.
constexpr Duration relay_memory = seconds(4'000);

}  // namespace

SiteParts::SiteParts(SiteSettings all_settings, std::uint64_t number)
    : settings(std::move(all_settings)),
      incarnation(number),
      placer{find_placement(settings.placement_policy), find_placement(settings.flexible_policy)},
      owned(settings.name, settings.clusters),
      queue(*find_dispatch(settings.dispatching_policy), *find_delegation(settings.delegation_policy),
            settings.neighbours.size()),
      neighbours(settings.neighbours),
      feasibility(settings.neighbours.size()),
      targets(find_targets(settings.target_policy), settings.neighbours.size(), settings.window_first),
      transit(settings, settings.neighbours.size()),
      matcher(*find_dispatch(settings.dispatching_policy), settings.matchmaking_cycle),
      drains(settings.name),
      lending(settings),
      search(settings.delegation_cycle),
      board(settings.neighbours.size()),
      speeds(settings.neighbours.size()),
      leases(settings.neighbours.size(), settings.offer),
      relays(settings.name, relay_memory),
      reconciliation(settings.name, settings.neighbours.size()),
      hints(settings.neighbours.size()),
      renewals(settings.neighbours.size()),
      accounts(settings.usage_records_max),
      users(settings.name) {
  DMM_ASSERT(placer.fixed && placer.flexible);
}

void site_steps::send(SiteStep& s, std::size_t n, Message message, const RequestId& trace) {
  CapacityHint hint;
  SiteParts& parts = s.parts;
  if (parts.settings.use_hints && parts.neighbours[n].up && parts.hints.has_news(parts.hint_sources()))
    hint = parts.hints.take_along(s.now, n, own_hint(parts, s.now, n), parts.neighbours,
                                  parts.settings.hint_distance);
  s.effects.messages.emplace_back(parts.party(n), std::move(message), trace, std::move(hint));
}

}  // namespace dmm
