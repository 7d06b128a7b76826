#include "jobmgr/losing.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "jobmgr/attempts.hpp"
#include "jobmgr/going_on.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"

namespace dmm::job_steps {
namespace {

// Whether nodes on which the component's program runs are among those that ended.
bool ends_under(const ComponentRun& component_run, const LeaseEnded& ended) {
  return ended.nodes.empty() || std::any_of(ended.nodes.begin(), ended.nodes.end(), [&](const NodeGroup& group) {
           return group.resource_manager == component_run.manager && overlap(group.nodes, component_run.nodes);
         });
}

// The site or a resource manager fell silent, a neighbour was removed, or the nodes were idle: nothing new is started.
// What runs may go on for as long as its resource manager lets it.
bool is_soft(const LeaseEnded& ended) {
  if (ended.confirmed) return false;
  switch (ended.reason) {
    case LeaseEnd::expired:
    case LeaseEnd::node_lost:
    case LeaseEnd::not_claimed:
    case LeaseEnd::owner_lost:
    case LeaseEnd::unknown:
    case LeaseEnd::link_removed:
    case LeaseEnd::idle: return true;
    default: return false;
  }
}

// The owner may give what runs some time to end by itself; its resource manager was told the same.
Duration grace_of(const LeaseEnded& ended) {
  const bool has_grace = ended.reason == LeaseEnd::reclaimed || ended.reason == LeaseEnd::at_longest ||
                         ended.reason == LeaseEnd::preempted;
  return has_grace && !ended.confirmed ? std::max(ended.grace, Duration{}) : stop_grace;
}

}  // namespace

/// Whether the component is interrupted by that. That its program is over is only certain if nodes of its own
/// resource manager are among those confirmed clean, which may be said later than that they are lost.
static bool loses(JobStep& s, Job& job, std::uint32_t component, const std::vector<NodeGroup>& hit,
                  const LeaseEnded& ended);

void on(JobStep& s, FromSite, const LeaseEnded& ended) {
  const auto open = s.parts.leases.open_under(ended.lease);
  if (open.empty()) return s.parts.ignore("unknown_lease");
  for (std::uint64_t number : open) lose_nodes(s, *s.parts.jobs.find(number), ended);
}

void lose_nodes(JobStep& s, Job& job, const LeaseEnded& ended) {
  DMM_ASSERT(job.run && job.run->find(ended.lease));
  Attempt& run = *job.run;
  const std::size_t lease = *run.find(ended.lease);
  std::vector<NodeGroup> rest = run.held_under(lease);
  const std::vector<NodeGroup> hit = remove_nodes(rest, ended.nodes);
  for (const NodeGroup& group : hit) run.lost.push_back(group);
  LeaseUse& use = run.leases[lease];
  use.holds = !rest.empty();
  if (!use.holds) {
    s.parts.leases.remove(ended.lease, job.number);
    use.gone_at = std::min(use.gone_at, s.now);
  }
  s.parts.changed(job);
  bool interrupted = false;
  for (std::uint32_t i = 0; i < run.components.size(); ++i)
    if (run.components[i].lease == lease) interrupted |= loses(s, job, i, hit, ended);
  if (!interrupted) return;
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "lease_ended", s.parts.request_of(job),
                  {{"lease", to_text(ended.lease)},
                   {"reason", std::string(to_text(ended.reason))},
                   {"confirmed", ended.confirmed}});
  wind_down_or_go_on(s, job, grace_of(ended));
}

bool loses(JobStep& s, Job& job, std::uint32_t component, const std::vector<NodeGroup>& hit,
           const LeaseEnded& ended) {
  ComponentRun& component_run = job.run->components[component];
  if (component_run.phase == ComponentPhase::over) return false;
  const bool touched = std::ranges::find(hit, component_run.component, &NodeGroup::component) != hit.end();
  const bool clean = ended.confirmed && ends_under(component_run, ended);
  // It was lost already, when both compared what they believe, and the site says only now why.
  const bool is_late = !touched && component_run.cause && ends_under(component_run, ended);
  if (is_late && explains_more(component_run.cause, ended.reason)) component_run.cause = ended.reason;
  if (!touched && !clean) return false;
  if (!component_run.cause || !is_owners_right(*component_run.cause)) component_run.cause = ended.reason;
  component_run.clean |= clean;
  if (is_soft(ended) && component_run.phase == ComponentPhase::started) return false;
  interrupt(s, job, component, clean, grace_of(ended));
  return true;
}

void on(JobStep& s, FromSite, const Renewed& renewed) {
  for (const LeaseTerm& said : renewed.terms) s.parts.leases.promise(s.now, said.lease, said.left);
  s.parts.starts.queue_aside();
}

/// Whether a host failed a component under the lease, or lost it. The death of a keeper may be the fault of a job.
static bool host_failed(const Attempt& run, std::size_t lease) {
  return std::ranges::any_of(run.components, [&](const ComponentRun& one) {
    if (one.lease != lease || !one.end.known || one.end.keeper_died || one.cause) return false;
    return one.end.kind == EndKind::lost ||
           (one.end.kind == EndKind::start_failed && one.end.fault == StartFault::resources);
  });
}

void release(JobStep& s, Job& job, Returned how) {
  for (std::size_t i = 0; i < job.run->leases.size(); ++i) release_lease(s, job, i, how);
}

void release_lease(JobStep& s, Job& job, std::size_t lease, Returned how) {
  Attempt& run = *job.run;
  LeaseUse& use = run.leases[lease];
  if (!use.holds) return;
  DMM_ASSERT(s.parts.leases.holds(use.lease, job.number));
  s.parts.leases.remove(use.lease, job.number);
  s.parts.changed(job);
  const bool failed = how == Returned::unused && std::ranges::any_of(run.components, [&](const ComponentRun& one) {
                        return one.lease == lease && one.reached != ComponentPhase::started;
                      });
  if (how != Returned::known && !DMM_PLANT(nodes_not_released))
    tell_site(s, Release{use.lease, run.held_under(lease), false, failed, host_failed(run, lease)},
              s.parts.request_of(job));
  use.holds = false;
}

}  // namespace dmm::job_steps
