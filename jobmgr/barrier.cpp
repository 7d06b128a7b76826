#include "jobmgr/barrier.hpp"

#include <algorithm>
#include <utility>

#include "jobmgr/attempts.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"

namespace dmm::job_steps {
namespace {

/// Where a resource manager said nothing: the task is ready, and can't be reached.
constexpr std::string_view no_contact = "-";

/// A task that is over keeps no other waiting.
bool is_ready(const ComponentRun& task) { return !task.contact.empty() || task.phase == ComponentPhase::over; }

bool may_go(const Job& job) {
  return job.state != JobState::ending && std::ranges::all_of(job.run->components, is_ready);
}

/// Processors of the task's nodes.
std::uint32_t processors_under(const Attempt& run, const ComponentRun& task) {
  const auto group = std::ranges::find_if(run.granted, [&](const NodeGroup& one) {
    return one.component == task.component && one.resource_manager == task.manager &&
           overlap(one.nodes, task.nodes);
  });
  DMM_ASSERT(group != run.granted.end());
  return count(task.nodes) * group->processors_per_node;
}

/// What each component may still have of what was asked for: nodes may have more processors than that.
std::vector<std::uint32_t> wanted_of(const Job& job) {
  const ResourceNeed& need = job.description.need;
  std::vector<std::uint32_t> wanted;
  if (need.kind != RequestKind::flexible)
    for (const Component& component : need.components) wanted.push_back(component.processors);
  return wanted;
}

void tell_to_go(JobStep& s, const Job& job, std::uint32_t task, std::vector<Part> parts) {
  s.effects.send(job.run->components[task].manager, Go{s.parts.request_of(job), task, std::move(parts)},
                 s.parts.request_of(job));
}

/// The attempt begins, unless it did before.
bool begin(JobStep& s, Job& job) {
  if (std::exchange(job.run->went, true)) return false;
  job.joint.edit().barrier = s.now - std::min(job.run->ready_from, s.now);
  job.run->told_to_go = true;
  job.joint.edit().spread = {};
  s.parts.changed(job);
  return true;
}

}  // namespace

std::vector<Part> parts_of(const Job& job) {
  std::vector<std::uint32_t> wanted = wanted_of(job);
  std::uint32_t left = job.processors;  // of a flexible need
  std::vector<Part> parts;
  for (const ComponentRun& task : job.run->components) {
    std::uint32_t& rest = task.component < wanted.size() ? wanted[task.component] : left;
    const std::uint32_t processors = std::min(processors_under(*job.run, task), rest);
    rest -= processors;
    parts.push_back({task.component, count(task.nodes), processors, task.contact});
  }
  return parts;
}

bool task_ready(JobStep& s, Job& job, std::uint32_t task, std::string_view contact) {
  DMM_ASSERT(awaits_go(job));
  Attempt& run = *job.run;
  ComponentRun& ready = run.components[task];
  const bool was_known = is_ready(ready);
  ready.contact = contact.empty() ? std::string(no_contact) : shortened(contact, contact_bytes_max);
  run.ready_from = std::min(run.ready_from, s.now);
  if (DMM_PLANT(go_without_the_others)) {
    tell_to_go(s, job, task, parts_of(job));
    return begin(s, job);
  }
  if (!was_known) return go_if_ready(s, job);
  if (may_go(job)) tell_to_go(s, job, task, parts_of(job));
  return false;
}

bool go_if_ready(JobStep& s, Job& job) {
  Attempt& run = *job.run;
  if (!may_go(job)) return false;
  const std::vector<Part> parts = parts_of(job);
  for (std::uint32_t i = 0; i < run.components.size(); ++i)
    if (run.components[i].phase == ComponentPhase::started) tell_to_go(s, job, i, parts);
  const bool begins = begin(s, job);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "go", s.parts.request_of(job),
                  {{"tasks", static_cast<std::int64_t>(run.components.size())},
                   {"barrier_seconds", job.joint->barrier.in_seconds()}});
  return begins;
}

/// The word takes half a round trip to come: the task began so long ago.
void on(JobStep& s, FromProvider from, const Began& began) {
  const auto [job, task] = subject_of(s.parts, from.party, began.request, began.component);
  if (!task || !job->run->told_to_go || std::exchange(task->began, true)) return s.parts.ignore("repeated");
  const Instant begun = s.now - from.round_trip / 2;
  Attempt& run = *job->run;
  const Instant first = std::min(run.first_begun, begun);
  const Instant last = run.first_begun == never ? begun : std::max(run.first_begun + job->joint->spread, begun);
  run.first_begun = first;
  if (last - first == job->joint->spread) return;
  job->joint.edit().spread = last - first;
  s.parts.changed(*job);
}

}  // namespace dmm::job_steps
