#include "simulator/faults/idle_watch.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "protocol/text.hpp"
#include "simulator/faults/capacity.hpp"

namespace dmm {
namespace {

constexpr Duration between_idle_looks = seconds(1);

/// Nodes of these hosts that run programs, or are held for a program that runs at another of these hosts.
std::uint64_t nodes_used(const World& world, const std::vector<Party>& managers) {
  std::uint64_t used = 0;
  std::map<LeaseId, std::set<Party>> at;  // where a lease has programs
  for (const Party& manager : managers)
    for (const auto& program : world.performer(manager).running()) {
      used += count(program->nodes);
      at[program->lease].insert(manager);
    }
  for (const Party& manager : managers) {
    const auto* const driver = world.resource_manager(manager);
    if (!driver) continue;
    for (const LeaseView& lease : driver->manager.view().leases)
      if (const auto there = at.find(lease.lease); there != at.end() && !there->second.contains(manager))
        used += count(lease.nodes);
  }
  return used;
}

}  // namespace

std::string IdleWatch::why(const World& world, const RequestId& request) {
  const Instant now = world.clock_of(site_manager_of(request.site));
  const WaitView view = world.site(request.site)->manager.why(now, request);
  const std::string& failed = view.gathering_failed;
  return std::string(to_text(view.reason)) + (failed.empty() ? "" : ", and of its parts: " + failed);
}

/// Whether no other job waits at this job's home or at the site, and a cluster of the site has idle nodes for the
/// job.
bool IdleWatch::is_served_by(const World& world, std::size_t index, const Party& user,
                             const JobDescription& job) const {
  const TopologySite& site = world.topology().sites[index];
  const Driver<SiteManager>* driver = world.site(site.name);
  if (!driver || world.is_committing(site_manager_of(site.name))) return false;
  const SiteView view = driver->manager.view(world.now());
  const bool is_home = site.name == user.site;
  if (!view.drained.empty() || view.requests_waiting > (is_home ? 1U : 0U)) return false;
  if (view.foreign_waiting > (is_home ? 0U : 1U)) return false;
  for (const TopologyCluster& cluster : site.clusters) {
    std::uint64_t total = 0;
    std::vector<Party> managers;
    for (const auto& manager : view.resource_managers) {
      if (manager.cluster != cluster.name || !manager.registered) continue;
      total += manager.nodes - count(manager.aside);
      managers.push_back(manager.party);
    }
    const std::uint64_t used = nodes_used(world, managers);
    const std::uint64_t width = cluster.processors_per_node;
    if (used * width + whole_nodes(total_processors(job.need), width) <= usable(cluster, total)) return true;
  }
  return false;
}

bool IdleWatch::would_serve(const World& world, const Party& user, const RequestId& request,
                            const JobDescription& job) const {
  const Driver<SiteManager>* home = world.site(user.site);
  if (!home || !home->manager.queue().find(request)) return false;
  const SiteView view = home->manager.view(world.now());
  if (view.requests_waiting != 1 || !view.drained.empty()) return false;
  const auto reached = reach_(user, job);
  return std::ranges::any_of(reached, [&](std::size_t site) { return is_served_by(world, site, user, job); });
}

std::string IdleWatch::look(const World& world) {
  if (world.now() - looked_ < between_idle_looks) return {};
  looked_ = world.now();
  std::map<RequestId, Instant> still;
  for (const Party& user : world.parties()) {
    if (user.role != Role::job_manager || !world.is_up(user)) continue;
    const JobManager& jobs = world.job_manager(user)->manager;
    if (jobs.count(JobState::waiting) != 1) continue;
    for (const JobView& view : jobs.jobs({.state = JobState::waiting, .limit = 1})) {
      const JobDescription* job = job_(user, view.number);
      if (!job || !would_serve(world, user, view.request, *job)) continue;
      const auto known = since_.find(view.request);
      const Instant since = std::max(known == since_.end() ? world.now() : known->second, excused_at_);
      still[view.request] = since;
      if (world.now() - since > patience_)
        return to_text(view.request) + " waits beside idle nodes that it fits: " + why(world, view.request);
    }
  }
  since_ = std::move(still);
  return {};
}

}  // namespace dmm
