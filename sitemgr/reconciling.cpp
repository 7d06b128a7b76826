// The steps of reconciling.hpp.
#include "sitemgr/reconciling.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/renewing.hpp"

namespace dmm::site_steps {

/// How long a neighbour may take to say what has to be said after the inventories were compared.
static Duration adopt_within(const SiteParts& parts, std::size_t n);
/// A holding that the neighbour names as borrowed of us.
static void compare_borrowed(SiteStep& s, std::size_t n, const Holding& held, Instant until);
/// A holding that the neighbour names as lent to us.
static void compare_lent(SiteStep& s, std::size_t n, const Holding& lent);
/// We take our place in the chain of a lease again.
static void adopt(SiteStep& s, std::size_t upstream, const Adoption& adoption, const Holding& lent);

// ---- between sites --------------------------------------------------------------------------------------------------

void begin_reconciliation(SiteStep& s, std::size_t n) {
  s.parts.renewals.begin(s.now, n);
  DenseSet<LeaseId> known = s.parts.leases.up(n);
  known.insert(s.parts.leases.down(n).begin(), s.parts.leases.down(n).end());
  s.parts.reconciliation.begin(n, std::move(known));
  Inventory ours;
  for (const LeaseId& id : s.parts.leases.down(n)) {
    const HopLease& lease = s.parts.leases.get(id);
    if (!lease.nodes.empty())
      ours.lent.push_back(holding_of(lease, lease.request, lease.nodes, s.now, word_on(s.parts, lease)));
  }
  for (const LeaseId& id : s.parts.leases.up(n)) {
    const HopLease& lease = s.parts.leases.get(id);
    ours.borrowed.push_back(holding_of(lease, lease.request, lease.nodes, s.now, {}));
  }
  for (Inventory& page : pages_of(std::move(ours))) send(s, n, std::move(page), {});
}

void on(SiteStep& s, FromSite from, Inventory& part) {
  const std::size_t n = from.neighbour;
  if (!s.parts.reconciliation.is_awaited(n)) return s.parts.ignore("not_asked");
  const std::optional<Inventory> said = s.parts.reconciliation.hear(n, part);
  if (!said) return;
  const Instant until = s.now + adopt_within(s.parts, n);
  for (const Holding& held : said->borrowed) compare_borrowed(s, n, held, until);
  for (const LeaseId& id : s.parts.reconciliation.not_held(n))
    if (HopLease* lease = s.parts.leases.find(id); lease && !lease->nodes.empty()) give_back(s, *lease, {}, true);
  s.parts.reconciliation.note_unnamed(n, said->borrowed, s.parts.leases.down(n), until);
  for (const Holding& lent : said->lent) compare_lent(s, n, lent);
  s.parts.reconciliation.end(n);
}

Duration adopt_within(const SiteParts& parts, std::size_t n) {
  return parts.settings.adopt_within + parts.neighbours[n].round_trip * 2;
}

void compare_borrowed(SiteStep& s, std::size_t n, const Holding& held, Instant until) {
  HopLease* lease = s.parts.leases.find(held.lease);
  switch (s.parts.reconciliation.on_borrowed(n, held, lease, s.parts.neighbours, until)) {
    case HeldByBorrower::recorded: {
      if (!held.offered && lease->state == LeaseState::offered) {
        s.effects.log(Level::info, "claim_lost", held.request, {{"lease", to_text(held.lease)}});
        hear_claim(s, *lease);
      }
      const std::vector<NodeGroup> over = without(held.nodes, lease->nodes);
      if (!over.empty()) send(s, n, s.parts.ended.told(s.now, held.lease, over), held.request);
      break;
    }
    case HeldByBorrower::orphan: break;
    case HeldByBorrower::unknown: send(s, n, s.parts.ended.told(s.now, held.lease, {}), held.request); break;
  }
}

void compare_lent(SiteStep& s, std::size_t n, const Holding& lent) {
  HopLease* lease = s.parts.leases.find(lent.lease);
  Adoption adoption;
  switch (s.parts.reconciliation.on_lent(n, lent, lease, s.parts.neighbours, adoption)) {
    case LentToUs::recorded: {
      const std::vector<NodeGroup> returned = without(lent.nodes, lease->nodes);
      if (!returned.empty()) send(s, n, Release{lent.lease, returned, true}, lent.request);
      if (lent.left <= Duration{}) break;
      set_term(s.parts, *lease, std::min(lent.left, term_max), {});
      lease->upstream_until = s.now + lease->term;
      changed(s, *lease);
      stand(s.parts, *lease);
      s.parts.leases.watch(*lease);
      break;
    }
    case LentToUs::adopt: adopt(s, n, adoption, lent); break;
    case LentToUs::release:
      s.effects.log(Level::info, "returned", lent.request,
                    {{"lease", to_text(lent.lease)}, {"to", s.parts.neighbours[n].site.text}});
      send(s, n, Release{lent.lease, {}, true}, lent.request);
      break;
  }
}

void adopt(SiteStep& s, std::size_t upstream, const Adoption& adoption, const Holding& lent) {
  const std::size_t downstream = adoption.downstream;
  HopLease lease =
      lease_from(lent, s.now, upstream, downstream, s.parts.neighbours[upstream].stands, s.parts.settings.term);
  if (adoption.is_claimed) lease.state = LeaseState::active;
  lease.downstream_until = promised_until(s.parts, s.now, lease);
  s.effects.log(Level::info, "adopt", lent.request,
                {{"lease", to_text(lent.lease)},
                 {"from", s.parts.neighbours[upstream].site.text},
                 {"to", s.parts.neighbours[downstream].site.text}});
  HopLease& kept = add_lease(s, std::move(lease));
  s.parts.reconciliation.adopted(downstream, kept.id);
  if (kept.state == LeaseState::offered) return;
  send(s, upstream, Claim{kept.id, kept.request, {}}, kept.request);  // ours may have been lost with our record
}

void end_unvouched(SiteStep& s) {
  for (const Unvouched& one : s.parts.reconciliation.take_overdue(s.now)) {
    const std::string& by = s.parts.neighbours[one.neighbour].site.text;
    if (one.is_orphan) {
      s.effects.log(Level::info, "orphan_ended", {}, {{"lease", to_text(one.lease)}, {"by", by}});
      send(s, one.neighbour, LeaseEnded{one.lease, {}, LeaseEnd::unknown, false, {}}, {});
      continue;
    }
    HopLease* lease = s.parts.leases.find(one.lease);
    if (!lease || lease->downstream != one.neighbour || lease->nodes.empty()) continue;
    s.parts.refuse(one.neighbour, "unnamed_lease");
    s.effects.log(Level::warning, "unnamed_lease", lease->request, {{"lease", to_text(one.lease)}, {"by", by}});
    end_lease(s, *lease, LeaseEnd::unknown);
  }
}

// ---- with the site's own users --------------------------------------------------------------------------------------

void begin_reconciliation(SiteStep& s, const Party& party) {
  const Users::Holds holds = s.parts.users.holds_of(party);
  Inventory ours;
  for (const auto& [id, request] : holds) {
    const HopLease& lease = s.parts.leases.get(id);
    ours.lent.push_back(holding_of(lease, request, lease.handed_out.at(request), s.now, word_on(s.parts, lease)));
    add_own_ancestors(lease, s.parts.settings, ours.lent.back().owner_ancestors);
  }
  s.parts.reconciliation.begin(party, holds);
  for (Inventory& page : pages_of(std::move(ours))) s.effects.send(party, std::move(page));
}

void on(SiteStep& s, FromUser from, Inventory& part) {
  if (!s.parts.reconciliation.is_awaited(from.party)) return s.parts.ignore("not_asked");
  const auto whole = s.parts.reconciliation.hear(from.party, part);
  if (!whole) return;
  const auto& [said, known] = *whole;
  std::map<std::pair<LeaseId, RequestId>, const Holding*> theirs;
  for (const Holding& held : said.borrowed) theirs[{held.lease, held.request}] = &held;
  for (const auto& [id, request] : known) {
    HopLease* lease = s.parts.leases.find(id);
    if (!lease) continue;  // over since
    const auto out = lease->handed_out.find(request);
    if (out == lease->handed_out.end()) continue;
    const auto held = theirs.find({id, request});
    std::vector<NodeGroup> gone = held == theirs.end() ? out->second : without(out->second, held->second->nodes);
    if (gone.empty()) continue;
    Release returned{id, std::move(gone), false, false};
    on(s, from, returned);
  }
  for (const auto& [key, held] : theirs)
    if (!known.contains(key))
      s.effects.send(from.party, s.parts.ended.told(s.now, key.first, held->nodes), key.second);
}

}  // namespace dmm::site_steps
