// The steps of leasing.hpp.
#include "sitemgr/leasing.hpp"
#include "sitemgr/experience.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/delegating.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/passing_on.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/renewing.hpp"

namespace dmm::site_steps {
namespace {

/// Why no site can have granted this; empty if one can.
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
      return "nodes of no resource manager";
    NodeSet& known = seen[manager];
    if (overlap(known, group.nodes)) return "a node twice";
    known = unite(known, group.nodes);
    processors += std::uint64_t{count(group.nodes)} * group.processors_per_node;
  }
  return processors <= processors_max ? "" : "too many processors";
}

}  // namespace

/// Why a grant isn't believed, by all that can be checked here; empty if it is.
static std::string_view fault_of(const SiteParts& parts, std::size_t from, const Grant& grant);
/// At home: nodes for a request of one of our users, or for another that they suit.
static void take_grant(SiteStep& s, std::size_t from, const Grant& grant, HopLease lease);
/// Passes a grant on to the neighbour that delegated its request to us.
static void pass_grant(SiteStep& s, std::size_t from, Grant& grant, HopLease lease);

// ---- towards the sink -----------------------------------------------------------------------------------------------

std::string_view fault_of(const SiteParts& parts, std::size_t from, const Grant& grant) {
  if (const std::string_view fault = fault_of_nodes(grant); !fault.empty()) return fault;
  const SiteNames& chain = grant.chain;
  if (grant.term <= Duration{}) return "no term";
  // No site lends us our own nodes: such a lease could be mistaken for one that we make.
  if (grant.lease.owner == parts.settings.name) return "our own lease";
  if (chain.size() < 2 || !leads(chain, grant.lease.owner, grant.request.site, dttl_max + 1))
    return "no such chain";
  // The site before us in the chain must be the neighbour that sent the Grant.
  const auto self = std::find(chain.begin(), chain.end(), parts.settings.name);
  if (self == chain.end() || self == chain.begin() || *(self - 1) != parts.neighbours[from].site)
    return "no such chain";
  return {};
}

/// When the neighbour was asked for what it grants: it granted it later. Nothing if another request is out there.
static Instant asked_at(SiteParts& parts, std::size_t from, const Grant& grant) {
  if (grant.request.site != parts.settings.name) {
    const Foreign* asked = parts.transit.find({grant.request, grant.part, grant.round}, from);
    return asked ? asked->asked_at : Instant{};
  }
  const LocalRequest* request = parts.queue.find(grant.request);
  if (!request || !request->is_away()) return {};
  const CoAttempt* attempt = parts.co_allocator.find(grant.request);
  const bool is_asked =
      attempt ? attempt->round == grant.round : request->target == from && request->round == grant.round;
  return is_asked ? request->asked_at : Instant{};
}

void on(SiteStep& s, FromSite from, Grant& grant) {
  s.parts.targets.heard_grant(from.neighbour);
  if (const std::string_view fault = fault_of(s.parts, from.neighbour, grant); !fault.empty()) {
    s.parts.refuse(from.neighbour, "grant");
    s.effects.log(Level::warning, "grant_refused", grant.request,
                  {{"by", s.parts.neighbours[from.neighbour].site.text}, {"text", std::string(fault)}});
    return;
  }
  if (HopLease* known = s.parts.leases.find(grant.lease)) {
    if (known->upstream == from.neighbour || s.parts.neighbours[from.neighbour].site != grant.lease.owner) return;
    // The owner itself speaks of a lease that another site passed on in the owner's name.
    s.parts.refuse(*known->upstream, "grant");
    end_lease(s, *known, LeaseEnd::unknown);
  }
  if (s.parts.leases.up(from.neighbour).size() >= s.parts.settings.leases_per_link_max) {
    s.parts.refuse(from.neighbour, "too_many_leases");
    return send(s, from.neighbour, Release{grant.lease, {}, false, false}, grant.request);
  }
  Neighbour& neighbour = s.parts.neighbours[from.neighbour];
  s.parts.targets.answered(from.neighbour);
  s.parts.targets.granted(from.neighbour, s.parts.settings.window_max);
  // The first lease over a link begins a term there; others join it.
  if (s.parts.leases.up(from.neighbour).empty())
    s.parts.renewals.first_lease(s.now, from.neighbour, s.parts.settings.term);
  const Instant promised = std::max(from.proved, asked_at(s.parts, from.neighbour, grant));
  HopLease lease = lease_from(grant, s.now, promised, from.neighbour, neighbour.stands);
  if (grant.request.site == s.parts.settings.name) return take_grant(s, from.neighbour, grant, std::move(lease));
  pass_grant(s, from.neighbour, grant, std::move(lease));
}

