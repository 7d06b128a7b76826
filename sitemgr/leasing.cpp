// The life of a lease at one hop: granted, claimed, renewed, given back, ended. Release travels to the owner, the end
// of a lease to the holder; each hop passes both on in the same step (docs/protocol.md section 7).
#include <algorithm>

#include "machine/assert.hpp"
#include "machine/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

bool well_formed(const Grant& grant) {
  if (grant.lease.empty() || grant.lease.owner.empty() || grant.nodes.empty()) return false;
  if (grant.chain.size() < 2 || grant.chain.size() > dttl_max + 1) return false;
  if (grant.term <= Duration{} || grant.term > seconds(86400)) return false;
  if (grant.chain.front() != grant.lease.owner || grant.chain.back() != grant.request.site) return false;
  std::uint64_t processors = 0;
  std::map<Party, NodeSet> seen;
  for (const NodeGroup& group : grant.nodes) {
    if (group.nodes.empty() || group.processors_per_node == 0) return false;
    if (group.resource_manager.site != grant.lease.owner) return false;
    NodeSet& known = seen[group.resource_manager];
    if (overlap(known, group.nodes)) return false;  // a node twice
    known = unite(known, group.nodes);
    processors += std::uint64_t{count(group.nodes)} * group.processors_per_node;
  }
  return processors <= processors_max;
}

}  // namespace

// ---- towards the sink ----------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, std::size_t from, Grant& grant) {
  // Nobody lends us our own nodes: such a lease could be mistaken for one that we make.
  if (!well_formed(grant) || grant.lease.owner == settings_.name || leases_.find(grant.lease)) return;
  Neighbour& neighbour = neighbours_[from];
  ++neighbour.grants_received;
  neighbours_.on_grant(from, settings_.window_max);
  Lease lease;
  lease.id = grant.lease;
  lease.request = grant.request;
  lease.part = grant.part;
  lease.round = grant.round;
  lease.upstream = from;
  lease.nodes = grant.nodes;
  lease.chain = grant.chain;
  lease.owner_ancestors = grant.owner_ancestors;
  lease.blocks = grant.blocks;
  lease.granted = s.now;
  lease.upstream_until = s.now + grant.term;
  lease.grace = grant.grace;
  lease.processors = processors_of(grant.nodes);
  // The first lease over a link begins a term there; others join it.
  if (leases_.up(from).empty()) neighbour.renew_due = s.now + settings_.term / 10;
  sweep_at(neighbour.renew_due);

  if (grant.request.site == settings_.name) {
    s.out.log(Level::info, "granted", grant.request,
              {{"from", neighbour.site.text}, {"lease", to_text(grant.lease)}, {"round", std::int64_t{grant.round}}});
    lease.state = LeaseState::active;
    Lease& kept = leases_.add(std::move(lease));
    watch(kept);
    changed(s, kept);
    send(s, from, Claim{kept.id, kept.request, {}}, kept.request);
    LocalRequest* request = queue_.find(grant.request);
    if (!request) return into_pool(kept, kept.nodes);  // served or cancelled meanwhile
    if (request->search == LocalRequest::Search::out) {
      if (request->target == from && request->round == grant.round) {
        neighbours_.take_back(from, request->widest);
        queue_.set_search(*request, LocalRequest::Search::ready);
      } else {
        withdraw(s, *request);  // an earlier round's answer came first
      }
    }
    return hand_out(s, kept, *request, kept.nodes);
  }

  const PartKey key{grant.request, grant.part, grant.round};
  const auto it = passed_.find(key);
  if (it == passed_.end() || it->second.target != from) {  // withdrawn meanwhile: nobody waits for it
    s.out.log(Level::info, "release", grant.request, {{"lease", to_text(grant.lease)}, {"unused", true}});
    return send(s, from, Release{grant.lease, {}, false}, grant.request);
  }
  const std::size_t to = it->second.from;
  neighbours_.take_back(from, widest_component(it->second.delegate.request.need));
  passed_.erase(it);
  lease.downstream = to;
  grant.term = grant.term - settings_.term / 100;
  lease.downstream_until = s.now + grant.term;
  s.out.log(Level::info, "pass_grant", grant.request,
            {{"from", neighbour.site.text}, {"to", neighbours_[to].site.text}, {"lease", to_text(grant.lease)}});
  const RequestId trace = grant.request;
  Lease& kept = leases_.add(std::move(lease));
  watch(kept);
  if (!DMM_PLANT(grant_not_written)) changed(s, kept);
  send(s, to, std::move(grant), trace);
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

