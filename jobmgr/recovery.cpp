// The steps of recovery.hpp.
#include "jobmgr/recovery.hpp"

#include <algorithm>
#include <map>

#include "jobmgr/asking.hpp"
#include "jobmgr/attempts.hpp"
#include "jobmgr/conditions.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/invariants.hpp"
#include "jobmgr/losing.hpp"
#include "jobmgr/output.hpp"
#include "jobmgr/routes.hpp"
#include "jobmgr/starting.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"

namespace dmm::job_steps {

/// Its lease is good for nothing new until the site says so. The managers that it waits for get the full time again:
/// this job manager was the silent one.
static void restore(JobParts& parts, Instant now, Job restored);
static void compare(JobStep& s, const Holding& lent);
/// The array is to be forgotten, and its elements with it.
static void forget_elements(JobParts& parts, const Job& array);

// ---- the ledger -----------------------------------------------------------------------------------------------------

bool forget(JobParts& parts, std::uint64_t number) {
  if (parts.eligibility.is_awaited(number)) return false;
  Job* const job = parts.jobs.find(number);
  if (!job || !is_over(job->state)) return false;
  if (const JobArray* array = parts.arrays.find(number);
      array && !parts.eligibility.awaited(array->first_element, array->size).empty())
    return false;
  if (job->run) drop_attempt(parts, *job);
  if (job->array != 0) {
    parts.arrays.forget_element(*parts.arrays.element_of(number), job->state);
    parts.changed(*parts.jobs.find(job->array));
  }
  if (job->is_array()) forget_elements(parts, *job);
  const bool is_forgotten = parts.jobs.forget(number);
  DMM_ASSERT(is_forgotten);
  parts.unwritten.forget(number);
  return true;
}

void forget_elements(JobParts& parts, const Job& array) {
  const JobArray& elements = *parts.arrays.find(array.number);
  DMM_ASSERT(elements.is_over());
  for (std::uint32_t position = 0; position < elements.size; ++position) {
    const std::uint64_t number = elements.number_at(position);
    Job* const element = parts.jobs.find(number);
    if (!element) continue;
    if (element->run) drop_attempt(parts, *element);
    parts.jobs.forget(number);
    parts.unwritten.forget(number);
  }
  parts.arrays.forget(array.number);
}

static ProgressRecord progress_in(const JobParts& parts, const Job& job) {
  return progress_of(job, parts.eligibility.find(job.number), parts.arrays.find(job.number));
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
    if (const Job* job = s.parts.jobs.find(number)) ledger.put(progress_in(s.parts, *job), changes.grade);
  for (const SubmissionRecord& row : changes.answered) ledger.put(row, changes.grade);
  for (const SubmissionRecord& row : changes.dropped) ledger.erase(row);
}

std::vector<JobManagerRecord> records(const JobParts& parts) {
  std::vector<JobManagerRecord> rows;
  for (const auto& [number, job] : parts.jobs.all()) {
    if (job->own_record) rows.emplace_back(record_of(*job));
    rows.emplace_back(progress_in(parts, *job));
  }
  for (SubmissionRecord& row : parts.intake.submissions().records()) rows.emplace_back(std::move(row));
  return rows;
}

// ---- our own restart ------------------------------------------------------------------------------------------------

/// An array, or an element of one, finds its place there again.
static WhyNot restore_array(JobParts& parts, Job& job, OrFault<JobArray, std::string> array) {
  if (job.is_array()) {
    if (auto* fault = std::get_if<std::string>(&array)) return std::move(*fault);
    auto& elements = std::get<JobArray>(array);
    parts.intake.note_given(elements.first_element + elements.size);
    parts.arrays.add(job.number, std::move(elements));
    return {};
  }
  const auto key = parts.arrays.element_of(job.number);
  const JobArray* const elements = key ? parts.arrays.find(key->array) : nullptr;
  if (!elements || key->array != job.array || !elements->is_open_place(key->position))
    return "job " + std::to_string(job.number) + ": an element that its array doesn't have";
  job.index = elements->indices.index_at(key->position);
  parts.arrays.restore_element(*key, job.state);
  return {};
}

static WhyNot restore_job(JobParts& parts, Instant now, JobRecord record, ProgressRecord progress) {
  const std::uint64_t number = progress.number;
  std::string fault;
  Conditions conditions = conditions_of(progress);
  OrFault<JobArray, std::string> array = std::string();
  if (!record.description.array.empty()) array = array_of(record, progress);
  Job job = job_of(std::move(record), std::move(progress), fault);
  if (fault.empty() && (job.array != 0 || job.is_array())) fault = restore_array(parts, job, std::move(array));
  if (!fault.empty()) return fault;
  restore(parts, now, std::move(job));
  if (conditions.any()) parts.eligibility.add(number, std::move(conditions));
  parts.intake.note_given(number + 1);
  if (const Job& restored = *parts.jobs.find(number); restored.is_array()) note_conditions(parts, restored);
  return {};
}

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
  for (auto& [number, of] : progress) {
    const auto own = accepted.find(number), array = accepted.find(of.array);
    if (own == accepted.end() && (of.array == 0 || array == accepted.end()))
      return "job " + std::to_string(number) + ": no description";
    JobRecord record = own == accepted.end() ? element_record(array->second, of) : own->second;
    if (std::string fault = restore_job(parts, now, std::move(record), std::move(of)); !fault.empty())
      return fault;
    parts.jobs.find(number)->own_record = own != accepted.end();
  }
  for (const auto& [number, record] : accepted)
    if (!progress.contains(number)) return "job " + std::to_string(number) + ": no progress";
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
      parts.set_due(component_run, key, now + parts.start_limit_of(job));
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
