// What both sides of a link do when a session is new to either of them: each says what it believes of the leases
// between them, and what was lost with the old session is put right (docs/protocol.md section 8.16a). The lender's
// record decides what is leased; whoever lacks a lease says what becomes of it.
#include <algorithm>
#include <set>

#include "protocol/inventory.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

Holding holding_of(Instant now, const Lease& lease, const RequestId& request, const std::vector<NodeGroup>& nodes,
                   Duration left) {
  const Duration length = lease.length == Duration{} ? Duration{} : std::max(lease.limit() - now, microseconds(1));
  return {lease.id,     request, nodes, lease.chain, lease.owner_ancestors,
          lease.blocks, std::max(left, Duration{}), lease.grace, length, lease.round_trip};
}

}  // namespace

// ---- between sites -------------------------------------------------------------------------------------------------

void SiteManager::open_books(Step& s, std::size_t n) {
  Neighbour& neighbour = neighbours_[n];
  neighbour.renew_due = s.now;
  neighbour.agrees = false;
  neighbour.told_wanted.clear();
  wanted_look_.due = s.now;
  neighbour.judging = true;
  neighbour.known_leases = leases_.up(n);
  neighbour.known_leases.insert(leases_.down(n).begin(), leases_.down(n).end());
  neighbour.inventory = {};
  neighbour.orphans.clear();
  neighbour.unnamed.clear();
  neighbour.disagrees.reset();
  Inventory books;
  for (const LeaseId& id : leases_.down(n)) {
    const Lease& lease = leases_.get(id);
    if (!lease.nodes.empty())
      books.lent.push_back(holding_of(s.now, lease, lease.request, lease.nodes, word_on(lease)));
  }
  for (const LeaseId& id : leases_.up(n)) {
    const Lease& lease = leases_.get(id);
    books.borrowed.push_back(holding_of(s.now, lease, lease.request, lease.nodes, {}));
  }
  for (Inventory& part : parts_of(std::move(books))) send(s, n, std::move(part), {});
}

void SiteManager::on(Step& s, FromSite from, Inventory& part) {
  Neighbour& neighbour = neighbours_[from.neighbour];
  if (!neighbour.judging) return ignore("not_asked");
  if (!gather(neighbour.inventory, part)) return;
  neighbour.judging = false;
  const Inventory said = std::exchange(neighbour.inventory, {});
  judge_lent(s, from.neighbour, said.borrowed);
  judge_borrowed(s, from.neighbour, said.lent);
  neighbour.known_leases.clear();
}

/// What the neighbour says that it holds of us. Of the two, the one that lacks a lease, or some of its nodes, says what
/// becomes of them; the other waits for that word. (If the one that has them concluded from the other's silence that
/// they are over, a site in the middle could never take its place in the chain again.)
void SiteManager::judge_lent(Step& s, std::size_t n, const std::vector<Holding>& borrowed) {
  Neighbour& neighbour = neighbours_[n];
  for (const Holding& held : borrowed) {
    neighbour.adopted.erase(held.lease);
    Lease* lease = leases_.find(held.lease);
    if (lease && lease->downstream == n && !lease->nodes.empty()) {
      if (lease->state == LeaseState::offered)
        s.out.log(Level::info, "claim_lost", held.request, {{"lease", to_text(held.lease)}});
      hear_claim(s, *lease);
      const std::vector<NodeGroup> over = without(held.nodes, lease->nodes);
      if (!over.empty()) send(s, n, LeaseEnded{held.lease, over, LeaseEnd::unknown, false, {}}, held.request);
    } else if (!lease && !neighbour.known_leases.contains(held.lease) && may_adopt(n, held)) {
      neighbour.orphans[held.lease] = s.now + adopt_within(n);
    } else {
      send(s, n, LeaseEnded{held.lease, {}, LeaseEnd::unknown, false, {}}, held.request);
    }
  }
  for (const LeaseId& id : std::exchange(neighbour.adopted, {}))
    if (Lease* lease = leases_.find(id); lease && !lease->nodes.empty()) give_back(s, *lease, {}, true);
  // What it was lent and doesn't name it gives back; if it doesn't do that either, it is taken back.
  std::set<LeaseId> named;
  for (const Holding& held : borrowed) named.insert(held.lease);
  for (const LeaseId& id : leases_.down(n))
    if (neighbour.known_leases.contains(id) && !named.contains(id)) neighbour.unnamed[id] = s.now + adopt_within(n);
}

/// How long a neighbour may take to say what has to be said after the books were compared.
Duration SiteManager::adopt_within(std::size_t n) const {
  return settings_.adopt_within + neighbours_[n].round_trip * 2;
}

/// Whether we may have passed this lease on and lost our record of it: the site that it would have come from hasn't
/// told what it lent us since we started.
bool SiteManager::may_adopt(std::size_t n, const Holding& held) const {
  const auto self = std::find(held.chain.begin(), held.chain.end(), settings_.name);
  if (self == held.chain.end() || self == held.chain.begin() || self + 1 == held.chain.end()) return false;
  const auto upstream = neighbours_.find(*(self - 1));
  if (!upstream || *(self + 1) != neighbours_[n].site) return false;
  return neighbours_[*upstream].judging;
}

