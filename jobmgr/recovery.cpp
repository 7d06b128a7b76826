// The steps of recovery.hpp.
#include "jobmgr/recovery.hpp"

#include <algorithm>
#include <map>

#include "jobmgr/asking.hpp"
#include "jobmgr/attempts.hpp"
#include "jobmgr/conditions.hpp"
#include "jobmgr/invariants.hpp"
#include "jobmgr/output.hpp"
#include "jobmgr/routes.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"

namespace dmm::job_steps {

/// Its lease is good for nothing new until the site says so. The managers that it waits for get the full time again:
/// this job manager was the silent one.
static void restore(JobParts& parts, Instant now, Job restored);
static void compare(JobStep& s, const Holding& lent);

// ---- the ledger -----------------------------------------------------------------------------------------------------

bool forget(JobParts& parts, std::uint64_t number) {
  if (parts.eligibility.is_awaited(number)) return false;
  if (Job* job = parts.jobs.find(number); job && job->run && is_over(job->state)) drop_attempt(parts, *job);
  if (!parts.jobs.forget(number)) return false;
  parts.unwritten.forget(number);
  return true;
}

void write_changes(JobStep& s) {
  if (!s.parts.unwritten.wanted) return;
  auto& ledger = s.effects.ledger;
  const Unwritten changes = std::exchange(s.parts.unwritten, {});
  s.parts.unwritten.wanted = changes.wanted;
  const auto erase = [&](auto row, std::uint64_t number) {
    row.number = number;
    ledger.erase(std::move(row));
  };
  for (const std::uint64_t number : changes.forgotten) {
    DMM_ASSERT(s.parts.jobs.find(number) == nullptr);
    erase(JobRecord{}, number);
    erase(ProgressRecord{}, number);
  }
  for (const std::uint64_t number : changes.descriptions)
    if (const Job* job = s.parts.jobs.find(number)) ledger.put(record_of(*job), changes.grade);
  for (const std::uint64_t number : changes.progress)
    if (const Job* job = s.parts.jobs.find(number))
      ledger.put(progress_of(*job, s.parts.eligibility.find(number)), changes.grade);
  for (const SubmissionRecord& row : changes.answered) ledger.put(row, changes.grade);
  for (const SubmissionRecord& row : changes.dropped) ledger.erase(row);
}

std::vector<JobManagerRecord> records(const JobParts& parts) {
  std::vector<JobManagerRecord> rows;
  for (const auto& [number, job] : parts.jobs.all()) {
    rows.emplace_back(record_of(*job));
    rows.emplace_back(progress_of(*job, parts.eligibility.find(number)));
  }
  for (SubmissionRecord& row : parts.intake.submissions().records()) rows.emplace_back(std::move(row));
  return rows;
}

// ---- our own restart ------------------------------------------------------------------------------------------------

WhyNot restore(JobParts& parts, Instant now, std::vector<JobManagerRecord> rows) {
  DMM_ASSERT(parts.jobs.size() == 0 && parts.intake.submissions().size() == 0);
  std::map<std::uint64_t, JobRecord> accepted;
  std::map<std::uint64_t, ProgressRecord> progress;
  std::map<std::uint64_t, SubmissionRecord> answers;  // by job: in the order in which they were given
  for (JobManagerRecord& row : rows) {
    if (auto* job = std::get_if<JobRecord>(&row)) accepted[job->number] = std::move(*job);
    if (auto* of = std::get_if<ProgressRecord>(&row)) progress[of->number] = std::move(*of);
    if (auto* answer = std::get_if<SubmissionRecord>(&row)) answers[answer->first_job] = std::move(*answer);
  }
  if (accepted.size() != progress.size()) return "not every job has its progress, or not every progress its job";
  for (auto& [number, record] : accepted) {
    const auto found = progress.find(number);
    if (found == progress.end()) return "job " + std::to_string(number) + ": no progress";
    std::string fault;
    Conditions conditions = conditions_of(found->second);
    Job job = job_of(std::move(record), std::move(found->second), fault);
    if (!fault.empty()) return fault;
    restore(parts, now, std::move(job));
    if (conditions.any()) parts.eligibility.add(number, std::move(conditions));
    parts.intake.note_given(number + 1);
  }
  for (const auto& [first, answer] : answers) {
    parts.intake.submissions().remember(answer.client, {answer.token, first, answer.jobs, {}});
    parts.intake.note_given(first + answer.jobs);
  }
  for (const std::uint64_t number : parts.eligibility.jobs())
    for (const Dependency& dependency : parts.eligibility.find(number)->awaits) note_dependency(parts, dependency);
  return broken_invariant(parts);
}

void restore(JobParts& parts, Instant now, Job restored) {
  Job& job = parts.jobs.restore(std::move(restored));
  if (!is_over(job.state)) parts.intake.restore(job);
  parts.pauses.restore(job);
  if (!job.run) return;
  Attempt& run = *job.run;
  for (const LeaseUse& use : run.leases) {
    if (run.open > 0) parts.leases.open(use.lease, job.number);
    if (use.holds) parts.leases.restore(use.lease, job.number);
  }
  for (std::uint32_t i = 0; i < run.components.size(); ++i) {
    ComponentRun& component_run = run.components[i];
    const ComponentKey key{job.number, i};
    if (component_run.phase == ComponentPhase::queued)
      parts.starts.add(parts.request_of(job), i);
    else
      parts.managers.use(now, component_run.manager, key, run.round_trip * 2);
    if (is_over(job.state) && i == 0)
      parts.set_due(component_run, key, now + parts.settings.keep_output);
    else if (job.state == JobState::ending && component_run.phase != ComponentPhase::over)
      parts.set_due(component_run, key, now + run.grace + parts.patience(run));
    else if (component_run.phase == ComponentPhase::asked)
      parts.set_due(component_run, key, now + parts.settings.start_limit + run.round_trip * 2);
  }
  parts.resuming.push_back(job.number);
}

void resume(JobStep& s) {
  for (const std::uint64_t number : std::exchange(s.parts.resuming, {})) {
    Job& job = *s.parts.jobs.find(number);
    for (std::size_t i = 0; i < job.places.size(); ++i)
      add_routes(s.effects, job.run->granted_under(i), job.places[i].chain);
    if (job.run->open == 0) {
      // What couldn't be written waits until it is asked for.
      if (job.output != OutputState::unwritten) collect(s, job);
      continue;
    }
    for (std::uint32_t i = 0; i < job.run->components.size(); ++i) say_again(s, job, i);
  }
}

void say_again(JobStep& s, Job& job, std::uint32_t component) {
  const auto& components = job.run->components;
  const ComponentRun& component_run = components[component];
  if (DMM_PLANT(starts_not_repeated)) return;
  if (component_run.phase != ComponentPhase::asked && component_run.phase != ComponentPhase::started) return;
  if (!component_run.stopping) return send_start(s, job, component);
  const auto is_told = [&](const ComponentRun& other) {
    return other.stopping && other.phase != ComponentPhase::over && other.manager == component_run.manager;
  };
  if (std::none_of(components.begin(), components.begin() + component, is_told))  // one reaches all of a request
    s.effects.send(component_run.manager, Stop{s.parts.request_of(job), job.run->grace}, s.parts.request_of(job));
}

// ---- a session with the site that is new to either side -------------------------------------------------------------

void offer_inventory(JobStep& s) {
  Inventory ours;
  ours.borrowed = holdings(s.parts);
  SiteLink::Held held;
  for (const Holding& one : ours.borrowed) held.emplace(one.lease, one.request.job);
  s.parts.site.begin_inventory(std::move(held));
  for (Inventory& page : pages_of(std::move(ours))) tell_site(s, std::move(page));
}

std::vector<Holding> holdings(const JobParts& parts) {
  std::vector<Holding> held;
  for (const auto& [lease, number] : parts.leases.all_open()) {
    if (!parts.leases.holds(lease, number)) continue;
    const Job& job = *parts.jobs.find(number);
    DMM_ASSERT(job.run && job.run->find(lease));
    const std::size_t i = *job.run->find(lease);
    held.push_back(
        {lease, parts.request_of(job), job.run->held_under(i), job.places[i].chain, {}, {}, {}, {}, {}, {}});
  }
  return held;
}

void on(JobStep& s, FromSite, Inventory& part) {
  const std::optional<Inventory> theirs = s.parts.site.hear(part);
  if (!theirs) return;
  for (const Holding& lent : theirs->lent) compare(s, lent);
  for (const auto& [lease, number] : s.parts.site.take_unconfirmed())
    if (s.parts.leases.holds(lease, number))
      lose_nodes(s, *s.parts.jobs.find(number), {lease, {}, LeaseEnd::expired, false, {}});
  s.parts.starts.queue_aside();
}

void compare(JobStep& s, const Holding& lent) {
  Job* job = s.parts.jobs.find(lent.request.job);
  const bool is_held =
      job && s.parts.request_of(*job) == lent.request && s.parts.leases.holds(lent.lease, job->number);
  if (!is_held || !s.parts.site.confirm(lent.lease, job->number)) return;
  s.parts.leases.promise(s.now, lent.lease, lent.left);
  std::vector<NodeGroup> missing = without(job->run->held_under(*job->run->find(lent.lease)), lent.nodes);
  if (!missing.empty()) lose_nodes(s, *job, {lent.lease, std::move(missing), LeaseEnd::expired, false, {}});
}

}  // namespace dmm::job_steps