void pass_grant(SiteStep& s, std::size_t from, Grant& grant, HopLease lease) {
  const PartKey key{grant.request, grant.part, grant.round};
  const Foreign* waiting = s.parts.transit.find(key, from);
  const auto give_up = [&](std::string_view why) {
    s.effects.log(Level::info, "release", grant.request,
                  {{"lease", to_text(grant.lease)}, {"unused", true}, {"text", std::string(why)}});
    send(s, from, Release{grant.lease, {}, false, false}, grant.request);
  };
  if (!waiting) return give_up("no request waits for it");
  const Delegate& asked = waiting->delegate;
  SiteNames way{s.parts.settings.name};  // from here on it leads back as the delegation came
  way.insert(way.end(), asked.chain.rbegin(), asked.chain.rend());
  const bool is_ours =
      grant.chain.size() > way.size() &&
      std::equal(way.begin(), way.end(), grant.chain.end() - static_cast<std::ptrdiff_t>(way.size()));
  if (const std::string fault = is_ours ? dmm::fault_of(grant.nodes, asked.request.need) : "another chain";
      !fault.empty()) {
    s.parts.refuse(from, "grant");
    give_up(fault);
    return on_no_answer(s, s.parts.transit.take_passed(key), RejectReason::malformed);
  }
  const std::size_t to = waiting->from;
  s.parts.transit.answered(to);
  note_back(s.parts, s.parts.transit.take_passed(key));
  lease.downstream = to;
  grant.term = first_promise(s.parts, s.now, lease);
  lease.downstream_until = promised_until(s.parts, s.now, lease);
  s.effects.log(Level::info, "pass_grant", grant.request,
                {{"from", s.parts.neighbours[from].site.text},
                 {"to", s.parts.neighbours[to].site.text},
                 {"lease", to_text(grant.lease)}});
  const RequestId trace = grant.request;
  add_lease(s, std::move(lease));
  send(s, to, std::move(grant), trace);
}

void take_grant(SiteStep& s, std::size_t from, const Grant& grant, HopLease lease) {
  if (grant.part > 0) return take_part(s, from, grant, std::move(lease));
  LocalRequest* request = s.parts.queue.find(grant.request);
  if (request && request->search == LocalRequest::Search::out) {
    if (request->target == from && request->round == grant.round) {
      s.parts.targets.back(from, request->kind->widest);
      s.parts.queue.set_search(*request, LocalRequest::Search::ready);
    } else {
      withdraw(s, *request);  // an earlier round's answer came first
    }
  }
  if (const std::string fault = request ? dmm::fault_of(grant.nodes, request->kind->need) : std::string();
      !fault.empty()) {
    s.parts.refuse(from, "grant");
    s.parts.targets.worthless(s.now, from);
    s.effects.log(Level::warning, "grant_refused", grant.request,
                  {{"by", s.parts.neighbours[from].site.text}, {"text", fault}});
    return send(s, from, Release{grant.lease, {}, false, true}, grant.request);
  }
  s.effects.log(Level::info, "granted", grant.request,
                {{"from", s.parts.neighbours[from].site.text},
                 {"lease", to_text(grant.lease)},
                 {"round", std::int64_t{grant.round}}});
  lease.state = LeaseState::active;
  HopLease& kept = add_lease(s, std::move(lease));
  send(s, from, Claim{kept.id, kept.request, {}}, kept.request);
  if (!request) return into_pool(s.parts, kept, kept.nodes);  // served or cancelled meanwhile
  hand_out(s, kept, *request, kept.nodes);
}

