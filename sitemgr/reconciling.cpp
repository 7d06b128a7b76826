// Carrying out what follows from two inventories (reconciliation.hpp): what is sent at the start of a session, and what
// becomes of each lease that the other side names or leaves out.
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
// ---- between sites -------------------------------------------------------------------------------------------------

void SiteManager::begin_reconciliation(Step& s, std::size_t n) {
  renewals_.begin(s.now, n);
  DenseSet<LeaseId> known = leases_.up(n);
  known.insert(leases_.down(n).begin(), leases_.down(n).end());
  reconciliation_.begin(n, std::move(known));
  Inventory ours;
  for (const LeaseId& id : leases_.down(n)) {
    const Lease& lease = leases_.get(id);
    if (!lease.nodes.empty()) ours.lent.push_back(holding_of(lease, lease.request, lease.nodes, s.now, word_on(lease)));
  }
  for (const LeaseId& id : leases_.up(n)) {
    const Lease& lease = leases_.get(id);
    ours.borrowed.push_back(holding_of(lease, lease.request, lease.nodes, s.now, {}));
  }
  for (Inventory& part : parts_of(std::move(ours))) send(s, n, std::move(part), {});
}

void SiteManager::on(Step& s, FromSite from, Inventory& part) {
  const std::size_t n = from.neighbour;
  if (!reconciliation_.is_awaited(n)) return ignore("not_asked");
  const std::optional<Inventory> said = reconciliation_.hear(n, part);
  if (!said) return;
  const Instant until = s.now + adopt_within(n);
  for (const Holding& held : said->borrowed) compare_borrowed(s, n, held, until);
  for (const LeaseId& id : reconciliation_.not_held(n))
    if (Lease* lease = leases_.find(id); lease && !lease->nodes.empty()) give_back(s, *lease, {}, true);
  reconciliation_.note_unnamed(n, said->borrowed, leases_.down(n), until);
  for (const Holding& lent : said->lent) compare_lent(s, n, lent);
  reconciliation_.end(n);
}

/// How long a neighbour may take to say what has to be said after the inventories were compared.
Duration SiteManager::adopt_within(std::size_t n) const {
  return settings_.adopt_within + neighbours_[n].round_trip * 2;
}

/// A holding that the neighbour names as borrowed of us.
void SiteManager::compare_borrowed(Step& s, std::size_t n, const Holding& held, Instant until) {
  Lease* lease = leases_.find(held.lease);
  switch (reconciliation_.on_borrowed(n, held, lease, neighbours_, until)) {
    case HeldByBorrower::recorded: {
      if (lease->state == LeaseState::offered)
        s.out.log(Level::info, "claim_lost", held.request, {{"lease", to_text(held.lease)}});
      hear_claim(s, *lease);
      const std::vector<NodeGroup> over = without(held.nodes, lease->nodes);
      if (!over.empty()) send(s, n, LeaseEnded{held.lease, over, LeaseEnd::unknown, false, {}}, held.request);
      break;
    }
    case HeldByBorrower::orphan: break;
    case HeldByBorrower::unknown:
      send(s, n, LeaseEnded{held.lease, {}, LeaseEnd::unknown, false, {}}, held.request);
      break;
  }
}

/// A holding that the neighbour names as lent to us.
void SiteManager::compare_lent(Step& s, std::size_t n, const Holding& lent) {
  Lease* lease = leases_.find(lent.lease);
  std::size_t downstream = 0;
  switch (reconciliation_.on_lent(n, lent, lease, neighbours_, downstream)) {
    case LentToUs::recorded: {
      const std::vector<NodeGroup> returned = without(lent.nodes, lease->nodes);
      if (!returned.empty()) send(s, n, Release{lent.lease, returned, true}, lent.request);
      if (lent.left <= Duration{}) break;
      lease->term = std::min(lent.left, term_max);
      lease->upstream_until = s.now + lease->term;
      changed(s, *lease);
      stand(*lease);
      leases_.watch(*lease);
      break;
    }
    case LentToUs::adopt: adopt(s, n, downstream, lent); break;
    case LentToUs::release:
      s.out.log(Level::info, "returned", lent.request,
                {{"lease", to_text(lent.lease)}, {"to", neighbours_[n].site.text}});
      send(s, n, Release{lent.lease, {}, true}, lent.request);
      break;
  }
}

