// Fair share: which borrower has the next free nodes, and what is kept for it; see lending.hpp.
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "sitemgr/lending.hpp"

namespace dmm {
namespace {

/// Slack in the comparison of borrowers: two count as equally served while they differ by less than this, in
/// microseconds of each processor that the waiting one needs.
constexpr double even = 30e6;

/// A borrower that lets its turn pass, since too little is kept for it or it hasn't heard of that, has the next one
/// after this.
constexpr Duration turn_backoff = seconds(60);

double idle_processors(const OwnedNodes& owned) { return static_cast<double>(owned.total() - owned.used()); }

}  // namespace

bool Lending::may_have_turn(Instant now, const Site& site, std::size_t n) const {
  DMM_ASSERT(n < site.neighbours.size() && n < turn_backoff_.size());
  const Neighbour& neighbour = site.neighbours[n];
  if (!neighbour.up || neighbour.removed || site.drains.has(neighbour.site)) return false;
  // Else nodes would be reserved for it in vain.
  if (borrowers_.width(now, n) > std::min(site.owned.largest_cluster(), allowance(site, n))) return false;
  return now >= std::max(kept_off_until(site, n), turn_backoff_[n]);
}

/// What each borrower would have if all that is lent or idle were shared by weight, as far as its limits allow.
std::vector<double> Lending::fair_shares(Instant now, const Site& site) const {
  std::vector<std::uint32_t> most;
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) most.push_back(allowance(site, n));
  return borrowers_.fair_shares(now, static_cast<double>(borrowers_.processors()) + idle_processors(site.owned),
                                most);
}

Duration Lending::turn_length(const Site& site, const ShareTurn& turn) {
  DMM_ASSERT(turn.borrower < site.neighbours.size() && turn.width > 0);
  if (turn.in_one_cluster) return site.settings.gather_max;
  return site.settings.turn_limit + site.neighbours[turn.borrower].round_trip * 2;
}

void Lending::update_turn(Instant now, const Site& site) {
  const auto most = [&] {
    const auto& lend = lendable_by_cluster(site);
    return lend.empty() ? 0U : *std::ranges::max_element(lend);
  };
  for (;;) {
    const auto next = borrowers_.first(now, [&](std::size_t n) { return may_have_turn(now, site, n); });
    if (!next || !site.settings.lend || site.settings.turn_limit == Duration{} || site.drains.has_self() ||
        most() == 0) {
      changes_ += turn_.has_value();
      turn_.reset();
      return;
    }
    const std::uint32_t width = borrowers_.width(now, *next);
    DMM_ASSERT(*next < turn_backoff_.size() && width > 0);  // it waits
    const bool in_one_cluster = most() < width;
    if (!turn_ || turn_->borrower != *next || turn_->in_one_cluster != in_one_cluster) {
      turn_ = ShareTurn{*next, width, now, in_one_cluster};
      if (in_one_cluster) turn_->cluster = cluster_of_turn(now, site, *turn_);
      ++changes_;
    }
    turn_->width = width;
    DMM_ASSERT(turn_->borrower == *next && turn_->since <= now);
    const Duration length = turn_length(site, *turn_);
    if (now < turn_->since + length || site.transit.has_waiting(*next)) return;
    // It didn't come, or its nodes didn't: the next one has the turn.
    turn_backoff_[*next] = now + std::max(length, turn_backoff);
  }
}

Instant Lending::next_deadline(const Site& site) const {
  if (!turn_ || site.transit.has_waiting(turn_->borrower)) return never;
  return turn_->since + turn_length(site, *turn_);
}

