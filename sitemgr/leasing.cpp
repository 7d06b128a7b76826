// The life of a lease at one hop: granted, claimed, given back, ended. Release travels to the owner, the end of a lease
// to the holder; each hop passes both on in the same step (docs/protocol.md section 7).
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// Why nobody can have granted this; empty if somebody can.
std::string_view fault_of_nodes(const Grant& grant) {
  if (grant.lease.empty() || !is_name(std::string_view(grant.lease.owner.text)) || grant.nodes.empty())
    return "no lease or no nodes";
  std::uint64_t processors = 0;
  std::map<Party, NodeSet> seen;
  for (const NodeGroup& group : grant.nodes) {
    const Party& manager = group.resource_manager;
    if (!is_possible(group)) return "impossible nodes";
    if (manager.site != grant.lease.owner || manager.role != Role::resource_manager ||
        !is_name(std::string_view(manager.name), manager_name_length_max))
      return "nodes of nobody";
    NodeSet& known = seen[manager];
    if (overlap(known, group.nodes)) return "a node twice";
    known = unite(known, group.nodes);
    processors += std::uint64_t{count(group.nodes)} * group.processors_per_node;
  }
  return processors <= processors_max ? "" : "too many processors";
}

}  // namespace

// ---- towards the sink ----------------------------------------------------------------------------------------------

/// Why a grant isn't believed, by all that can be checked here; empty if it is.
std::string_view SiteManager::fault_of(std::size_t from, const Grant& grant) const {
  if (const std::string_view fault = fault_of_nodes(grant); !fault.empty()) return fault;
  const SiteNames& chain = grant.chain;
  if (grant.term <= Duration{}) return "no term";
  // Nobody lends us our own nodes: such a lease could be mistaken for one that we make.
  if (grant.lease.owner == settings_.name) return "our own lease";
  if (chain.size() < 2 || !leads(chain, grant.lease.owner, grant.request.site, dttl_max + 1)) return "no such chain";
  // The site before us is who sent it.
  const auto self = std::find(chain.begin(), chain.end(), settings_.name);
  if (self == chain.end() || self == chain.begin() || *(self - 1) != neighbours_[from].site) return "no such chain";
  return {};
}

void SiteManager::on(Step& s, FromSite from, Grant& grant) {
  targets_.heard_grant(from.neighbour);
  if (const std::string_view fault = fault_of(from.neighbour, grant); !fault.empty()) {
    refuse(from.neighbour, "grant");
    s.out.log(Level::warning, "grant_refused", grant.request,
              {{"by", neighbours_[from.neighbour].site.text}, {"text", std::string(fault)}});
    return;
  }
  if (Lease* known = leases_.find(grant.lease)) {
    if (known->upstream == from.neighbour || neighbours_[from.neighbour].site != grant.lease.owner) return;
    // The owner itself speaks of a lease that somebody else passed on in its name.
    refuse(*known->upstream, "grant");
    end_lease(s, *known, LeaseEnd::unknown);
  }
  if (leases_.up(from.neighbour).size() >= settings_.leases_per_link_max) {
    refuse(from.neighbour, "too_many_leases");
    return send(s, from.neighbour, Release{grant.lease, {}, false, false}, grant.request);
  }
  Neighbour& neighbour = neighbours_[from.neighbour];
  targets_.answered(from.neighbour);
  targets_.granted(from.neighbour, settings_.window_max);
  search_.changed();
  // The first lease over a link begins a term there; others join it.
  if (leases_.up(from.neighbour).empty()) renewals_.first_lease(s.now, from.neighbour, settings_.term);
  Lease lease = lease_from(grant, s.now, from.neighbour, neighbour.stands);
  if (grant.request.site == settings_.name) return take_grant(s, from.neighbour, grant, std::move(lease));

  const PartKey key{grant.request, grant.part, grant.round};
  const Foreign* waiting = transit_.find(key, from.neighbour);
  const auto give_up = [&](std::string_view why) {
    s.out.log(Level::info, "release", grant.request,
              {{"lease", to_text(grant.lease)}, {"unused", true}, {"text", std::string(why)}});
    send(s, from.neighbour, Release{grant.lease, {}, false, false}, grant.request);
  };
  if (!waiting) return give_up("nobody waits for it");
  const Delegate& asked = waiting->delegate;
  SiteNames way{settings_.name};  // from here on it leads back as the delegation came
  way.insert(way.end(), asked.chain.rbegin(), asked.chain.rend());
  const bool is_ours = grant.chain.size() > way.size() &&
                       std::equal(way.begin(), way.end(), grant.chain.end() - static_cast<std::ptrdiff_t>(way.size()));
  if (const std::string fault = is_ours ? dmm::fault_of(grant.nodes, asked.request.need) : "another chain";
      !fault.empty()) {
    refuse(from.neighbour, "grant");
    give_up(fault);
    return on_no_answer(s, transit_.take_passed(key), RejectReason::malformed);
  }
  const std::size_t to = waiting->from;
  transit_.answered(to);
  note_back(transit_.take_passed(key));
  lease.downstream = to;
  grant.term = promise_of(lease);
  lease.downstream_until = promised_until(s.now, lease);
  s.out.log(Level::info, "pass_grant", grant.request,
            {{"from", neighbour.site.text}, {"to", neighbours_[to].site.text}, {"lease", to_text(grant.lease)}});
  const RequestId trace = grant.request;
  add_lease(s, std::move(lease));
  send(s, to, std::move(grant), trace);
}

