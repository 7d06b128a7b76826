// The steps of pool.hpp.
#include "sitemgr/pool.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/renewing.hpp"

namespace dmm::site_steps {
namespace {

/// Where an owner is, seen from a site, by their ancestors (the last is the root).
Origin origin_of(const SiteName& site, const SiteNames& ours, const SiteName& owner, const SiteNames& theirs) {
  if (site == owner) return Origin::local;
  if (!ours.empty() && !theirs.empty() && ours.front() == theirs.front()) return Origin::intra_site;
  const SiteName& our_root = ours.empty() ? site : ours.back();
  const SiteName& their_root = theirs.empty() ? owner : theirs.back();
  return our_root == their_root ? Origin::intra_grid : Origin::inter_grid;
}

}  // namespace

std::vector<NodeGroup> take_in_cluster(std::vector<NodeGroup>& idle, const ClusterName& cluster,
                                       std::uint32_t processors) {
  std::vector<NodeGroup> taken;
  for (NodeGroup& group : idle) {
    if (group.cluster != cluster || processors == 0) continue;
    const std::uint32_t width = group.processors_per_node;
    NodeGroup part = group;
    part.component = 0;
    part.nodes = take_lowest(group.nodes, (processors + width - 1) / width);
    processors -= std::min(processors, processors_of(part));
    // What were several components of the last job is one for the next: its Start goes to its first group alone.
    const auto same = std::ranges::find(taken, part.resource_manager, &NodeGroup::resource_manager);
    if (same == taken.end())
      taken.push_back(std::move(part));
    else
      same->nodes = unite(same->nodes, part.nodes);
  }
  DMM_ASSERT(processors == 0);
  std::erase_if(idle, [](const NodeGroup& group) { return group.nodes.empty(); });
  return taken;
}

/// For how long a job may yet be put on the lease, before its end or before its owner expects to want it back; 0
/// if none may.
static Duration reusable_for(const SiteParts& parts, Instant now, const HopLease& lease);
/// The nodes are in the hands of the request's job manager from now on: the Grant that tells it. `is_first`: no
/// other lease serves the request yet.
static Grant give(SiteStep& s, HopLease& lease, const LocalRequest& request, std::vector<NodeGroup> nodes,
                  bool is_first = true);
static bool reuse(SiteStep& s, HopLease& lease);

void hand_out(SiteStep& s, HopLease& lease, LocalRequest& request, std::vector<NodeGroup> nodes) {
  call_back(s, request);
  const RequestId id = request.request.id;
  s.effects.send(job_manager_of(id), give(s, lease, request, std::move(nodes)), id);
  leave(s, request);
}

void hand_out(SiteStep& s, const std::vector<HopLease*>& leases, LocalRequest& request, std::string placement) {
  DMM_ASSERT(!leases.empty() && !request.is_away());
  if (leases.size() == 1) return hand_out(s, *leases.front(), request, leases.front()->nodes);
  const RequestId id = request.request.id;
  GrantSet set{id, {}, std::move(placement)};
  for (HopLease* lease : leases)
    set.grants.push_back(give(s, *lease, request, lease->nodes, lease == leases.front()));
  // The delegations of the request are told once, with its first lease.
  for (std::size_t i = 1; i < set.grants.size(); ++i) set.grants[i].tries = 0;
  s.effects.send(job_manager_of(id), std::move(set), id);
  leave(s, request);
}

Grant give(SiteStep& s, HopLease& lease, const LocalRequest& request, std::vector<NodeGroup> nodes,
           bool is_first) {
  changed(s, lease);
  const RequestId& id = request.request.id;
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "hand_out", id,
                  {{"to", id.user},
                   {"lease", to_text(lease.id)},
                   {"processors", std::int64_t{processors_of(nodes)}},
                   {"owner", lease.id.owner.text},
                   {"waited", (s.now - request.since).in_seconds()}});
  // Where the lender's Beats don't speak for the lease yet, nor do ours: the Grant promises the rest of our own right.
  const Duration promise =
      stands(s.parts, lease) ? promise_of(s.parts, lease) : first_promise(s.parts, s.now, lease);
  Grant grant = grant_of(lease, nodes, s.now, promise);
  grant.request = id;
  grant.part = 0;
  grant.round = request.round;
  add_own_ancestors(lease, s.parts.settings, grant.owner_ancestors);
  grant.origin =
      origin_of(s.parts.settings.name, s.parts.settings.ancestors, lease.id.owner, grant.owner_ancestors);
  grant.tries = request.tries;
  const std::int32_t priority = request.request.priority;
  const bool is_alone = lease.handed_out.empty();
  lease.priority = is_alone ? priority : std::max(lease.priority, priority);
  lease.waits_since = is_alone ? request.since : std::min(lease.waits_since, request.since);
  ++lease.jobs;
  restate_unless_it_stands(s.parts, lease);
  is_first ? s.parts.users.serve(lease, id) : s.parts.users.hold(lease, id);
  lease.handed_out[id] = std::move(nodes);
  return grant;
}

