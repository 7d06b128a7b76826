#include "jobmgr/starting.hpp"

#include <algorithm>

#include "jobmgr/attempts.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/staged.hpp"
#include "manager/assert.hpp"

namespace dmm::job_steps {
namespace {

constexpr std::size_t nodes_variable_max = 96 * 1024;

// "das-3/fs0/nodes:0-3,7;das-3/fs1/nodes:0-1": all nodes of the job, in the order in which they were granted.
void append_nodes(const std::vector<NodeGroup>& groups, std::string& text) {
  for (const NodeGroup& group : groups) {
    if (&group != &groups.front()) text += ';';
    text.append(group.resource_manager.site.text).append("/").append(group.cluster.text);
    text.append("/").append(group.resource_manager.name).append(":").append(to_text(group.nodes));
  }
}

}  // namespace

void start_queued(JobStep& s) {
  while (const auto next = s.parts.starts.take(s.parts.settings.starts_at_once)) {
    const auto& [request, component] = *next;
    Job* job = s.parts.jobs.find(request.job);
    if (!job || !job->run || s.parts.request_of(*job) != request) continue;
    DMM_ASSERT(component < job->run->components.size());
    ComponentRun& component_run = job->run->components[component];
    if (component_run.phase != ComponentPhase::queued) continue;
    if (s.parts.leases.awaited(s.now, job->run->lease_of(component_run).lease)) {
      s.parts.starts.put_aside(*next);
      continue;
    }
    if (!s.parts.leases.usable(s.now, job->run->lease_of(component_run).lease)) {
      interrupt(s, *job, component, true);
      wind_down(s, *job);
      continue;
    }
    component_run.phase = component_run.reached = ComponentPhase::asked;
    job->run->asked = true;
    s.parts.changed(*job, Grade::synced);
    const ComponentKey key{job->number, component};
    s.parts.starts.sent(s.now, component_run, key);
    s.parts.managers.use(s.now, component_run.manager, key, job->run->round_trip * 2);
    s.parts.set_due(component_run, key, s.now + s.parts.start_limit_of(*job));
    send_start(s, *job, component);
  }
}

void free_start_slots(JobParts& parts, Instant now) {
  while (const auto key = parts.starts.take_held(now)) {
    Job* job = parts.jobs.find(key->job);
    if (job && job->run && key->component < job->run->components.size())
      parts.starts.answered(job->run->components[key->component]);
  }
}

void send_start(JobStep& s, const Job& job, std::uint32_t component) {
  const Attempt& run = *job.run;
  const ComponentRun& component_run = run.components[component];
  // The ledger has it as asked before its Start leaves.
  DMM_ASSERT(component_run.phase == ComponentPhase::asked || component_run.phase == ComponentPhase::started);
  Start start{run.lease_of(component_run).lease,
              s.parts.request_of(job),
              component,
              component_run.nodes,
              job.description.program,
              {},
              job.description.keep_output};
  auto& environment = start.program.environment.edit();
  start.program.awaits_go = awaits_go(job);
  for (InputFile& file : start.program.inputs) order_replicas(file, run.lease_of(component_run).lease.owner);
  if (HomeShare share = s.parts.home_files.share(job, start.request, component); !share.ticket.empty()) {
    s.parts.home_files.address(start.program, share);
    s.effects.shares.push_back(std::move(share));
  }
  environment.reserve(environment.size() + 11);
  environment.push_back("DMM_JOB=" + std::to_string(job.number));
  environment.push_back("DMM_JOB_ID=" + std::to_string(job.number));
  environment.push_back("DMM_NODES=");
  append_nodes(run.granted, environment.back());
  // Linux takes no string above 128 KiB in an environment: the start would fail for a list that few programs read.
  if (environment.back().size() > nodes_variable_max) environment.pop_back();
  environment.push_back("DMM_PROCESSORS=" + std::to_string(processors_of(run.granted)));
  environment.push_back("DMM_COMPONENTS=" + std::to_string(run.components.back().component + 1));
  environment.push_back("DMM_COMPONENT=" + std::to_string(component_run.component));
  if (job.array != 0) add_array_variables(s.parts, job, environment);
  s.effects.send(component_run.manager, std::move(start), s.parts.request_of(job));
}

}  // namespace dmm::job_steps
