// What may be lent, and for how long; lending_turns.cpp says to which borrower first.
#include "sitemgr/lending.hpp"

#include <algorithm>
#include <numeric>

#include "manager/assert.hpp"
#include "matchmaking/load.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/lending_terms.hpp"

namespace dmm {

Lending::Lending(const SiteSettings& settings)
    : borrowers_(settings.neighbours), turn_backoff_(settings.neighbours.size()) {}

void Lending::add_neighbours(std::size_t neighbours) {
  DMM_ASSERT(neighbours >= turn_backoff_.size());
  borrowers_.add_neighbours(neighbours);
  turn_backoff_.resize(neighbours);
}

// ---- what may be lent ----------------------------------------------------------------------------------------------

/// Free processors of each cluster, less what local requests that wait could use there, and what is reserved.
const std::vector<std::uint32_t>& Lending::lendable_by_cluster(const Site& site) const {
  const Lendable state{site.owned.changes(), site.queue.totals().claim_changes(), site.reservation.changes()};
  if (std::exchange(lendable_of_, state) == state) return lendable_;
  lendable_ = site.owned.free_by_cluster();
  const auto take = [&](std::size_t cluster, std::uint64_t processors) {
    DMM_ASSERT(cluster < lendable_.size());
    lendable_[cluster] -= static_cast<std::uint32_t>(std::min<std::uint64_t>(lendable_[cluster], processors));
  };
  if (site.settings.owner_first) {
    std::vector<std::uint32_t> usable;
    for (const auto& [claim, demand] : site.queue.totals().claims()) {
      const std::vector<ClusterView> views = site.owned.views(claim.constraints);
      usable.clear();
      for (std::size_t i = 0; i < views.size(); ++i) {
        const bool may_use = i >= 64 || ((claim.clusters >> i) & 1) != 0;
        usable.push_back(may_use ? std::min(views[i].idle_processors, lendable_[i]) : 0);
      }
      const std::vector<std::uint32_t> left = lendable(usable, demand);
      DMM_ASSERT(left.size() == usable.size());
      for (std::size_t i = 0; i < usable.size(); ++i) {
        DMM_ASSERT(left[i] <= usable[i]);
        take(i, usable[i] - left[i]);
      }
    }
  }
  DMM_ASSERT(lendable_.size() == site.owned.settings().size());
  site.reservation.keep_from_all(lendable_);
  return lendable_;
}

std::vector<ClusterView> Lending::lendable_views(const Site& site, const Constraints& constraints) const {
  std::vector<ClusterView> clusters = site.owned.views(constraints);
  const std::vector<std::uint32_t>& lend = lendable_by_cluster(site);
  DMM_ASSERT(lend.size() == clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i)
    clusters[i].idle_processors = std::min(clusters[i].idle_processors, lend[i]);
  return clusters;
}

std::uint32_t Lending::most_of(const Site& site, std::size_t n, RejectReason reason) {
  DMM_ASSERT(n < site.neighbours.size());
  const NeighbourLimits& limits = site.neighbours[n].limits;
  switch (reason) {
    case RejectReason::leases_limit: return limits.leases > 0 ? limits.leases : site.settings.leases_per_link_max;
    case RejectReason::processors_limit: return limits.processors;
    case RejectReason::delegations_limit: return site.settings.delegations_per_link_max;
    default: return 0;
  }
}

/// Processors that a neighbour's limits allow it beyond those that it has.
std::uint32_t Lending::allowance(const Site& site, std::size_t n) const {
  DMM_ASSERT(n < site.neighbours.size());
  if (site.leases.down(n).size() >= most_of(site, n, RejectReason::leases_limit)) return 0;
  const std::uint32_t most = site.neighbours[n].limits.processors_at_most(), has = borrowers_.processors(n);
  return most > has ? most - has : 0;
}

/// Which limit keeps this number of further processors from a neighbour.
std::optional<RejectReason> Lending::limit_reached(const Site& site, std::size_t n,
                                                   std::uint64_t processors) const {
  DMM_ASSERT(processors > 0);
  if (processors <= allowance(site, n)) return std::nullopt;
  const bool is_of_leases = site.leases.down(n).size() >= most_of(site, n, RejectReason::leases_limit);
  return is_of_leases ? RejectReason::leases_limit : RejectReason::processors_limit;
}

/// Whether the neighbour gets nothing now, whatever is free.
bool Lending::gets_nothing(Instant now, const Site& site, std::size_t n) const {
  DMM_ASSERT(n < site.neighbours.size());
  return !site.settings.lend || site.drains.has_self() || site.drains.has(site.neighbours[n].site) ||
         now < kept_off_until(site, n);
}

std::uint32_t Lending::lendable_to(Instant now, const Site& site, std::size_t n) const {
  if (gets_nothing(now, site, n)) return 0;
  // What the borrower in turn is to find stays out of what other borrowers are told.
  const std::uint32_t kept = kept_for_others(now, n);
  const bool in_one_cluster = kept > 0 && turn_->in_one_cluster;
  const std::vector<std::uint32_t>& lend = lendable_by_cluster(site);
  DMM_ASSERT(!in_one_cluster || turn_->cluster < lend.size());
  std::uint32_t most = 0, next = 0;  // lendable in one cluster; in the next best one
  for (std::size_t i = 0; i < lend.size(); ++i) {
    if (in_one_cluster && i == turn_->cluster) continue;
    next = std::max(next, std::min(most, lend[i]));
    most = std::max(most, lend[i]);
  }
  DMM_ASSERT(next <= most);
  if (kept > 0 && !in_one_cluster) most = std::max(most > kept ? most - kept : 0, next);
  return std::min({most, site.owned.largest_idle(), allowance(site, n)});
}

/// Why the neighbour gets nothing of any cluster, whatever is free; `no_capacity` if it may get some.
RejectReason Lending::why_nothing(Instant now, const Site& site, std::size_t n) const {
  if (site.drains.has_self() || site.drains.has(site.neighbours[n].site)) return RejectReason::drained;
  if (now < kept_off_until(site, n)) return RejectReason::kept_off;
  return limit_reached(site, n, 1).value_or(RejectReason::no_capacity);
}

std::vector<ClusterReport> Lending::reports_for(Instant now, const Site& site, std::size_t n) const {
  DMM_ASSERT(n < site.neighbours.size());
  if (!site.settings.lend) return {};
  // What is kept for the borrower in turn is told, too: a part may be older than the turn.
  const std::uint32_t most = gets_nothing(now, site, n) ? 0 : allowance(site, n);
  const std::vector<std::uint32_t>& lend = lendable_by_cluster(site);
  const RejectReason why_nothing_at_all = why_nothing(now, site, n);
  const std::vector<OwnedManagerView> managers = site.owned.managers();
  std::map<std::pair<std::size_t, NodeProperties>, ClusterReport> reports;
  for (const OwnedManagerView& manager : managers) {
    const auto cluster = site.owned.find_cluster(manager.cluster);
    const NodeOffer* offer = site.owned.find_offer(manager.party);
    if (!cluster || !offer || !manager.registered) continue;
    ClusterReport& report = reports[{*cluster, offer->properties}];
    report.site = site.settings.name;
    report.cluster = manager.cluster;
    report.processors_per_node = manager.processors_per_node;
    report.memory_bytes = offer->properties.memory_bytes;
    report.attributes = offer->properties.attributes;
    report.total += manager.nodes * manager.processors_per_node;
    if (manager.up) report.idle += manager.free_nodes * manager.processors_per_node;
  }
  // A request may take all that is reported at once: of several kinds of nodes under the quota of their cluster,
  // of several clusters under the neighbour's limits.
  std::vector<ClusterView> views = site.owned.views({});
  std::vector<ClusterReport> all;
  for (auto& [key, report] : reports) {
    ClusterView& view = views[key.first];
    ClusterView whole = view;
    whole.idle_processors = whole.total_processors;
    report.total = std::min(report.total, usable_processors(whole));
    report.idle = std::min({report.idle, lend[key.first], most, usable_processors(view), report.total});
    view.idle_processors -= report.idle;
    report.why_none = why_nothing_at_all == RejectReason::no_capacity ? why_unusable(managers, report.cluster)
                                                                      : why_nothing_at_all;
    all.push_back(std::move(report));
  }
  std::vector<std::size_t> by_idle(all.size());
  std::iota(by_idle.begin(), by_idle.end(), std::size_t{0});
  std::ranges::stable_sort(by_idle, std::greater{}, [&](std::size_t i) { return all[i].idle; });
  std::uint32_t left = most;
  for (const std::size_t i : by_idle) {
    all[i].idle = std::min(all[i].idle, left);
    left -= all[i].idle;
  }
  return all;
}

Instant Lending::kept_off_until(const Site& site, std::size_t n) const {
  return std::max(borrowers_.kept_off_until(n), kept_off_until(site.neighbours[n].site));
}

Instant Lending::kept_off_until(const SiteName& sink) const {
  const auto until = kept_off_.find(sink);
  return until == kept_off_.end() ? Instant{} : until->second;
}

void Lending::recalled(Instant now, const SiteName& sink, Instant until) {
  kept_off_[sink] = until;
  ++changes_;
  std::erase_if(kept_off_, [&](const auto& one) { return one.second <= now; });
}

void Lending::hear_demand(Instant now, std::size_t n, const CapacityHint& hint) {
  DMM_ASSERT(n < turn_backoff_.size());
  // Count only the neighbour's own demand. Demand from farther sites may reach us over several links; it counts when a
  // Delegate arrives.
  const HintEntry near = hint.empty() ? HintEntry{} : hint.front();
  if (near.queued > 0 && borrowers_.queued(now, n) == 0) asks(n);
  borrowers_.hear(now, n, near.queued, near.width);
  if (Neighbours::demand_of(hint).first == 0) borrowers_.satisfy(n);
  DMM_ASSERT(borrowers_.queued(now, n) >= near.queued);
}

void Lending::went_down(Instant now, std::size_t n) {
  borrowers_.hear(now, n, 0, 0);
  borrowers_.satisfy(n);
  DMM_ASSERT(!borrowers_.wants(now, n));
}

/// Whether the job is better off elsewhere: it lost our nodes before, or would lose them before it has run as long as
/// it did. In the second round of its request it gets them.
bool Lending::prefers_others(const Site& site, const Foreign& foreign) {
  const Interruptions& past = foreign.delegate.request.past;
  if (past.times == 0 || foreign.delegate.round > 1) return false;
  const Duration longest = longest_for(site.settings, site.neighbours[foreign.from], foreign.delegate);
  const bool is_short = longest > Duration{} && past.ran >= longest;
  return is_short || std::ranges::find(past.owners, site.settings.name) != past.owners.end();
}

// ---- delegations ---------------------------------------------------------------------------------------------------

bool Lending::keeps_off(Instant now, const Foreign& foreign) const {
  return now < kept_off_until(foreign.delegate.request.id.site) || borrowers_.is_kept_off(now, foreign.from);
}

bool Lending::is_drained_for(const Site& site, const Foreign& foreign) {
  DMM_ASSERT(foreign.from < site.neighbours.size());
  return site.drains.has_self() || site.drains.has(site.neighbours[foreign.from].site) ||
         site.drains.has(foreign.delegate.request.id.site);
}

/// Why a delegation isn't served here, whatever is free.
std::optional<RejectReason> Lending::may_not_have(Instant now, const Site& site, const Foreign& foreign) const {
  const Delegate& asked = foreign.delegate;
  if (!site.settings.lend || is_drained_for(site, foreign) || keeps_off(now, foreign))
    return RejectReason::not_lending;
  const Duration longest = longest_for(site.settings, site.neighbours[foreign.from], foreign.delegate);
  if (longest > Duration{} && asked.request.length > longest) return RejectReason::too_long;
  if (prefers_others(site, foreign)) return RejectReason::others_first;
  return limit_reached(site, foreign.from, total_processors(asked.request.need));
}

Lending::Decision Lending::decide(Instant now, const Site& site, const Foreign& foreign) {
  DMM_ASSERT(foreign.from < site.neighbours.size());
  if (const auto reason = may_not_have(now, site, foreign)) return *reason;
  const ResourceNeed& need = foreign.need();
  const auto fits_in = [&](const std::vector<ClusterView>& clusters) { return site.placer.place(need, clusters); };
  std::vector<ClusterView> views = lendable_views(site, need.constraints);
  auto placement = fits_in(views);
  const bool fits = placement.has_value();
  // Turns go round without end, so a part would wait for ever for a moment without one at all owners: the part
  // goes first that has waited since before the turn.
  const bool is_older = foreign.delegate.part > 0 && turn_ && foreign.since() < turn_->since;
  const std::uint32_t kept = fits && !is_older ? kept_for_others(now, foreign.from) : 0;
  if (kept > 0 && turn_->in_one_cluster) {
    DMM_ASSERT(turn_->cluster < views.size());
    views[turn_->cluster].idle_processors = 0;
    placement = fits_in(views);
  } else if (kept > 0 && !leaves(site, *placement, kept)) {
    placement.reset();
  }
  if (placement) return std::move(*placement);
  const bool is_kept =
      site.settings.owner_first && !fits && fits_in(site.owned.views(need.constraints)).has_value();
  const RejectReason reason = fits      ? RejectReason::not_in_turn
                              : is_kept ? RejectReason::not_lending
                              : fits_in(site.owned.sizes(need.constraints)).has_value()
                                  ? RejectReason::no_capacity
                                  : RejectReason::never_servable;
  if (reason != RejectReason::never_servable)
    borrowers_.turn_away(now, foreign.from, total_processors(need), widest_component(need),
                         site.settings.pause_last);
  return reason;
}

}  // namespace dmm
