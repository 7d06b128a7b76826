// Serving foreign requests: round robin over links, from what the owner's own users leave, cluster by cluster. Where
// there isn't enough for all borrowers, the one who was served least by its weight is in turn, and nodes are kept for
// it (docs/protocol.md section 6.5).
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "matchmaking/protection.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// A borrower who was served this much more than another is still as good as even with it: microseconds of each
/// processor that the other wants.
constexpr double even = 30e6;

/// Who lets its turn pass, since too little is kept for it or it hasn't heard of that, has the next one after this.
constexpr Duration turn_rest = seconds(60);

double idle_processors(const OwnedNodes& owned) { return static_cast<double>(owned.total() - owned.used()); }

}  // namespace

// ---- what may be lent ----------------------------------------------------------------------------------------------

/// Free processors of each cluster, less what local requests that wait could use there, and what gathers for one.
const std::vector<std::uint32_t>& SiteManager::lendable_by_cluster() const {
  const std::pair<std::uint64_t, std::uint64_t> state{owned_.changes(), queue_.changes()};
  if (std::exchange(lendable_of_, state) == state) return lendable_;
  lendable_ = owned_.free_by_cluster();
  const auto take = [&](std::size_t cluster, std::uint64_t processors) {
    lendable_[cluster] -= static_cast<std::uint32_t>(std::min<std::uint64_t>(lendable_[cluster], processors));
  };
  if (settings_.owner_first) {
    std::vector<std::uint32_t> usable;
    for (const auto& [claim, demand] : queue_.claims()) {
      const std::vector<ClusterView> views = owned_.views(claim.constraints);
      usable.clear();
      for (std::size_t i = 0; i < views.size(); ++i) {
        const bool may_use = i >= 64 || ((claim.clusters >> i) & 1) != 0;
        usable.push_back(may_use ? std::min(views[i].idle_processors, lendable_[i]) : 0);
      }
      const std::vector<std::uint32_t> left = lendable(usable, demand);
      for (std::size_t i = 0; i < usable.size(); ++i) take(i, usable[i] - left[i]);
    }
  }
  if (gathering_)
    for (std::size_t i = 0; i < lendable_.size() && i < gathering_->processors.size(); ++i)
      take(i, gathering_->processors[i]);
  return lendable_;
}

std::vector<ClusterView> SiteManager::lendable_views(const Constraints& constraints) const {
  std::vector<ClusterView> clusters = owned_.views(constraints);
  const std::vector<std::uint32_t>& lend = lendable_by_cluster();
  for (std::size_t i = 0; i < clusters.size(); ++i)
    clusters[i].idle_processors = std::min(clusters[i].idle_processors, lend[i]);
  return clusters;
}

/// Processors that a neighbour's limits allow it beyond those that it has.
std::uint32_t SiteManager::allowance(std::size_t n) const {
  const NeighbourLimits& limits = neighbours_[n].limits;
  const std::uint32_t leases_max = limits.leases > 0 ? limits.leases : settings_.leases_per_link_max;
  if (leases_.down(n).size() >= leases_max) return 0;
  const std::uint32_t most = limits.processors_at_most(), has = borrowers_.processors(n);
  return most > has ? most - has : 0;
}

Duration SiteManager::protected_time_for(const Foreign& foreign) const {
  return protected_time(foreign.delegate.request.past, settings_.protected_first, settings_.protected_max);
}

/// A job that was interrupted before may have what it is promised. 0: as long as it is used.
Duration SiteManager::longest_for(const Foreign& foreign) const {
  const Duration longest = settings_.lease_length_for(neighbours_[foreign.from].limits);
  return longest == Duration{} ? longest : std::max(longest, protected_time_for(foreign));
}

/// One that is declared to run as long as the longest lease is brought there and ended beyond that.
Duration SiteManager::lease_length_for(const Foreign& foreign) const {
  const Duration longest = longest_for(foreign), declared = foreign.delegate.request.length;
  const bool is_bounded = longest > Duration{} && declared > Duration{};
  return is_bounded ? std::max(longest, declared + beyond_declared) : longest;
}