/// At home: nodes for a request of one of our users, or for another that they suit.
void SiteManager::take_grant(Step& s, std::size_t from, const Grant& grant, Lease lease) {
  LocalRequest* request = queue_.find(grant.request);
  if (request && request->search == LocalRequest::Search::out) {
    if (request->target == from && request->round == grant.round) {
      targets_.back(from, request->kind->widest);
      queue_.set_search(*request, LocalRequest::Search::ready);
    } else {
      withdraw(s, *request);  // an earlier round's answer came first
    }
  }
  if (const std::string fault = request ? dmm::fault_of(grant.nodes, request->kind->need) : std::string();
      !fault.empty()) {
    refuse(from, "grant");
    targets_.silent(s.now, from);
    s.out.log(Level::warning, "grant_refused", grant.request, {{"by", neighbours_[from].site.text}, {"text", fault}});
    return send(s, from, Release{grant.lease, {}, false, true}, grant.request);
  }
  s.out.log(Level::info, "granted", grant.request,
            {{"from", neighbours_[from].site.text},
             {"lease", to_text(grant.lease)},
             {"round", std::int64_t{grant.round}}});
  lease.state = LeaseState::active;
  Lease& kept = add_lease(s, std::move(lease));
  send(s, from, Claim{kept.id, kept.request, {}}, kept.request);
  if (!request) return into_pool(kept, kept.nodes);  // served or cancelled meanwhile
  hand_out(s, kept, *request, kept.nodes);
}

void SiteManager::tell_ended(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, LeaseEnd reason,
                             bool confirmed, Duration grace) {
  changed(s, lease);
  s.out.log(Level::info, "lease_ended", lease.request,
            {{"lease", to_text(lease.id)}, {"reason", std::string(to_text(reason))}, {"confirmed", confirmed}});
  if (lease.downstream)
    return send(s, *lease.downstream, LeaseEnded{lease.id, nodes, reason, confirmed, grace}, lease.request);
  std::vector<RequestId> empty;
  for (auto& [request, held] : lease.handed_out) {
    std::vector<NodeGroup> lost = remove_nodes(held, nodes);
    if (lost.empty()) continue;
    s.out.send(job_manager_of(request), LeaseEnded{lease.id, std::move(lost), reason, confirmed, grace}, request);
    if (held.empty()) empty.push_back(request);
  }
  for (const RequestId& request : empty) take_from_user(lease, request);
}

void SiteManager::on(Step& s, FromSite from, LeaseEnded& ended) {
  Lease* lease = leases_.find(ended.lease);
  if (!lease) return ignore("unknown_lease");
  if (lease->upstream != from.neighbour) return ignore("not_its_lease");
  std::vector<NodeGroup> gone = lease->nodes;
  if (!ended.nodes.empty()) {
    std::vector<NodeGroup> rest = lease->nodes;
    gone = remove_nodes(rest, ended.nodes);
    if (gone.empty()) return;
  }
  tell_ended(s, *lease, gone, ended.reason, ended.confirmed, ended.grace);
  account(s, *lease, gone);
  remove_nodes(lease->nodes, gone);
  if (!lease->idle.empty()) remove_nodes(lease->idle, gone);
  if (lease->nodes.empty()) close(s, *lease);
}

// ---- towards the owner ---------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, FromSite from, Claim& claim) {
  Lease* lease = leases_.find(claim.lease);
  if (!lease || lease->downstream != from.neighbour || lease->state == LeaseState::ending)
    return send(s, from.neighbour, LeaseEnded{claim.lease, {}, LeaseEnd::unknown, false, {}}, claim.request);
  reconciliation_.named(from.neighbour, claim.lease);
  hear_claim(s, *lease);
}

void SiteManager::hear_claim(Step& s, Lease& lease) {
  if (lease.state != LeaseState::offered) return;
  lease.state = LeaseState::active;
  changed(s, lease);
  s.out.log(Level::debug, "claim", lease.request, {{"lease", to_text(lease.id)}});
  if (!lease.upstream) lending_.claimed(*lease.downstream);
  leases_.watch(lease);
  if (lease.upstream && !DMM_PLANT(claim_not_forwarded))
    send(s, *lease.upstream, Claim{lease.id, lease.request, {}}, lease.request);
}

