// For how long a lease is promised, hop by hop, and when it is over. While a lender's Beats vouch for what it lent, it
// stands; else it ends a term after the last of them. A site that no longer hears its own lender says so downstream:
// from then on its Beats don't speak for those leases (docs/protocol.md sections 4.6, 8.15 and 8.16).
#include <algorithm>
#include <map>
#include <set>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// How often in a term a site looks which leases are to serve no further job.
constexpr std::int64_t looks_a_term = 10;
/// As good as nothing, but a promise.
constexpr Duration shortest_promise = milliseconds(1);

}  // namespace

/// How long our Beats promise a lease to the next hop: less than we are promised, by the longest that it may take us to
/// notice that we aren't any longer.
Duration SiteManager::promise_of(const Lease& lease) const {
  if (!lease.upstream) return lease.term;
  const Duration promise = lease.term - neighbours_[*lease.upstream].stale_after - lease.term / 100;
  return std::max(promise, shortest_promise);
}

bool SiteManager::stands(const Lease& lease) const {
  return !lease.unsure && (!lease.upstream || neighbours_[*lease.upstream].stands);
}

/// What we say that our Beats promise.
Duration SiteManager::word_on(const Lease& lease) const { return stands(lease) ? promise_of(lease) : not_known; }

/// When we take back what a neighbour was promised by a Beat that left then; `never` while Beats go on promising it.
Instant SiteManager::promised_until(Instant vouched, const Lease& lease) const {
  if (neighbours_[*lease.downstream].up) return never;
  const Duration promise = promise_of(lease);
  return vouched + promise + (lease.upstream ? Duration{} : promise / owner_margin);
}

// ---- whether we are promised it ------------------------------------------------------------------------------------

void SiteManager::on(Step&, LinkStanding& change) {
  const auto n = neighbours_.find(change.peer.site);
  if (change.peer.role != Role::site_manager || !n) return;
  Neighbour& lender = neighbours_[*n];
  lender.stands = change.stands;
  if (change.stands) lender.stale_after = change.stale_after;
  for (const LeaseId& id : leases_.up(*n)) {
    Lease& lease = *leases_.find(id);
    if (lease.unsure) continue;
    if (change.stands)
      stand(lease);
    else
      waver(lease, change.proved);
  }
}

/// From now on it is promised to us by each Beat.
void SiteManager::stand(Lease& lease) {
  lease.unsure = false;
  if (neighbours_[*lease.upstream].stands) lease.upstream_until = never;
  renewals_.restate(lease.id);
}

/// It was promised to us by a Beat that left then, and by none since.
void SiteManager::waver(Lease& lease, Instant proved) {
  lease.upstream_until = std::min(lease.upstream_until, std::max(proved, lease.granted) + lease.term);
  leases_.watch(lease);
  renewals_.restate(lease.id);
}

/// A lender may grant before its first Beat that vouches: then ours don't speak for the lease either.
void SiteManager::restate_unless_it_stands(const Lease& lease) {
  if (!stands(lease)) renewals_.restate(lease.id);
}

/// The holders of these leases, neighbours or our own job managers, hear whether the leases stand.
void SiteManager::tell_restated(Step& s) {
  std::map<Party, std::map<LeaseId, Duration>> news;
  if (DMM_PLANT(wavering_not_told)) renewals_.take_restated();
  for (const LeaseId& id : renewals_.take_restated()) {
    const Lease* lease = leases_.find(id);
    if (!lease || lease->nodes.empty()) continue;
    if (lease->downstream) news[party(*lease->downstream)].emplace(id, word_on(*lease));
    for (const auto& [request, nodes] : lease->handed_out) news[job_manager_of(request)].emplace(id, word_on(*lease));
  }
  for (const auto& [holder, leases] : news) {
    Renewed told{{}, {}, {}, true};
    for (const auto& [id, word] : leases) told.terms.push_back({id, word});
    if (const auto n = holder.role == Role::site_manager ? neighbours_.find(holder.site) : std::nullopt) {
      told.wanted = renewals_.told_wanted(*n);
      told.settled = renewals_.is_settled(*n);
    }
    s.out.send(holder, std::move(told));
  }
}

void SiteManager::on(Step& s, FromSite from, Renewed& renewed) {
  for (const LeaseTerm& said : renewed.terms) {
    Lease* lease = leases_.find(said.lease);
    if (!lease || lease->upstream != from.neighbour) continue;
    if (said.left <= Duration{}) {
      lease->unsure = true;
      waver(*lease, from.proved);
    } else if (const Duration term = std::min(said.left, term_max); lease->unsure || lease->term != term) {
      lease->term = term;
      changed(s, *lease);
      stand(*lease);
    }
  }
  const std::set<LeaseId> wanted(renewed.wanted.begin(), renewed.wanted.end());
  for (const LeaseId& id : leases_.up(from.neighbour)) {
    Lease& lease = *leases_.find(id);
    const bool was = std::exchange(lease.wanted, wanted.contains(id));
    if (was != lease.wanted && lease.downstream) renewals_.wanted_look().due = s.now;
  }
  renewals_.hear_settled(s.now, from.neighbour, renewed.settled, settings_.term);
}