/// What the neighbour says that it lent us; see judge_lent.
void SiteManager::judge_borrowed(Step& s, std::size_t n, const std::vector<Holding>& lent) {
  for (const Holding& held : lent) {
    Lease* lease = leases_.find(held.lease);
    if (lease && lease->upstream == n) {
      const std::vector<NodeGroup> returned = without(held.nodes, lease->nodes);
      if (!returned.empty()) send(s, n, Release{held.lease, returned, true}, held.request);
      if (held.left <= Duration{}) continue;
      lease->term = std::min(held.left, term_max);
      lease->upstream_until = s.now + lease->term;
      changed(s, *lease);
      stand(*lease);
      leases_.watch(*lease);
    } else if (!lease && !neighbours_[n].known_leases.contains(held.lease)) {
      adopt_or_release(s, n, held);
    } else {
      s.out.log(Level::info, "returned", held.request,
                {{"lease", to_text(held.lease)}, {"to", neighbours_[n].site.text}});
      send(s, n, Release{held.lease, {}, true}, held.request);
    }
  }
}

/// The neighbour lent us something that we have no record of: if it was on its way through us, we take our place in
/// the chain again; nobody here uses it otherwise. But what runs on it may be heard by its job manager.
void SiteManager::adopt_or_release(Step& s, std::size_t n, const Holding& lent) {
  const auto release = [&] {
    s.out.log(Level::info, "returned", lent.request,
              {{"lease", to_text(lent.lease)}, {"to", neighbours_[n].site.text}});
    send(s, n, Release{lent.lease, {}, true}, lent.request);
  };
  const auto self = std::find(lent.chain.begin(), lent.chain.end(), settings_.name);
  if (self == lent.chain.end() || self + 1 == lent.chain.end() || lent.lease.owner == settings_.name) return release();
  const auto downstream = neighbours_.find(*(self + 1));
  if (!downstream || *downstream == n) return release();
  Neighbour& towards_sink = neighbours_[*downstream];
  if (!towards_sink.judging && towards_sink.orphans.erase(lent.lease) == 0) return release();
  Lease lease;
  lease.id = lent.lease;
  lease.request = lent.request;
  lease.state = LeaseState::active;
  lease.upstream = n;
  lease.downstream = *downstream;
  lease.nodes = lent.nodes;
  lease.chain = lent.chain;
  lease.owner_ancestors = lent.owner_ancestors;
  lease.blocks = lent.blocks;
  lease.grace = lent.grace;
  lease.granted = s.now;
  lease.length = std::max(lent.length, Duration{});
  lease.round_trip = std::clamp(lent.round_trip, Duration{}, round_trip_max);
  lease.unsure = lent.left <= Duration{};
  lease.term = lease.unsure ? settings_.term : std::min(lent.left, term_max);
  lease.upstream_until = neighbours_[n].stands && !lease.unsure ? never : s.now + lease.term;
  lease.downstream_until = promised_until(s.now, lease);
  lease.processors = processors_of(lent.nodes);
  s.out.log(Level::info, "adopt", lent.request,
            {{"lease", to_text(lent.lease)}, {"from", neighbours_[n].site.text}, {"to", towards_sink.site.text}});
  Lease& kept = add_lease(s, std::move(lease));
  if (towards_sink.judging) towards_sink.adopted.insert(kept.id);
  send(s, n, Claim{kept.id, kept.request, {}}, kept.request);  // ours may have been lost with our record
}

/// Nobody spoke for these in time.
void SiteManager::end_unvouched(Step& s) {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    std::erase_if(neighbours_[n].orphans, [&](const auto& orphan) {
      if (s.now < orphan.second) return false;
      s.out.log(Level::info, "orphan_ended", {}, {{"lease", to_text(orphan.first)}, {"by", neighbours_[n].site.text}});
      send(s, n, LeaseEnded{orphan.first, {}, LeaseEnd::unknown, false, {}}, {});
      return true;
    });
    std::erase_if(neighbours_[n].unnamed, [&](const auto& unnamed) {
      if (s.now < unnamed.second) return false;
      Lease* lease = leases_.find(unnamed.first);
      if (!lease || lease->downstream != n || lease->nodes.empty()) return true;
      refuse(n, "unnamed_lease");
      s.out.log(Level::warning, "unnamed_lease", lease->request,
                {{"lease", to_text(unnamed.first)}, {"by", neighbours_[n].site.text}});
      end_lease(s, *lease, LeaseEnd::unknown);
      return true;
    });
  }
}

// ---- with the site's own users -------------------------------------------------------------------------------------

void SiteManager::open_books(Step& s, const Party& party) {
  JobManager& user = job_managers_[party];
  user.judging = true;
  user.inventory = {};
  user.judged = holds_of(party, user);
  Inventory books;
  for (const auto& [id, request] : user.judged) {
    const Lease& lease = leases_.get(id);
    books.lent.push_back(holding_of(s.now, lease, request, lease.handed_out.at(request), word_on(lease)));
  }
  for (Inventory& part : parts_of(std::move(books))) s.out.send(party, std::move(part));
}

void SiteManager::on(Step& s, FromUser from, Inventory& part) {
  if (!job_managers_.contains(from.party)) return ignore("unknown_user");
  JobManager& user = job_managers_[from.party];
  if (!user.judging) return ignore("not_asked");
  if (!gather(user.inventory, part)) return;
  user.judging = false;
  const Inventory said = std::exchange(user.inventory, {});
  const JobManager::Holds judged = std::exchange(user.judged, {});
  std::map<std::pair<LeaseId, RequestId>, const Holding*> theirs;
  for (const Holding& held : said.borrowed) theirs[{held.lease, held.request}] = &held;
  for (const auto& [id, request] : judged) {
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
    if (!judged.contains(key))
      s.out.send(from.party, LeaseEnded{key.first, held->nodes, LeaseEnd::unknown, false, {}}, key.second);
}

}  // namespace dmm