std::vector<NodeGroup> take_from_users(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes,
                                       const Party* job_manager) {
  std::vector<NodeGroup> taken;
  Few<RequestId> empty;
  for (auto& [request, held] : lease.handed_out) {
    if (job_manager && request.user != job_manager->name) continue;
    add_nodes(taken, remove_nodes(held, nodes));
    if (held.empty()) empty.push_back(request);
  }
  for (const RequestId& request : empty) {
    if (s.effects.wants(Level::info))
      s.effects.log(Level::info, "release", request, {{"lease", to_text(lease.id)}});
    take_from_user(s.parts, lease, request);
  }
  return taken;
}

void take_from_user(SiteParts& parts, HopLease& lease, const RequestId& request) {
  const auto it = lease.handed_out.find(request);
  DMM_ASSERT(it != lease.handed_out.end());
  parts.users.drop(lease, request);
  lease.handed_out.erase(it);
}

void into_pool(SiteParts& parts, HopLease& lease, std::vector<NodeGroup> nodes) {
  add_nodes(lease.idle.edit(), std::move(nodes));
  parts.leases.pool(lease);
}

void match_pool(SiteStep& s) {
  for (const LeaseId& id : s.parts.leases.take_pooled()) {
    HopLease* lease = s.parts.leases.find(id);
    if (!lease) continue;
    lease->pooled = false;
    while (!lease->idle.empty() && reuse(s, *lease)) {
    }
    if (lease->idle.empty()) continue;
    const Duration left = reusable_for(s.parts, s.now, *lease);
    if (left > Duration{} && gather_with(s, *lease, left)) continue;
    give_back(s, *lease, std::vector<NodeGroup>(lease->idle));
  }
}

Duration reusable_for(const SiteParts& parts, Instant now, const HopLease& lease) {
  if (lease.wanted || !stands(parts, lease)) return {};
  if (lease.jobs >= parts.settings.reuse_jobs_max && lease.jobs > 0) return {};
  if (now - lease.granted >= parts.settings.reuse_length_max) return {};
  const Instant until = std::min(lease.limit(), lease.expected_until);
  return until == never ? duration_max : until - now;
}

bool reuse(SiteStep& s, HopLease& lease) {
  const Duration left = reusable_for(s.parts, s.now, lease);
  if (left <= Duration{}) return false;
  std::map<ClusterName, std::uint32_t> idle;
  for (const NodeGroup& group : lease.idle) idle[group.cluster] += processors_of(group);
  const std::uint32_t hops = static_cast<std::uint32_t>(lease.chain.size()) - 1;
  for (const auto& [cluster, processors] : idle) {
    // Its user accepted this distance, and pays for it.
    LocalRequest* request = s.parts.queue.first_for_lease(processors, hops, left, lease.length / 2);
    if (!request) continue;
    hand_out(s, lease, *request, take_in_cluster(lease.idle.edit(), cluster, request->kind->widest));
    return true;
  }
  return false;
}

}  // namespace dmm::site_steps