// ---- whether both believe the same ---------------------------------------------------------------------------------

void SiteManager::renew_links(Step& s) {
  for (const std::size_t n : renewals_.take_due(s.now, neighbours_, leases_, settings_.term))
    send(s, n, Renew{static_cast<std::uint32_t>(leases_.up(n).size())}, {});
}

void SiteManager::on(Step& s, FromSite from, Renew& renew) {
  const std::size_t n = from.neighbour;
  Renewed answer{settings_.term, {}, wanted_of(s.now, n), agrees(s, n, renew)};
  renewals_.set_told_wanted(n, answer.wanted);
  for (const LeaseId& id : leases_.down(n)) {
    const Lease& lease = leases_.get(id);
    if (lease.state == LeaseState::ending) continue;
    if (word_on(lease) != answer.term) answer.terms.push_back({id, word_on(lease)});
  }
  send(s, n, std::move(answer), {});
}

/// Job managers of this version don't ask: each hears by itself what changes.
void SiteManager::on(Step& s, FromUser from, Renew&) {
  if (!users_.knows(from.party)) return ignore("unknown_user");
  Renewed answer{settings_.term, {}, {}, true};
  for (const auto& [id, request] : users_.borrowed_of(from.party))
    if (const Duration word = word_on(leases_.get(id)); word != answer.term) answer.terms.push_back({id, word});
  s.out.send(from.party, std::move(answer));
}

/// Whether a borrower holds all that it was lent; if it has lost some, the two compare all leases in a new session.
bool SiteManager::agrees(Step& s, std::size_t n, const Renew& renew) {
  const Neighbour& neighbour = neighbours_[n];
  std::size_t lent = 0;
  for (const LeaseId& id : leases_.down(n)) lent += leases_.get(id).state == LeaseState::active;
  const Comparison compared =
      renewals_.compare(s.now, n, renew.leases, lent, settings_.term + neighbour.round_trip * 2);
  if (compared != Comparison::has_lost) return compared == Comparison::agrees;
  refuse(n, "renews_too_few");
  s.out.log(Level::warning, "renews_too_few", {},
            {{"peer", neighbour.site.text},
             {"renewed", std::int64_t{renew.leases}},
             {"lent", static_cast<std::int64_t>(lent)}});
  s.out.renewals.push_back(party(n));
  return false;
}

// ---- what the owner wants back -------------------------------------------------------------------------------------

/// Leases of a neighbour that are to serve no further job: our own users, other borrowers or sites upstream want them.
std::vector<LeaseId> SiteManager::wanted_of(Instant now, std::size_t n) const {
  std::vector<LeaseId> wanted;
  std::uint64_t demand = settings_.owner_first ? queue_.demand() : 0;
  const auto for_others = lending_.wanted_for_others(now, lending_site(), n);
  for (const LeaseId& id : leases_.down(n)) {
    const Lease& lease = leases_.get(id);
    if (lease.state == LeaseState::ending) continue;
    const bool needed = !lease.upstream && demand > 0;
    if (needed) demand -= std::min<std::uint64_t>(demand, lease.processors);
    if (needed || lease.wanted || for_others.contains(id)) wanted.push_back(id);
  }
  return wanted;
}

/// Looked at ten times in a term, while anything can change it.
void SiteManager::tell_wanted(Step& s) {
  const bool may_want = lending_.borrowers().processors() > 0 && ((settings_.owner_first && queue_.demand() > 0) ||
                                                        lending_.borrowers().wants_any(s.now));
  WantedLook& look = renewals_.wanted_look();
  look.see(s.now, may_want, settings_.term / looks_a_term);
  if (s.now < look.due) return;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (!neighbours_[n].up || (leases_.down(n).empty() && renewals_.told_wanted(n).empty())) continue;
    std::vector<LeaseId> wanted = wanted_of(s.now, n);
    if (wanted == renewals_.told_wanted(n)) continue;
    renewals_.set_told_wanted(n, wanted);
    send(s, n, Renewed{{}, {}, std::move(wanted), renewals_.is_settled(n)}, {});
  }
  look.looked(s.now, may_want, settings_.term / looks_a_term);
}

// ---- when it is over -----------------------------------------------------------------------------------------------

void SiteManager::expire_leases(Step& s) {
  while (Lease* lease = leases_.take_over(s.now)) {
    const bool is_silent = s.now >= std::min(lease->upstream_until, lease->downstream_until);
    const bool is_offer = !lease->upstream && lease->state == LeaseState::offered;
    if (is_offer && !is_silent) {
      lending_.lapsed(s.now, *lease->downstream);
      end_lease(s, *lease, LeaseEnd::not_claimed);
    } else if (!is_silent) {  // it is renewed, and has lasted as long as we lend
      lease->length = {};
      reclaim(s, *lease, lease->grace, LeaseEnd::at_longest);
    } else {
      end_lease(s, *lease, LeaseEnd::expired);
    }
  }
}

}  // namespace dmm
