// For how long a lease is promised, hop by hop, and when it is over (docs/protocol.md sections 8.15 and 8.16).
#include <algorithm>
#include <set>

#include "machine/assert.hpp"
#include "machine/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

void SiteManager::renew_links(Step& s) {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || leases_.up(n).empty() || neighbour.renew_sent || s.now < neighbour.renew_due) continue;
    neighbour.renew_sent = s.now;
    neighbour.renew_due = s.now + settings_.term / 10;
    if (!DMM_PLANT(not_renewed)) send(s, n, Renew{static_cast<std::uint32_t>(leases_.up(n).size())}, {});
  }
}

/// For how long from now we may promise it: no longer than its term, nor than we have it ourselves.
Duration SiteManager::left_of(Instant now, const Lease& lease) const {
  if (lease.unsure) return {};
  const Duration has = lease.upstream ? lease.upstream_until - now - settings_.term / 100 : lease.term;
  return std::min(lease.term, has);
}

void SiteManager::on_renew(Step& s, std::optional<std::size_t> from, const Party& party, const Renew& renew) {
  if (!from) return answer_job_manager(s, party);
  compare_counts(s, *from, renew);
  // All leases of a link get the same time where that is possible; those with another are named one by one.
  Renewed answer{settings_.term, {}, {}};
  std::uint64_t demand = settings_.owner_first ? queue_.demand() : 0;
  const auto for_others = wanted_for_others(s.now, *from);
  for (const LeaseId& id : leases_.down(*from)) {
    const Lease& lease = leases_.get(id);
    const Duration has = left_of(s.now, lease);
    if (!lease.unsure && lease.term <= settings_.term && has >= settings_.term / 2)
      answer.term = std::min(answer.term, has);
  }
  for (const LeaseId& id : leases_.down(*from)) {
    Lease& lease = *leases_.find(id);
    if (lease.state == LeaseState::ending) continue;
    if (lease.unsure) {
      answer.shorter.push_back({id, not_known});
      continue;
    }
    const Duration has = left_of(s.now, lease);
    const bool is_other = has < answer.term || lease.term > settings_.term;
    if (is_other) answer.shorter.push_back({id, std::max(has, Duration{})});
    // What was promised before stays promised as far as there is anything to promise: the holder keeps the later.
    const Instant promised = has < answer.term ? Instant{} : lease.downstream_until;
    const Duration margin = lease.upstream ? Duration{} : lease.term / owner_margin;
    lease.downstream_until = std::max(promised, s.now + (is_other ? has : answer.term) + margin);
    if (promised == Instant{}) leases_.watch(lease);
    const bool needed = !lease.upstream && demand > 0;
    if (needed) demand -= std::min<std::uint64_t>(demand, lease.processors);
    if (needed || lease.wanted || for_others.contains(id)) answer.wanted.push_back(id);
  }
  send(s, *from, std::move(answer), {});
}

void SiteManager::answer_job_manager(Step& s, const Party& party) {
  const auto user = job_managers_.find(party);
  if (user == job_managers_.end()) return;
  Renewed answer{settings_.term, {}, {}};
  // Ours last as long as they are used; only what is borrowed may end sooner, or be promised for longer.
  for (const auto& [id, request] : user->second.borrowed) {
    const Lease& lease = leases_.get(id);
    const Duration has = left_of(s.now, lease);
    if (has != settings_.term) answer.shorter.push_back({id, std::max(has, Duration{})});
  }
  s.out.send(party, std::move(answer));
}

/// A borrower that renews fewer leases than it was lent, for longer than anything can be on its way, has lost some: the
/// two compare all of them.
void SiteManager::compare_counts(Step& s, std::size_t n, const Renew& renew) {
  Neighbour& neighbour = neighbours_[n];
  std::size_t lent = 0;
  for (const LeaseId& id : leases_.down(n)) lent += leases_.get(id).state == LeaseState::active;
  if (renew.leases >= lent) return neighbour.disagrees.reset();
  if (!neighbour.disagrees) neighbour.disagrees = s.now;
  if (s.now - *neighbour.disagrees < settings_.term + neighbour.round_trip * 2) return;
  neighbour.disagrees.reset();
  refuse(n, "renews_too_few");
  s.out.log(Level::warning, "renews_too_few", {},
            {{"peer", neighbour.site.text},
             {"renewed", std::int64_t{renew.leases}},
             {"lent", static_cast<std::int64_t>(lent)}});
  s.out.renewals.push_back(party(n));
}

void SiteManager::on(Step&, std::size_t from, Renewed& renewed) {
  Neighbour& neighbour = neighbours_[from];
  if (!neighbour.renew_sent) return;
  const Instant sent = *std::exchange(neighbour.renew_sent, std::nullopt);
  renewed.term = std::clamp(renewed.term, Duration{}, term_max);
  std::set<LeaseId> unknown;  // to those upstream, after a restart: what we have goes on until they hear
  for (const LeaseTerm& term : renewed.shorter)
    if (term.left == not_known) unknown.insert(term.lease);
  for (const LeaseId& id : leases_.up(from)) {
    if (unknown.contains(id)) continue;
    Lease& lease = *leases_.find(id);
    if (lease.granted <= sent) lease.upstream_until = std::max(lease.upstream_until, sent + renewed.term);
    lease.wanted = lease.unsure = false;
  }
  for (const LeaseTerm& term : renewed.shorter)
    if (Lease* lease = leases_.find(term.lease); lease && lease->upstream == from && term.left != not_known) {
      lease->upstream_until = sent + std::clamp(term.left, Duration{}, term_max);
      leases_.watch(*lease);
    }
  for (const LeaseId& id : renewed.wanted)
    if (Lease* lease = leases_.find(id); lease && lease->upstream == from) lease->wanted = true;
}

void SiteManager::expire_leases(Step& s) {
  while (Lease* lease = leases_.take_over(s.now)) {
    const bool is_silent = s.now >= std::min(lease->upstream_until, lease->downstream_until);
    const bool is_offer = !lease->upstream && lease->state == LeaseState::offered;
    if (is_offer && !is_silent) {
      borrowers_.lapse(s.now, *lease->downstream);
      end_lease(s, *lease, LeaseEnd::not_claimed);
    } else if (!is_silent) {  // it is renewed, and has lasted as long as we lend
      lease->length = {};
      take_back(s, *lease, lease->grace, LeaseEnd::at_longest);
    } else {
      end_lease(s, *lease, LeaseEnd::expired);
    }
  }
}

}  // namespace dmm
