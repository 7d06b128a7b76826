// The steps of renewing.hpp.
#include "sitemgr/renewing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/orders.hpp"
#include "sitemgr/recovery.hpp"

namespace dmm::site_steps {
namespace {

/// How often in a term a site looks which leases are to serve no further job.
constexpr std::int64_t looks_a_term = 10;
/// As good as nothing, but a promise.
constexpr Duration shortest_promise = milliseconds(1);

}  // namespace

/// Whether a borrower holds all that it was lent; if it has lost some, the two compare all leases in a new
/// session.
static bool agrees(SiteStep& s, std::size_t n, const Renew& renew);
/// Leases of a neighbour that are to serve no further job: our own users, other borrowers or sites upstream want
/// them.
static std::vector<LeaseId> wanted_of(const SiteParts& parts, Instant now, std::size_t n);

Duration promise_of(const SiteParts& parts, const HopLease& lease) {
  if (!lease.upstream) return lease.term;
  const Duration promise = lease.term - parts.neighbours[*lease.upstream].stale_after - lease.term / 100;
  return std::max(promise, shortest_promise);
}

Duration first_promise(const SiteParts& parts, Instant now, const HopLease& lease) {
  return std::min(promise_of(parts, lease), std::max(lease.upstream_until - now, shortest_promise));
}

bool stands(const SiteParts& parts, const HopLease& lease) {
  return !lease.unsure && (!lease.upstream || parts.neighbours[*lease.upstream].stands);
}

Duration word_on(const SiteParts& parts, const HopLease& lease) {
  return stands(parts, lease) ? promise_of(parts, lease) : not_known;
}

Instant promised_until(const SiteParts& parts, Instant vouched, const HopLease& lease) {
  if (parts.neighbours[*lease.downstream].up) return never;
  const Duration promise = std::max(promise_of(parts, lease), lease.longest_promise);
  return vouched + promise + (lease.upstream ? Duration{} : promise / owner_margin);
}

/// Before the promise changes. The borrower relies on it until it hears of the change.
static void keep_promise(const SiteParts& parts, HopLease& lease) {
  if (lease.downstream) lease.longest_promise = std::max(lease.longest_promise, promise_of(parts, lease));
}

/// Before the lease is promised for less, or not at all. While it isn't vouched for, later Beats don't count.
static void keep_right(HopLease& lease, Instant proved) {
  const Instant since = lease.upstream_until == never ? std::max(proved, lease.promised) : lease.promised;
  lease.old_right = std::max(lease.old_right, since + lease.term);
}

void set_term(const SiteParts& parts, HopLease& lease, Duration term, Instant proved) {
  keep_promise(parts, lease);
  // While it is unsure, the term is no promise: what was promised before is kept, or was forgotten in a restart.
  if (term < lease.term && !lease.unsure) keep_right(lease, proved);
  lease.term = term;
}

// ---- whether we are promised it -------------------------------------------------------------------------------------

void on(SiteStep& s, LinkStanding& change) {
  const auto n = s.parts.neighbours.find(change.peer.site);
  if (change.peer.role != Role::site_manager || !n) return;
  Neighbour& lender = s.parts.neighbours[*n];
  for (const LeaseId& id : s.parts.leases.up(*n)) keep_promise(s.parts, *s.parts.leases.find(id));
  lender.stands = change.stands;
  if (change.stands) lender.stale_after = change.stale_after;
  for (const LeaseId& id : s.parts.leases.up(*n)) {
    HopLease& lease = *s.parts.leases.find(id);
    if (lease.unsure) continue;
    if (change.stands)
      stand(s.parts, lease);
    else
      waver(s.parts, lease, change.proved);
  }
}

void stand(SiteParts& parts, HopLease& lease) {
  lease.unsure = false;
  if (parts.neighbours[*lease.upstream].stands) lease.upstream_until = never;
  parts.renewals.restate(lease.id);
}

void waver(SiteParts& parts, HopLease& lease, Instant proved) {
  keep_right(lease, proved);
  lease.upstream_until = std::min(lease.upstream_until, lease.old_right);
  parts.leases.watch(lease);
  parts.renewals.restate(lease.id);
}

void restate_unless_it_stands(SiteParts& parts, const HopLease& lease) {
  if (!stands(parts, lease)) parts.renewals.restate(lease.id);
}

void tell_restated(SiteStep& s) {
  std::map<Party, std::map<LeaseId, Duration>> news;
  if (DMM_PLANT(wavering_not_told)) s.parts.renewals.take_restated();
  for (const LeaseId& id : s.parts.renewals.take_restated()) {
    const HopLease* lease = s.parts.leases.find(id);
    if (!lease || lease->nodes.empty()) continue;
    if (lease->downstream) news[s.parts.party(*lease->downstream)].emplace(id, word_on(s.parts, *lease));
    for (const auto& [request, nodes] : lease->handed_out)
      news[job_manager_of(request)].emplace(id, word_on(s.parts, *lease));
  }
  for (const auto& [holder, leases] : news) {
    Renewed told{{}, {}, {}, true};
    for (const auto& [id, word] : leases) told.terms.push_back({id, word});
    if (const auto n = holder.role == Role::site_manager ? s.parts.neighbours.find(holder.site) : std::nullopt) {
      told.wanted = s.parts.renewals.told_wanted(*n);
      told.settled = s.parts.renewals.is_settled(*n);
    }
    s.effects.send(holder, std::move(told));
  }
}

void on(SiteStep& s, FromSite from, Renewed& renewed) {
  for (const LeaseTerm& said : renewed.terms) {
    HopLease* lease = s.parts.leases.find(said.lease);
    if (!lease || lease->upstream != from.neighbour) continue;
    if (said.left <= Duration{}) {
      if (!std::exchange(lease->unsure, true)) waver(s.parts, *lease, from.proved);
    } else if (const Duration term = std::min(said.left, term_max); lease->unsure || lease->term != term) {
      set_term(s.parts, *lease, term, from.proved);
      changed(s, *lease);
      stand(s.parts, *lease);
    }
  }
  const std::set<LeaseId> wanted(renewed.wanted.begin(), renewed.wanted.end());
  for (const LeaseId& id : s.parts.leases.up(from.neighbour)) {
    const bool is_wanted = wanted.contains(id);
    if (is_wanted == s.parts.leases.is_wanted(id)) continue;
    HopLease& lease = *s.parts.leases.find(id);
    s.parts.leases.set_wanted(lease, is_wanted);
    if (lease.downstream) s.parts.renewals.wanted_look().due = s.now;
  }
  s.parts.renewals.hear_settled(s.now, from.neighbour, renewed.settled, s.parts.settings.term);
}

// ---- whether both believe the same ----------------------------------------------------------------------------------

void renew_links(SiteStep& s) {
  for (const std::size_t n :
       s.parts.renewals.take_due(s.now, s.parts.neighbours, s.parts.leases, s.parts.settings.term))
    send(s, n, Renew{static_cast<std::uint32_t>(s.parts.leases.up(n).size())}, {});
}

void on(SiteStep& s, FromSite from, Renew& renew) {
  const std::size_t n = from.neighbour;
  Renewed answer{s.parts.settings.term, {}, wanted_of(s.parts, s.now, n), agrees(s, n, renew)};
  s.parts.renewals.set_told_wanted(n, answer.wanted);
  for (const LeaseId& id : s.parts.leases.down(n)) {
    const HopLease& lease = s.parts.leases.get(id);
    if (lease.state == LeaseState::ending) continue;
    if (word_on(s.parts, lease) != answer.term) answer.terms.push_back({id, word_on(s.parts, lease)});
  }
  send(s, n, std::move(answer), {});
}

void on(SiteStep& s, FromUser from, Renew&) {
  if (!s.parts.users.knows(from.party)) return s.parts.ignore("unknown_user");
  Renewed answer{s.parts.settings.term, {}, {}, true};
  for (const auto& [id, request] : s.parts.users.borrowed_of(from.party))
    if (const Duration word = word_on(s.parts, s.parts.leases.get(id)); word != answer.term)
      answer.terms.push_back({id, word});
  s.effects.send(from.party, std::move(answer));
}

bool agrees(SiteStep& s, std::size_t n, const Renew& renew) {
  const Neighbour& neighbour = s.parts.neighbours[n];
  std::size_t lent = 0;
  for (const LeaseId& id : s.parts.leases.down(n)) lent += s.parts.leases.get(id).state == LeaseState::active;
  const RenewalComparison compared =
      s.parts.renewals.compare(s.now, n, renew.leases, lent, s.parts.settings.term + neighbour.round_trip * 2);
  if (compared != RenewalComparison::has_lost) return compared == RenewalComparison::agrees;
  s.parts.refuse(n, "renews_too_few");
  s.effects.log(Level::warning, "renews_too_few", {},
                {{"peer", neighbour.site.text},
                 {"renewed", std::int64_t{renew.leases}},
                 {"lent", static_cast<std::int64_t>(lent)}});
  s.effects.renewals.push_back(s.parts.party(n));
  return false;
}

// ---- what the owner wants back --------------------------------------------------------------------------------------

std::vector<LeaseId> wanted_of(const SiteParts& parts, Instant now, std::size_t n) {
  std::vector<LeaseId> wanted;
  std::uint64_t demand = parts.settings.owner_first ? parts.queue.totals().demand() : 0;
  const auto for_others = parts.lending.wanted_for_others(now, parts.lending_site(), n);
  // Most leases here are only passed on, and none of them is looked at: a site may have thousands.
  for (const LeaseId& id : parts.leases.down(n)) {
    if (demand == 0 && !parts.leases.any_wanted() && for_others.empty()) break;
    const bool needed = id.owner == parts.settings.name && demand > 0;
    if (!needed && !parts.leases.is_wanted(id) && !for_others.contains(id)) continue;
    const HopLease& lease = parts.leases.get(id);
    if (lease.state == LeaseState::ending) continue;
    DMM_ASSERT(!needed || !lease.upstream);
    if (needed) demand -= std::min<std::uint64_t>(demand, lease.processors);
    wanted.push_back(id);
  }
  return wanted;
}

void tell_wanted(SiteStep& s) {
  const bool may_want = s.parts.lending.borrowers().processors() > 0 &&
                        ((s.parts.settings.owner_first && s.parts.queue.totals().demand() > 0) ||
                         s.parts.lending.borrowers().wants_any(s.now));
  WantedLook& look = s.parts.renewals.wanted_look();
  look.see(s.now, may_want, s.parts.settings.term / looks_a_term);
  if (s.now < look.due) return;
  for (std::size_t n = 0; n < s.parts.neighbours.size(); ++n) {
    if (!s.parts.neighbours[n].up || (s.parts.leases.down(n).empty() && s.parts.renewals.told_wanted(n).empty()))
      continue;
    std::vector<LeaseId> wanted = wanted_of(s.parts, s.now, n);
    if (wanted == s.parts.renewals.told_wanted(n)) continue;
    s.parts.renewals.set_told_wanted(n, wanted);
    send(s, n, Renewed{{}, {}, std::move(wanted), s.parts.renewals.is_settled(n)}, {});
  }
  look.looked(s.now, may_want, s.parts.settings.term / looks_a_term);
}

// ---- when it is over ------------------------------------------------------------------------------------------------

void expire_leases(SiteStep& s) {
  while (HopLease* lease = s.parts.leases.take_over(s.now)) {
    const bool is_silent = s.now >= std::min(lease->upstream_until, lease->downstream_until);
    const bool is_offer = !lease->upstream && lease->state == LeaseState::offered;
    if (is_offer && !is_silent) {
      s.parts.lending.lapsed(s.now, *lease->downstream);
      end_lease(s, *lease, LeaseEnd::not_claimed);
    } else if (!is_silent) {  // it is renewed, and has lasted as long as we lend
      lease->length = {};
      reclaim(s, *lease, lease->grace, LeaseEnd::at_longest);
    } else {
      end_lease(s, *lease, LeaseEnd::expired);
    }
  }
}

}  // namespace dmm::site_steps