/// Where there will be room for the borrower in turn: with what is free, and with what those have that are to make way.
std::size_t Lending::cluster_of_turn(Instant now, const Site& site, const ShareTurn& turn) const {
  const std::vector<std::uint32_t>& lend = lendable_by_cluster(site);
  std::vector<std::uint64_t> room(lend.begin(), lend.end());
  const std::vector<double> shares = fair_shares(now, site);
  DMM_ASSERT(!room.empty() && shares.size() == site.neighbours.size());
  const double most = most_served(now, site.neighbours.size());
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) {
    const bool makes_way = borrowers_.processors(n) > shares[n] || borrowers_.served(now, n) >= most;
    if (n == turn.borrower || !makes_way) continue;
    for (const LeaseId& id : site.leases.down(n)) {
      const HopLease& lease = site.leases.get(id);
      if (lease.upstream) continue;
      for (const NodeGroup& group : lease.nodes)
        if (const auto cluster = site.owned.find_cluster(group.cluster)) room[*cluster] += processors_of(group);
    }
  }
  std::size_t best = 0;
  const auto rank = [&](std::size_t i) {
    return std::pair(std::min<std::uint64_t>(room[i], turn.width), lend[i]);
  };
  for (std::size_t i = 1; i < room.size(); ++i)
    if (rank(i) > rank(best)) best = i;
  DMM_ASSERT(best < lend.size());
  return best;
}

/// Processors that must stay free in one cluster for the borrower in turn; 0 if this one has the turn, or was served as
/// little.
std::uint32_t Lending::kept_for_others(Instant now, std::size_t n) const {
  if (!turn_ || turn_->borrower == n || DMM_PLANT(turn_ignored)) return 0;
  DMM_ASSERT(turn_->width > 0);
  DMM_ASSERT(turn_->borrower < turn_backoff_.size());
  const double slack = even * turn_->width;
  return borrowers_.served(now, n) > borrowers_.served(now, turn_->borrower) + slack ? turn_->width : 0;
}

/// Whether the borrower in turn finds afterwards what it finds now.
bool Lending::leaves(const Site& site, const std::vector<PlacedComponent>& placement, std::uint32_t kept) const {
  std::vector<std::uint32_t> left = lendable_by_cluster(site);
  DMM_ASSERT(!left.empty() && !placement.empty() && kept > 0);
  kept = std::min(kept, *std::ranges::max_element(left));
  for (const PlacedComponent& placed : placement) {
    DMM_ASSERT(placed.cluster < left.size());
    left[placed.cluster] -= std::min(left[placed.cluster], placed.processors);
  }
  return *std::ranges::max_element(left) >= kept;
}

/// Of the borrowers that have nodes: what the most served one was served.
double Lending::most_served(Instant now, std::size_t neighbours) const {
  double most = 0;
  for (std::size_t i = 0; i < neighbours; ++i)
    if (borrowers_.processors(i) > 0) most = std::max(most, borrowers_.served(now, i));
  return most;
}

std::set<LeaseId> Lending::wanted_for_others(Instant now, const Site& site, std::size_t n) const {
  std::set<LeaseId> wanted;
  if (!borrowers_.wants_any(now)) return wanted;
  const std::vector<double> shares = fair_shares(now, site);
  DMM_ASSERT(n < shares.size() && shares.size() == site.neighbours.size());
  double missing = 0, spare = 0;  // processors: of those below their share; above theirs, of all others
  for (std::size_t i = 0; i < site.neighbours.size(); ++i) {
    const double has = borrowers_.processors(i);
    if (has > shares[i]) spare += has - shares[i];
    if (i == n || has >= shares[i] || !borrowers_.wants(now, i) || !may_have_turn(now, site, i)) continue;
    if (borrowers_.served(now, i) + even * borrowers_.width(now, i) >= borrowers_.served(now, n)) continue;
    missing += std::max<double>(borrowers_.width(now, i), shares[i] - has);
  }
  double take = missing > 0 && spare > 0 ? missing * (borrowers_.processors(n) - shares[n]) / spare : 0;
  // A waiting job can be wider than its borrower's fair share while no borrower exceeds its share. Then the most-served
  // borrower gives nodes back.
  const double more = missing - spare - idle_processors(site.owned);
  if (more > 0 && borrowers_.served(now, n) >= most_served(now, site.neighbours.size()))
    take = std::max(take, more);
  for (const LeaseId& id : site.leases.down(n)) {  // the oldest first
    if (take <= 0) break;
    const HopLease& lease = site.leases.get(id);
    if (lease.upstream || lease.state == LeaseState::ending) continue;
    wanted.insert(id);
    take -= processors_of(lease.nodes);
  }
  DMM_ASSERT(wanted.size() <= site.leases.down(n).size());
  return wanted;
}

}  // namespace dmm