/// Whether the job is better off elsewhere: it lost our nodes before, or would lose them before it has run as long
/// as it did. In the second round of its request it gets them.
bool SiteManager::prefers_others(const Foreign& foreign) const {
  const Interruptions& past = foreign.delegate.request.past;
  if (past.times == 0 || foreign.delegate.round > 1) return false;
  const Duration longest = longest_for(foreign);
  const bool is_short = longest > Duration{} && past.ran >= longest;
  return is_short || std::ranges::find(past.owners, settings_.name) != past.owners.end();
}

/// Each hop promises less than it is promised, by what it takes to notice that its lender is silent (promise_of). The
/// last one is to promise a third of a term at least; others are taken to notice as we do.
Duration SiteManager::term_for(const Foreign& foreign) const {
  const Duration term = settings_.term;
  const Neighbour& asker = neighbours_[foreign.from];
  const auto hops = static_cast<std::int64_t>(foreign.delegate.chain.size());
  const Duration round_trip = std::clamp(foreign.delegate.round_trip, Duration{}, round_trip_max);
  const Duration notices = std::max(asker.stale_after - asker.round_trip * 2, term / 10);
  return std::max(term, (term / 3 + notices * hops + round_trip * 5 / 2) * (100 + hops) / 100);
}

// ---- whose turn it is ----------------------------------------------------------------------------------------------

bool SiteManager::may_have_turn(Instant now, std::size_t n) const {
  const Neighbour& neighbour = neighbours_[n];
  if (!neighbour.up || neighbour.removed || drained_.contains(neighbour.site)) return false;
  // Else nodes would gather for it in vain.
  if (borrowers_.width(now, n) > std::min(owned_.largest_cluster(), allowance(n))) return false;
  return now >= std::max(kept_off_until(n), neighbour.turn_rests_until);
}

/// What each borrower would have if all that is lent or idle were shared by weight, as far as its limits allow.
std::vector<double> SiteManager::fair_shares(Instant now) const {
  std::vector<std::uint32_t> most;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) most.push_back(allowance(n));
  return borrowers_.fair_shares(now, static_cast<double>(borrowers_.processors()) + idle_processors(owned_), most);
}

Instant SiteManager::kept_off_until(std::size_t n) const {
  return std::max(borrowers_.kept_off_until(n), kept_off_until(neighbours_[n].site));
}

Instant SiteManager::kept_off_until(const SiteName& sink) const {
  const auto until = kept_off_.find(sink);
  return until == kept_off_.end() ? Instant{} : until->second;
}

Duration SiteManager::turn_length(const Turn& turn) const {
  if (turn.gathers) return settings_.gather_max;
  return settings_.turn_limit + neighbours_[turn.who].round_trip * 2;
}

/// Who is to have the next nodes, as long as that is for one who wouldn't get them anyway.
void SiteManager::update_turn(Instant now) {
  const auto most = [&] {
    const auto& lend = lendable_by_cluster();
    return lend.empty() ? 0U : *std::ranges::max_element(lend);
  };
  for (;;) {
    const auto who = borrowers_.first(now, [&](std::size_t n) { return may_have_turn(now, n); });
    if (!who || !settings_.lend || settings_.turn_limit == Duration{} || drained_here() || most() == 0) {
      hints_dirty_ |= turn_.has_value();
      return turn_.reset();
    }
    const std::uint32_t width = borrowers_.width(now, *who);
    const bool gathers = most() < width;
    if (!turn_ || turn_->who != *who || turn_->gathers != gathers) {
      turn_ = Turn{*who, width, now, gathers};
      if (gathers) turn_->cluster = gathering_cluster(now, *turn_);
      hints_dirty_ = true;
    }
    turn_->width = width;
    const Duration length = turn_length(*turn_);
    if (now < turn_->since + length || transit_.has_waiting(*who)) return;
    // It didn't come, or its nodes didn't: the next one.
    neighbours_[*who].turn_rests_until = now + std::max(length, turn_rest);
  }
}