void tell_ended(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, LeaseEnd reason, bool confirmed,
                Duration grace) {
  changed(s, lease);
  s.parts.ended.add(s.now, lease.id, reason, grace);
  s.effects.log(
      Level::info, "lease_ended", lease.request,
      {{"lease", to_text(lease.id)}, {"reason", std::string(to_text(reason))}, {"confirmed", confirmed}});
  if (lease.downstream)
    return send(s, *lease.downstream, LeaseEnded{lease.id, nodes, reason, confirmed, grace}, lease.request);
  part_lost(s, lease.id, reason);
  std::vector<RequestId> empty;
  for (auto& [request, held] : lease.handed_out) {
    std::vector<NodeGroup> lost = remove_nodes(held, nodes);
    if (lost.empty()) continue;
    s.effects.send(job_manager_of(request), LeaseEnded{lease.id, std::move(lost), reason, confirmed, grace},
                   request);
    if (held.empty()) empty.push_back(request);
  }
  for (const RequestId& request : empty) take_from_user(s.parts, lease, request);
}

void on(SiteStep& s, FromSite from, LeaseEnded& ended) {
  HopLease* lease = s.parts.leases.find(ended.lease);
  if (!lease) return s.parts.ignore("unknown_lease");
  if (lease->upstream != from.neighbour) return s.parts.ignore("not_its_lease");
  std::vector<NodeGroup> gone = lease->nodes;
  if (!ended.nodes.empty()) {
    std::vector<NodeGroup> rest = lease->nodes;
    gone = remove_nodes(rest, ended.nodes);
    if (gone.empty()) return;
  }
  tell_ended(s, *lease, gone, ended.reason, ended.confirmed, ended.grace);
  account(s, *lease, gone);
  remove_nodes(lease->nodes, gone);
  if (!lease->idle.empty()) remove_nodes(lease->idle.edit(), gone);
  if (lease->nodes.empty()) close(s, *lease);
}

// ---- towards the owner ----------------------------------------------------------------------------------------------

void on(SiteStep& s, FromSite from, Claim& claim) {
  HopLease* lease = s.parts.leases.find(claim.lease);
  if (!lease || lease->downstream != from.neighbour || lease->state == LeaseState::ending)
    return send(s, from.neighbour, LeaseEnded{claim.lease, {}, LeaseEnd::unknown, false, {}}, claim.request);
  s.parts.reconciliation.named(from.neighbour, claim.lease);
  hear_claim(s, *lease);
  acknowledge(s, *lease);
}

void hear_claim(SiteStep& s, HopLease& lease) {
  if (lease.state != LeaseState::offered) return;
  lease.state = LeaseState::active;
  changed(s, lease);
  s.effects.log(Level::debug, "claim", lease.request, {{"lease", to_text(lease.id)}});
  if (!lease.upstream) s.parts.lending.claimed(*lease.downstream);
  s.parts.leases.watch(lease);
  if (lease.upstream && !DMM_PLANT(claim_not_forwarded))
    send(s, *lease.upstream, Claim{lease.id, lease.request, {}}, lease.request);
}

void on(SiteStep& s, FromSite from, Release& release) {
  HopLease* lease = s.parts.leases.find(release.lease);
  if (!lease) {  // one that we were about to adopt, or it ended already, which the borrower will have heard
    if (!s.parts.reconciliation.gave_back_orphan(from.neighbour, release.lease)) s.parts.ignore("unknown_lease");
    return;
  }
  s.parts.reconciliation.named(from.neighbour, release.lease);
  if (lease->downstream != from.neighbour || lease->nodes.empty()) return s.parts.ignore("not_its_lease");
  give_back(s, *lease, release.nodes, release.silent, release.failed);
}

void on(SiteStep& s, FromUser from, Release& release) {
  HopLease* lease = s.parts.leases.find(release.lease);
  if (!lease) return s.parts.ignore("unknown_lease");
  std::vector<NodeGroup> returned = take_from_users(s, *lease, release.nodes, &from.party);
  if (returned.empty()) return s.parts.ignore("not_its_lease");
  changed(s, *lease);
  if (!lease->upstream) return clean(s, *lease, std::move(returned), LeaseEnd::released, false);
  const bool has_erred = release.failed || release.host_failed;
  note_served(s, *lease, returned, has_erred);
  if (release.failed) {  // the lender isn't asked again for a while
    s.parts.refuse(*lease->upstream, "nothing_started");
    s.parts.targets.worthless(s.now, *lease->upstream);
  }
  // No other job is put on nodes that failed one.
  if (has_erred) return give_back(s, *lease, returned, release.silent, release.failed);
  s.parts.targets.served(*lease->upstream);
  into_pool(s.parts, *lease, std::move(returned));
}