/// We take our place in the chain of a lease again.
void SiteManager::adopt(Step& s, std::size_t upstream, std::size_t downstream, const Holding& lent) {
  Lease lease = lease_from(lent, s.now, upstream, downstream, neighbours_[upstream].stands, settings_.term);
  lease.downstream_until = promised_until(s.now, lease);
  s.out.log(Level::info, "adopt", lent.request,
            {{"lease", to_text(lent.lease)}, {"from", neighbours_[upstream].site.text}, {"to", neighbours_[downstream].site.text}});
  Lease& kept = add_lease(s, std::move(lease));
  reconciliation_.adopted(downstream, kept.id);
  send(s, upstream, Claim{kept.id, kept.request, {}}, kept.request);  // ours may have been lost with our record
}

/// Ends leases for which no side spoke in time.
void SiteManager::end_unvouched(Step& s) {
  for (const Unvouched& one : reconciliation_.take_overdue(s.now)) {
    const std::string& by = neighbours_[one.neighbour].site.text;
    if (one.is_orphan) {
      s.out.log(Level::info, "orphan_ended", {}, {{"lease", to_text(one.lease)}, {"by", by}});
      send(s, one.neighbour, LeaseEnded{one.lease, {}, LeaseEnd::unknown, false, {}}, {});
      continue;
    }
    Lease* lease = leases_.find(one.lease);
    if (!lease || lease->downstream != one.neighbour || lease->nodes.empty()) continue;
    refuse(one.neighbour, "unnamed_lease");
    s.out.log(Level::warning, "unnamed_lease", lease->request, {{"lease", to_text(one.lease)}, {"by", by}});
    end_lease(s, *lease, LeaseEnd::unknown);
  }
}

// ---- with the site's own users -------------------------------------------------------------------------------------

void SiteManager::begin_reconciliation(Step& s, const Party& party) {
  const Users::Holds holds = users_.holds_of(party);
  Inventory ours;
  for (const auto& [id, request] : holds) {
    const Lease& lease = leases_.get(id);
    ours.lent.push_back(holding_of(lease, request, lease.handed_out.at(request), s.now, word_on(lease)));
  }
  reconciliation_.begin(party, holds);
  for (Inventory& part : parts_of(std::move(ours))) s.out.send(party, std::move(part));
}

/// What the job manager doesn't hold any more comes back; what it holds without our record is over.
void SiteManager::on(Step& s, FromUser from, Inventory& part) {
  if (!reconciliation_.is_awaited(from.party)) return ignore("not_asked");
  const auto whole = reconciliation_.hear(from.party, part);
  if (!whole) return;
  const auto& [said, known] = *whole;
  std::map<std::pair<LeaseId, RequestId>, const Holding*> theirs;
  for (const Holding& held : said.borrowed) theirs[{held.lease, held.request}] = &held;
  for (const auto& [id, request] : known) {
    Lease* lease = leases_.find(id);
    if (!lease) continue;  // over since
    const auto out = lease->handed_out.find(request);
    if (out == lease->handed_out.end()) continue;
    const auto held = theirs.find({id, request});
    std::vector<NodeGroup> gone =
        held == theirs.end() ? out->second : without(out->second, held->second->nodes);
    if (gone.empty()) continue;
    Release returned{id, std::move(gone), false, false};
    on(s, from, returned);
  }
  for (const auto& [key, held] : theirs)
    if (!known.contains(key))
      s.out.send(from.party, LeaseEnded{key.first, held->nodes, LeaseEnd::unknown, false, {}}, key.second);
}

}  // namespace dmm