/// Where there will be room for the one in turn: with what is free, and what those have who are to make way for it.
std::size_t SiteManager::gathering_cluster(Instant now, const Turn& turn) const {
  const std::vector<std::uint32_t>& lend = lendable_by_cluster();
  std::vector<std::uint64_t> room(lend.begin(), lend.end());
  const std::vector<double> shares = fair_shares(now);
  const double most = most_served(now);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const bool makes_way = borrowers_.processors(n) > shares[n] || borrowers_.served(now, n) >= most;
    if (n == turn.who || !makes_way) continue;
    for (const LeaseId& id : leases_.down(n)) {
      const Lease& lease = leases_.get(id);
      if (lease.upstream) continue;
      for (const NodeGroup& group : lease.nodes)
        if (const auto cluster = owned_.find_cluster(group.cluster)) room[*cluster] += processors_of(group);
    }
  }
  std::size_t best = 0;
  const auto rank = [&](std::size_t i) { return std::pair(std::min<std::uint64_t>(room[i], turn.width), lend[i]); };
  for (std::size_t i = 1; i < room.size(); ++i)
    if (rank(i) > rank(best)) best = i;
  return best;
}

/// Processors that must stay free in one cluster for the borrower in turn; 0 if this one is that, or was served as
/// little.
std::uint32_t SiteManager::kept_for_others(Instant now, std::size_t n) const {
  if (!turn_ || turn_->who == n || DMM_PLANT(turn_ignored)) return 0;
  const double slack = even * turn_->width;
  return borrowers_.served(now, n) > borrowers_.served(now, turn_->who) + slack ? turn_->width : 0;
}

/// Whether the borrower in turn finds afterwards what it finds now.
bool SiteManager::leaves(const std::vector<PlacedComponent>& placement, std::uint32_t kept) const {
  std::vector<std::uint32_t> left = lendable_by_cluster();
  kept = std::min(kept, *std::ranges::max_element(left));
  for (const PlacedComponent& placed : placement)
    left[placed.cluster] -= std::min(left[placed.cluster], placed.processors);
  return *std::ranges::max_element(left) >= kept;
}

/// What that one was served who was served most, of those who have nodes.
double SiteManager::most_served(Instant now) const {
  double most = 0;
  for (std::size_t i = 0; i < neighbours_.size(); ++i)
    if (borrowers_.processors(i) > 0) most = std::max(most, borrowers_.served(now, i));
  return most;
}

/// Which leases of a borrower are to serve no further job, since others who were served less wait: true for each.
std::map<LeaseId, bool> SiteManager::wanted_for_others(Instant now, std::size_t n) const {
  std::map<LeaseId, bool> wanted;
  if (!borrowers_.wants_any(now)) return wanted;
  const std::vector<double> shares = fair_shares(now);
  double missing = 0, spare = 0;  // processors: of those who have less than their share; above theirs, of all others
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const double has = borrowers_.processors(i);
    if (has > shares[i]) spare += has - shares[i];
    if (i == n || has >= shares[i] || !borrowers_.wants(now, i) || !may_have_turn(now, i)) continue;
    if (borrowers_.served(now, i) + even * borrowers_.width(now, i) >= borrowers_.served(now, n)) continue;
    missing += std::max<double>(borrowers_.width(now, i), shares[i] - has);
  }
  double take = missing > 0 && spare > 0 ? missing * (borrowers_.processors(n) - shares[n]) / spare : 0;
  // Who waits may be wider than its share, and nobody have more than its own: then who was served most makes way.
  const double more = missing - spare - idle_processors(owned_);
  if (more > 0 && borrowers_.served(now, n) >= most_served(now)) take = std::max(take, more);
  for (const LeaseId& id : leases_.down(n)) {  // the oldest first
    if (take <= 0) break;
    const Lease& lease = leases_.get(id);
    if (lease.upstream || lease.state == LeaseState::ending) continue;
    wanted[id] = true;
    take -= processors_of(lease.nodes);
  }
  return wanted;
}