void give_back(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, bool silent, bool failed) {
  if (!lease.upstream) return clean(s, lease, nodes, silent ? LeaseEnd::expired : LeaseEnd::released, silent);
  std::vector<NodeGroup> gone = remove_nodes(lease.nodes, nodes);
  if (gone.empty()) return;
  changed(s, lease);
  if (!lease.idle.empty()) remove_nodes(lease.idle.edit(), gone);
  account(s, lease, gone);
  s.effects.log(Level::info, "release", lease.request,
                {{"lease", to_text(lease.id)}, {"to", s.parts.neighbours[*lease.upstream].site.text}});
  const bool all = lease.nodes.empty();
  if (!DMM_PLANT(release_not_forwarded))
    send(s, *lease.upstream, Release{lease.id, all ? std::vector<NodeGroup>{} : std::move(gone), silent, failed},
         lease.request);
  if (all) close(s, lease);
}

void clean(SiteStep& s, HopLease& lease, std::vector<NodeGroup> nodes, LeaseEnd reason, bool silent,
           Duration grace) {
  const bool was_clean = lease.cleaning.empty();
  const std::vector<NodeGroup> gone = take_for_cleaning(s, lease, nodes);
  if (gone.empty()) return;
  lease.detached = silent && (lease.detached || was_clean);
  const Duration detached = silent ? s.parts.settings.detached_max : Duration{};
  each_manager(gone, [&](const Party& manager, const NodeSet& set) {
    s.effects.send(manager, Unassign{lease.id, set, grace, detached, reason}, lease.request);
  });
  if (DMM_PLANT(clean_not_awaited))
    each_manager(gone, [&](const Party& m, const NodeSet& set) { s.parts.owned.put(m, set); });
}

std::vector<NodeGroup> take_for_cleaning(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes) {
  DMM_ASSERT(!lease.upstream);
  std::vector<NodeGroup> gone = remove_nodes(lease.nodes, nodes);
  if (gone.empty()) return gone;
  changed(s, lease);
  account(s, lease, gone);
  if (lease.nodes.empty()) lease.state = LeaseState::ending;
  add_nodes(lease.cleaning.edit(), gone);
  return gone;
}

void end_lease(SiteStep& s, HopLease& lease, LeaseEnd reason) {
  if (lease.nodes.empty()) return;  // ending already
  tell_ended(s, lease, lease.nodes, reason, false);
  // What runs may go on, since a borrower that didn't claim or renew may only be cut off: no party asks for what runs
  // any more, but none has ended it either.
  give_back(s, lease, {}, true);
}

// ---- accounts -------------------------------------------------------------------------------------------------------

void account(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes) {
  const std::uint32_t processors = processors_of(nodes);
  lease.processor_microseconds += processors * static_cast<std::uint64_t>((s.now - lease.granted).microseconds);
  if (!lease.upstream && lease.downstream) s.parts.lending.returned(s.now, *lease.downstream, processors);
}

HopLease& add_lease(SiteStep& s, HopLease lease) {
  HopLease& kept = keep_lease(s, std::move(lease));
  if (!DMM_PLANT(grant_not_written) || !kept.upstream || !kept.downstream) changed(s, kept);
  return kept;
}

HopLease& keep_lease(SiteStep& s, HopLease lease) {
  if (!lease.upstream && lease.downstream)
    s.parts.lending.lent(s.now, *lease.downstream, processors_of(lease.nodes));
  HopLease& kept = s.parts.leases.add(std::move(lease));
  s.parts.relays.carry(kept);
  s.parts.leases.watch(kept);
  restate_unless_it_stands(s.parts, kept);
  return kept;
}

void close(SiteStep& s, HopLease& lease) {
  s.parts.accounts.close(lease, s.now, s.parts.neighbours);
  changed(s, lease);
  s.parts.relays.drop(s.now, lease);
  s.parts.holds.drop(lease.id);
  s.parts.leases.erase(lease.id);
}

}  // namespace dmm::site_steps