void SiteManager::on(Step& s, FromSite from, Release& release) {
  Lease* lease = leases_.find(release.lease);
  if (!lease) {  // one that we were about to adopt, or it ended already, which the borrower will have heard
    if (!reconciliation_.gave_back_orphan(from.neighbour, release.lease)) ignore("unknown_lease");
    return;
  }
  reconciliation_.named(from.neighbour, release.lease);
  if (lease->downstream != from.neighbour || lease->nodes.empty()) return ignore("not_its_lease");
  give_back(s, *lease, release.nodes, release.silent, release.failed);
}

void SiteManager::on(Step& s, FromUser from, Release& release) {
  Lease* lease = leases_.find(release.lease);
  if (!lease) return ignore("unknown_lease");
  std::vector<NodeGroup> returned = take_from_users(s, *lease, release.nodes, &from.party);
  if (returned.empty()) return ignore("not_its_lease");
  changed(s, *lease);
  if (!lease->upstream) return clean(s, *lease, std::move(returned), LeaseEnd::released, false);
  // Whoever lent nodes on which nothing starts isn't asked again for a while, nor are they used for another job.
  if (release.failed) {
    refuse(*lease->upstream, "nothing_started");
    targets_.silent(s.now, *lease->upstream);
    return give_back(s, *lease, returned, release.silent, true);
  }
  into_pool(*lease, std::move(returned));
}

void SiteManager::give_back(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, bool silent, bool failed) {
  if (!lease.upstream) return clean(s, lease, nodes, silent ? LeaseEnd::expired : LeaseEnd::released, silent);
  std::vector<NodeGroup> gone = remove_nodes(lease.nodes, nodes);
  if (gone.empty()) return;
  changed(s, lease);
  if (!lease.idle.empty()) remove_nodes(lease.idle, gone);
  account(s, lease, gone);
  s.out.log(Level::info, "release", lease.request,
            {{"lease", to_text(lease.id)}, {"to", neighbours_[*lease.upstream].site.text}});
  const bool all = lease.nodes.empty();
  if (!DMM_PLANT(release_not_forwarded))
    send(s, *lease.upstream, Release{lease.id, all ? std::vector<NodeGroup>{} : std::move(gone), silent, failed},
         lease.request);
  if (all) close(s, lease);
}

void SiteManager::clean(Step& s, Lease& lease, std::vector<NodeGroup> nodes, LeaseEnd reason, bool silent,
                        Duration grace) {
  const bool was_clean = lease.cleaning.empty();
  const std::vector<NodeGroup> gone = take_for_cleaning(s, lease, nodes);
  if (gone.empty()) return;
  lease.detached = silent && (lease.detached || was_clean);
  const Duration detached = silent ? settings_.detached_max : Duration{};
  each_manager(gone, [&](const Party& manager, const NodeSet& set) {
    s.out.send(manager, Unassign{lease.id, set, grace, detached, reason}, lease.request);
  });
  if (DMM_PLANT(clean_not_awaited)) each_manager(gone, [&](const Party& m, const NodeSet& set) { owned_.put(m, set); });
}

/// Nobody holds these nodes, empty for all, any more: which they were.
std::vector<NodeGroup> SiteManager::take_for_cleaning(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes) {
  DMM_ASSERT(!lease.upstream);
  std::vector<NodeGroup> gone = remove_nodes(lease.nodes, nodes);
  if (gone.empty()) return gone;
  changed(s, lease);
  account(s, lease, gone);
  if (lease.nodes.empty()) lease.state = LeaseState::ending;
  add_nodes(lease.cleaning, gone);
  return gone;
}

void SiteManager::end_lease(Step& s, Lease& lease, LeaseEnd reason) {
  if (lease.nodes.empty()) return;  // ending already
  tell_ended(s, lease, lease.nodes, reason, false);
  // Who didn't claim or renew may only be cut off: what runs is asked for by nobody, but ended by nobody either.
  give_back(s, lease, {}, true);
}

// ---- accounts ------------------------------------------------------------------------------------------------------

void SiteManager::account(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes) {
  const std::uint32_t processors = processors_of(nodes);
  lease.processor_microseconds += processors * static_cast<std::uint64_t>((s.now - lease.granted).microseconds);
  if (!lease.upstream && lease.downstream) lending_.returned(s.now, *lease.downstream, processors);
}

Lease& SiteManager::add_lease(Step& s, Lease lease) {
  Lease& kept = keep_lease(s, std::move(lease));
  if (!DMM_PLANT(grant_not_written) || !kept.upstream || !kept.downstream) changed(s, kept);
  return kept;
}

/// In the book and in what is derived of it, but not in the ledger yet.
Lease& SiteManager::keep_lease(Step& s, Lease lease) {
  if (!lease.upstream && lease.downstream) lending_.lent(s.now, *lease.downstream, processors_of(lease.nodes));
  Lease& kept = leases_.add(std::move(lease));
  relays_.carry(kept);
  leases_.watch(kept);
  restate_unless_it_stands(kept);
  return kept;
}

void SiteManager::close(Step& s, Lease& lease) {
  accounts_.close(lease, s.now, neighbours_);
  changed(s, lease);
  relays_.drop(s.now, lease);
  leases_.erase(lease.id);
}

}  // namespace dmm