// ---- serving -------------------------------------------------------------------------------------------------------

void SiteManager::match_foreign(Step& s) {
  if (transit_.waiting() > 0) update_turn(s.now);
  for (auto round = transit_.next_round(); !round.empty(); round = transit_.next_round())
    for (Foreign& foreign : round)
      if (!lend(s, foreign)) transit_.keep(std::move(foreign));
}

/// Whether the neighbour, or the site whose user asks, gets nothing for a while.
bool SiteManager::keeps_off(Instant now, const Foreign& foreign) const {
  return now < kept_off_until(foreign.delegate.request.id.site) || borrowers_.is_kept_off(now, foreign.from);
}

bool SiteManager::drained_for(const Foreign& foreign) const {
  return drained_here() || drained_.contains(neighbours_[foreign.from].site) ||
         drained_.contains(foreign.delegate.request.id.site);
}

/// Why a delegation isn't served here, whatever is free.
std::optional<RejectReason> SiteManager::may_not_have(Instant now, const Foreign& foreign) const {
  const Delegate& asked = foreign.delegate;
  if (!settings_.lend || drained_for(foreign) || keeps_off(now, foreign)) return RejectReason::not_lending;
  const Duration longest = longest_for(foreign);
  if (longest > Duration{} && asked.request.length > longest) return RejectReason::too_long;
  if (prefers_others(foreign)) return RejectReason::others_first;
  if (total_processors(asked.request.need) > allowance(foreign.from)) return RejectReason::limit_reached;
  return std::nullopt;
}

bool SiteManager::lend(Step& s, Foreign& foreign) {
  const Delegate& asked = foreign.delegate;
  const ResourceNeed& need = asked.request.need;
  const std::size_t from = foreign.from;
  if (const auto reason = may_not_have(s.now, foreign)) {
    foreign.reason = *reason;
    return false;
  }
  std::vector<ClusterView> views = lendable_views(need.constraints);
  auto placement = placer_.place(need, views);
  const bool fits = placement.has_value();
  if (const std::uint32_t kept = fits ? kept_for_others(s.now, from) : 0; kept > 0 && turn_->gathers) {
    views[turn_->cluster].idle_processors = 0;
    placement = placer_.place(need, views);
  } else if (kept > 0 && !leaves(*placement, kept)) {
    placement.reset();
  }
  if (!placement) {
    const bool is_kept = settings_.owner_first && !fits && placer_.place(need, owned_.views(need.constraints)).has_value();
    foreign.reason = fits                                                  ? RejectReason::not_in_turn
                     : is_kept                                             ? RejectReason::not_lending
                     : placer_.place(need, owned_.sizes(need.constraints)).has_value() ? RejectReason::no_capacity
                                                                           : RejectReason::never_servable;
    if (foreign.reason != RejectReason::never_servable)
      borrowers_.turn_away(s.now, from, total_processors(need), widest_component(need), settings_.pause_last);
    return false;
  }
  Lease& lease = make_lease(s, need, *placement, asked.request.id, &foreign);
  borrowers_.satisfy(from);
  ++grants_foreign_;
  s.out.log(Level::info, "grant", asked.request.id,
            {{"to", neighbours_[from].site.text},
             {"lease", to_text(lease.id)},
             {"processors", std::int64_t{lease.processors}},
             {"round", std::int64_t{asked.round}}});
  Grant grant;
  grant.request = asked.request.id;
  grant.part = asked.part;
  grant.round = asked.round;
  grant.lease = lease.id;
  grant.nodes = lease.nodes;
  grant.term = lease.term;
  grant.chain = lease.chain;
  grant.owner_ancestors = settings_.ancestors;
  grant.grace = lease.grace;
  grant.length = lease.length;
  grant.round_trip = lease.round_trip;
  transit_.answered(from);
  send(s, from, std::move(grant), asked.request.id);
  return true;
}

}  // namespace dmm