void SiteManager::on(Step& s, std::size_t from, LeaseEnded& ended) {
  Lease* lease = leases_.find(ended.lease);
  if (!lease || lease->upstream != from) return;
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

void SiteManager::on(Step& s, std::size_t from, Claim& claim) {
  Lease* lease = leases_.find(claim.lease);
  if (!lease || lease->downstream != from || lease->state == LeaseState::ending)
    return send(s, from, LeaseEnded{claim.lease, {}, LeaseEnd::unknown, false, {}}, claim.request);
  hear_claim(s, *lease);
}

void SiteManager::hear_claim(Step& s, Lease& lease) {
  if (lease.state != LeaseState::offered) return;
  lease.state = LeaseState::active;
  changed(s, lease);
  s.out.log(Level::debug, "claim", lease.request, {{"lease", to_text(lease.id)}});
  if (lease.upstream && !DMM_PLANT(claim_not_forwarded))
    send(s, *lease.upstream, Claim{lease.id, lease.request, {}}, lease.request);
}

void SiteManager::on_release(Step& s, std::optional<std::size_t> from, const Party& party, Release& release) {
  Lease* lease = leases_.find(release.lease);
  if (!lease) {  // ended already, which the sender will have heard; or one that we were about to adopt
    if (from) neighbours_[*from].orphans.erase(release.lease);
    return;
  }
  if (from) {
    if (lease->downstream != from || lease->nodes.empty()) return;
    return give_back(s, *lease, release.nodes, release.silent);
  }
  std::vector<NodeGroup> returned = take_from_users(s, *lease, release.nodes, &party);
  if (returned.empty()) return;
  changed(s, *lease);
  if (lease->upstream)
    into_pool(*lease, std::move(returned));
  else
    clean(s, *lease, std::move(returned), false);
}

void SiteManager::give_back(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, bool silent) {
  if (!lease.upstream) return clean(s, lease, nodes, silent);
  std::vector<NodeGroup> gone = remove_nodes(lease.nodes, nodes);
  if (gone.empty()) return;
  changed(s, lease);
  if (!lease.idle.empty()) remove_nodes(lease.idle, gone);
  account(s, lease, gone);
  s.out.log(Level::info, "release", lease.request,
            {{"lease", to_text(lease.id)}, {"to", neighbours_[*lease.upstream].site.text}});
  const bool all = lease.nodes.empty();
  if (!DMM_PLANT(release_not_forwarded))
    send(s, *lease.upstream, Release{lease.id, all ? std::vector<NodeGroup>{} : std::move(gone), silent},
         lease.request);
  if (all) close(s, lease);
}

void SiteManager::clean(Step& s, Lease& lease, std::vector<NodeGroup> nodes, bool silent, Duration grace) {
  const bool was_clean = lease.cleaning.empty();
  const std::vector<NodeGroup> gone = take_for_cleaning(s, lease, nodes);
  if (gone.empty()) return;
  lease.detached = silent && (lease.detached || was_clean);
  const Duration detached = silent ? settings_.detached_max : Duration{};
  each_manager(gone, [&](const Party& manager, const NodeSet& set) {
    s.out.send(manager, Unassign{lease.id, set, grace, detached}, lease.request);
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

void SiteManager::account(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes) {
  const std::uint32_t processors = processors_of(nodes);
  lease.processor_microseconds += processors * static_cast<std::uint64_t>((s.now - lease.granted).microseconds);
  if (!lease.upstream && lease.downstream) processors_lent_ -= processors;
}

void SiteManager::close(Step& s, Lease& lease) {
  UsageRecord record{lease.id, lease.request, {}, UsageRecord::Direction::own, lease.processors, lease.granted, s.now,
                     lease.processor_microseconds};
  if (lease.downstream) {
    Neighbour& borrower = neighbours_[*lease.downstream];
    borrower.lent_processor_microseconds += lease.processor_microseconds;
    record.direction = UsageRecord::Direction::lent;
    record.peer = borrower.site;
    usage_.add(record);
  }
  if (lease.upstream) {
    Neighbour& lender = neighbours_[*lease.upstream];
    lender.borrowed_processor_microseconds += lease.processor_microseconds;
    record.direction = UsageRecord::Direction::borrowed;
    record.peer = lender.site;
  }
  if (lease.upstream || !lease.downstream) usage_.add(std::move(record));
  changed(s, lease);
  leases_.erase(lease.id);
}

// ---- time ----------------------------------------------------------------------------------------------------------

void SiteManager::renew_links(Step& s) {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || leases_.up(n).empty() || neighbour.renew_sent || s.now < neighbour.renew_due) continue;
    neighbour.renew_sent = s.now;
    neighbour.renew_due = s.now + settings_.term / 10;
    send(s, n, Renew{static_cast<std::uint32_t>(leases_.up(n).size())}, {});
  }
}

void SiteManager::watch(const Lease& lease) {
  leases_.watch(lease);
  sweep_at(leases_.next_deadline());
}

void SiteManager::on_renew(Step& s, std::optional<std::size_t> from, const Party& party) {
  const auto left = [&](const Lease& lease) { return left_of(s.now, lease); };
  if (!from) {
    Renewed answer{settings_.term, {}, {}};
    const auto name_if_shorter = [&](const LeaseId& id) {
      const Duration has = left(leases_.get(id));
      if (has < settings_.term) answer.shorter.push_back({id, std::max(has, Duration{})});
    };
    JobManager& user = job_managers_[party];
    if (!user.own.empty() && s.now + settings_.term > user.own_since + settings_.lease_length_max) {
      user.own_since = never;
      for (const JobManager::OwnHold& hold : user.own.sorted()) {
        const LeaseId id{settings_.name, hold.lease};
        name_if_shorter(id);
        user.own_since = std::min(user.own_since, leases_.get(id).granted);
      }
    }
    for (const auto& [id, request] : user.borrowed) name_if_shorter(id);
    return s.out.send(party, std::move(answer));
  }
  // All leases of a link get the same time where that is possible; those with far less are named one by one.
  Renewed answer{settings_.term, {}, {}};
  std::uint64_t demand = settings_.owner_first ? queue_.demand() : 0;
  for (const LeaseId& id : leases_.down(*from)) {
    if (leases_.get(id).unsure) continue;
    const Duration has = left(leases_.get(id));
    if (has >= settings_.term / 2) answer.term = std::min(answer.term, has);
  }
  for (const LeaseId& id : leases_.down(*from)) {
    Lease& lease = *leases_.find(id);
    if (lease.state == LeaseState::ending) continue;
    if (lease.unsure) {
      answer.shorter.push_back({id, not_known});
      continue;
    }
    const Duration has = left(lease);
    if (has < answer.term) answer.shorter.push_back({id, std::max(has, Duration{})});
    // What was promised before stays promised as far as there is anything to promise: the holder keeps the later.
    const Instant promised = has < answer.term ? Instant{} : lease.downstream_until;
    const Duration margin = lease.upstream ? Duration{} : settings_.term / owner_margin;
    lease.downstream_until = std::max(promised, s.now + std::min(has, answer.term) + margin);
    if (promised == Instant{}) watch(lease);
    const bool needed = !lease.upstream && demand > 0;
    if (needed) demand -= std::min<std::uint64_t>(demand, lease.processors);
    if (needed || lease.wanted) answer.wanted.push_back(id);
  }
  send(s, *from, std::move(answer), {});
}

Duration SiteManager::left_of(Instant now, const Lease& lease) const {
  if (lease.unsure) return {};
  if (lease.upstream) return lease.upstream_until - now - settings_.term / 100;
  return std::min(settings_.term, lease.granted + settings_.lease_length_max - now);
}

void SiteManager::on(Step&, std::size_t from, Renewed& renewed) {
  Neighbour& neighbour = neighbours_[from];
  if (!neighbour.renew_sent) return;
  const Instant sent = *std::exchange(neighbour.renew_sent, std::nullopt);
  sweep_at(neighbour.renew_due);
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
      lease->upstream_until = sent + term.left;
      watch(*lease);
    }
  for (const LeaseId& id : renewed.wanted)
    if (Lease* lease = leases_.find(id); lease && lease->upstream == from) lease->wanted = true;
}

void SiteManager::expire_leases(Step& s) {
  while (Lease* lease = leases_.take_over(s.now)) {
    const bool claimed = lease->upstream || lease->state != LeaseState::offered;
    end_lease(s, *lease, claimed ? LeaseEnd::expired : LeaseEnd::not_claimed);
  }
}

}  // namespace dmm
