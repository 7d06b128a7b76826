// Settings that change while the site manager runs: neighbours that come and go, weights, policies, limits. What can't
// be changed so is said, and then nothing is.
#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

std::string fault_of_change(const SiteSettings& now, const SiteSettings& wanted) {
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

std::string SiteManager::reconfigure(Instant now, const SiteSettings& settings, Effects& effects) {
  if (std::string fault = fault_of_change(settings_, settings); !fault.empty()) return fault;
  Step s{now, effects};
  for (std::size_t n = 0; n < neighbours_.size(); ++n)
    if (!neighbours_[n].removed && std::ranges::find(settings.neighbours, neighbours_[n].site,
                                                     &NeighbourSettings::site) == settings.neighbours.end())
      remove_neighbour(s, n);
  for (const NeighbourSettings& neighbour : settings.neighbours) add_neighbour(now, neighbour);
  settings_ = settings;
  const DispatchPolicy* const dispatch = find_dispatch(settings_.dispatching_policy);
  placer_ = {find_placement(settings_.placement_policy), find_placement(settings_.flexible_policy)};
  targets_.set_policy(find_targets(settings_.target_policy));
  DMM_ASSERT(dispatch && placer_.fixed && placer_.flexible);
  matcher_.set_policy(*dispatch);
  queue_.set_policies(*dispatch, *find_delegation(settings_.delegation_policy));
  owned_.configure(settings_.clusters);
  leases_.set_offer(settings_.offer);
  transit_.configure(settings_);
  accounts_.set_records_max(settings_.usage_records_max);
  drop_reservation();
  feasibility_.changed();
  hints_.changed();
  search_.changed();
  // Who had nobody to ask may have somebody now, and the other way round.
  const bool may_ask = settings_.delegate && neighbours_.configured() > 0;
  std::vector<LocalRequest*> moved;
  for (const auto& [arrival, request] : queue_.all()) {
    const bool stays = !may_ask || request->kind->dttl == 0;
    if (stays != (request->search == LocalRequest::Search::home)) moved.push_back(request.get());
  }
  for (LocalRequest* request : moved) {
    if (request->search == LocalRequest::Search::out) withdraw(s, *request);
    const bool stays = !may_ask || request->kind->dttl == 0;
    queue_.set_search(*request, stays ? LocalRequest::Search::home : LocalRequest::Search::ready);
  }
  effects.log(Level::info, "reconfigured", {}, {{"neighbours", static_cast<std::int64_t>(neighbours_.configured())}});
  return {};
}

void SiteManager::add_neighbour(Instant now, const NeighbourSettings& settings) {
  const std::size_t before = neighbours_.size();
  const std::size_t n = neighbours_.add(settings);
  if (neighbours_.size() > before) {
    feasibility_.add_neighbours(neighbours_.size());
    lending_.add_neighbours(neighbours_.size());
    leases_.add_neighbours(neighbours_.size());
    queue_.add_neighbours(neighbours_.size());
    targets_.add_neighbours(neighbours_.size(), settings_.window_first);
    hints_.add_neighbours(neighbours_.size());
    renewals_.add_neighbours(neighbours_.size());
    reconciliation_.add_neighbours(neighbours_.size());
    transit_.add_neighbours(neighbours_.size());
  }
  feasibility_.set_gone(n, false);
  lending_.set_weight(now, n, settings.limits.weight);
}

/// It will be neither asked nor heard any more: all leases over the link are over. What runs under them goes on
/// detached, as after a silence.
void SiteManager::remove_neighbour(Step& s, std::size_t n) {
  s.out.log(Level::info, "neighbour_removed", {}, {{"site", neighbours_[n].site.text}});
  lose_questions(s, n);
  for (const auto* leases : {&leases_.up(n), &leases_.down(n)})
    for (const LeaseId& id : std::vector<LeaseId>(leases->begin(), leases->end())) {
      Lease* lease = leases_.find(id);
      if (!lease || lease->nodes.empty()) continue;
      tell_ended(s, *lease, lease->nodes, LeaseEnd::link_removed, false, {});
      if (!lease->upstream)
        clean(s, *lease, {}, LeaseEnd::link_removed, true);
      else
        give_back(s, *lease, {}, true);
    }
  neighbour_down(s, n);
  neighbours_[n].removed = true;
  feasibility_.set_gone(n, true);
}

}  // namespace dmm
