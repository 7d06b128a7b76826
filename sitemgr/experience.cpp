// The steps of experience.hpp.
#include "sitemgr/experience.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "manager/assert.hpp"
#include "matchmaking/file_transfer.hpp"
#include "protocol/hints.hpp"
#include "sitemgr/part_placing.hpp"

namespace dmm::site_steps {
namespace {

/// How long placement would have estimated the transfer now.
Duration expected_of(const SiteParts& parts, Instant now, const Staged& staged) {
  std::vector<WayToSite> ways;
  for (const ClusterBoard::Known& known : parts.board.within(now, dttl_max)) ways.push_back(way_of(known));
  const FileNeed files{staged.bytes, {staged.from}};
  return transfer_time({&files, 1}, staged.to, parts.settings.name, ways, parts.transfer_rates.all(now));
}

}  // namespace

void on(SiteStep& s, FromUser from, const Staged& staged) {
  if (from.party != job_manager_of(staged.request)) return s.parts.ignore("unknown_request");
  if (!staged.from.empty())
    s.parts.transfer_rates.heard(s.now, staged.from, staged.to, staged.bytes, staged.took,
                                 expected_of(s.parts, s.now, staged));
  const HopLease* lease = s.parts.leases.find(staged.lease);
  if (lease == nullptr || staged.files.empty()) return;
  const auto is_its = [&](const NodeGroup& group) { return group.component == staged.component; };
  const auto group = std::ranges::find_if(lease->nodes, is_its);
  if (group == lease->nodes.end() || !keeps_files(s.parts, s.now, staged.lease.owner, group->cluster)) return;
  for (const ShortText& file : staged.files)
    s.parts.kept_replicas.heard(s.now, file, staged.lease.owner, group->cluster);
}

void note_served(SiteStep& s, const HopLease& lease, const std::vector<NodeGroup>& nodes, bool host_failed) {
  DMM_ASSERT(lease.upstream);
  ClusterErrors& errors = s.parts.cluster_errors;
  if (!host_failed) {
    for (const NodeGroup& group : nodes) errors.served(lease.id.owner, group.cluster);
    return;
  }
  std::set<ClusterName> clusters;
  for (const NodeGroup& group : nodes) clusters.insert(group.cluster);
  const SiteSettings& settings = s.parts.settings;
  for (const ClusterName& cluster : clusters) {
    const auto until =
        errors.failed(s.now, lease.id.owner, cluster, settings.cluster_errors_max, settings.cluster_aside_first);
    // Searches for a whole job ask neighbours, not clusters.
    if (errors.is_aside(s.now, lease.id.owner, cluster)) s.parts.targets.worthless(s.now, *lease.upstream);
    if (!until) continue;
    s.effects.log(Level::warning, "cluster_set_aside", lease.request,
                  {{"owner", lease.id.owner.text},
                   {"cluster", cluster.text},
                   {"for_seconds", (*until - s.now).in_seconds()}});
  }
}

}  // namespace dmm::site_steps
