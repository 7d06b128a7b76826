// The job manager's memory: what it writes into the ledger, how it takes that up after a restart, and how it and its
// site put right what a restart of either left behind. Silence or a restart deletes nothing: the resource manager
// knows what runs, the owner what is leased, and both are asked.
#include <algorithm>
#include <map>

#include "jobmgr/job_manager.hpp"
#include "jobmgr/routes.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"

namespace dmm {

// ---- the ledger ----------------------------------------------------------------------------------------------------

void JobManager::changed(const Job& job, Grade grade) { unwritten_.change(job.number, grade); }

bool JobManager::forget(std::uint64_t number) {
  if (Job* job = jobs_.find(number); job && job->run && is_over(job->state)) drop_attempt(*job);
  if (!jobs_.forget(number)) return false;
  unwritten_.forget(number);
  return true;
}

void JobManager::write_changes(Step step) {
  if (!unwritten_.wanted) return;
  auto& ledger = step.effects.ledger;
  const Unwritten changes = std::exchange(unwritten_, {});
  unwritten_.wanted = changes.wanted;
  const auto erase = [&](auto row, std::uint64_t number) {
    row.number = number;
    ledger.erase(std::move(row));
  };
  for (const std::uint64_t number : changes.forgotten) {
    erase(JobRecord{}, number);
    erase(ProgressRecord{}, number);
  }
  for (const std::uint64_t number : changes.descriptions)
    if (const Job* job = jobs_.find(number)) ledger.put(record_of(*job), changes.grade);
  for (const std::uint64_t number : changes.progress)
    if (const Job* job = jobs_.find(number)) ledger.put(progress_of(*job), changes.grade);
  for (const SubmissionRecord& row : changes.answered) ledger.put(row, changes.grade);
  for (const SubmissionRecord& row : changes.dropped) ledger.erase(row);
}

std::vector<JobManagerRecord> JobManager::records() const {
  std::vector<JobManagerRecord> rows;
  for (const auto& [number, job] : jobs_.all()) {
    rows.emplace_back(record_of(*job));
    rows.emplace_back(progress_of(*job));
  }
  for (SubmissionRecord& row : submissions_.records()) rows.emplace_back(std::move(row));
  return rows;
}

// ---- our own restart -----------------------------------------------------------------------------------------------

std::string JobManager::restore(Instant now, std::vector<JobManagerRecord> rows) {
  DMM_ASSERT(jobs_.size() == 0 && submissions_.size() == 0);
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
    Job job = job_of(std::move(record), std::move(found->second), fault);
    if (!fault.empty()) return fault;
    restore(now, std::move(job));
    next_job_ = std::max(next_job_, number + 1);
  }
  for (const auto& [first, answer] : answers) {
    submissions_.remember(answer.client, {answer.token, first, answer.jobs, {}});
    next_job_ = std::max(next_job_, first + answer.jobs);
  }
  return broken_invariant();
}

// Its lease is good for nothing new until the site says so. Whoever it waits for gets the full time again: we were
// the silent ones.
void JobManager::restore(Instant now, Job restored) {
  Job& job = jobs_.restore(std::move(restored));
  if (!is_over(job.state)) output_paths_.restore(job.number, job.description);
  if (job.again_at != never) pauses_.emplace(job.again_at, job.number);
  if (!job.run) return;
  Attempt& run = *job.run;
  if (run.open > 0) leases_.open(run.lease, job.number);
  if (run.holds) leases_.restore(run.lease, job.number);
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i) {
    Task& task = run.tasks[i];
    const TaskKey key{job.number, i};
    if (task.phase == TaskPhase::queued)
      queued_.emplace_back(request_of(job), i);
    else
      managers_.use(now, task.manager, key, run.round_trip * 2);
    if (is_over(job.state) && i == 0)
      set_due(task, key, now + settings_.keep_output);
    else if (job.state == JobState::ending && task.phase != TaskPhase::over)
      set_due(task, key, now + run.grace + patience(run));
    else if (task.phase == TaskPhase::asked)
      set_due(task, key, now + settings_.start_limit + run.round_trip * 2);
  }
  resuming_.push_back(job.number);
}

// Everything that resource managers were told and may not have heard, or not answered.
void JobManager::resume(Step step) {
  for (const std::uint64_t number : std::exchange(resuming_, {})) {
    Job& job = *jobs_.find(number);
    add_routes(step.effects, job.run->granted, job.place->chain);
    if (job.run->open == 0) {
      // What couldn't be written waits until it is asked for.
      if (job.output != OutputState::unwritten) collect(step, job);
      continue;
    }
    for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i) say_again(step, job, i);
  }
}

// What a resource manager that restarted, or heard nothing of us since we did, must hear of a component. It starts
// none twice: a Start that it knows it answers with what became of it, and its fence refuses one whose lease is over.
void JobManager::say_again(Step step, Job& job, std::uint32_t component) {
  const auto& tasks = job.run->tasks;
  const Task& task = tasks[component];
  if (DMM_PLANT(starts_not_repeated)) return;
  if (task.phase != TaskPhase::asked && task.phase != TaskPhase::started) return;
  if (!task.stopping) return send_start(step, job, component);
  const auto is_told = [&](const Task& other) {
    return other.stopping && other.phase != TaskPhase::over && other.manager == task.manager;
  };
  if (std::none_of(tasks.begin(), tasks.begin() + component, is_told))  // one reaches all of a request
    step.effects.send(task.manager, Stop{request_of(job), job.run->grace}, request_of(job));
}

// ---- a session with the site that is new to either side ------------------------------------------------------------

void JobManager::offer_inventory(Step step) {
  inventory_ = {};
  judged_.clear();
  Inventory ours;
  ours.borrowed = holdings();
  for (const Holding& held : ours.borrowed) judged_.emplace(held.lease, held.request.job);
  for (Inventory& part : parts_of(std::move(ours))) tell_site(step, std::move(part));
}

std::vector<Holding> JobManager::holdings() const {
  std::vector<Holding> held;
  for (const auto& [lease, number] : leases_.all_open()) {
    if (!leases_.holds(lease, number)) continue;
    const Job& job = *jobs_.find(number);
    held.push_back({lease, request_of(job), job.run->held(), job.place->chain, {}, {}, {}, {}, {}, {}});
  }
  return held;
}

// What the site lent us and we don't hold needs no answer: our own inventory says so, and the site takes it back.
// Giving it back once more could hit nodes of the same lease that it grants us meanwhile.
void JobManager::on(Step step, FromSite, Inventory& part) {
  if (!gather(inventory_, part)) return;
  const Inventory theirs = std::exchange(inventory_, {});
  for (const Holding& lent : theirs.lent) compare(step, lent);
  for (const auto& [lease, number] : std::exchange(judged_, {}))
    if (leases_.holds(lease, number)) lose_nodes(step, *jobs_.find(number), {lease, {}, LeaseEnd::expired, false, {}});
  queue_awaited();
}

void JobManager::compare(Step step, const Holding& lent) {
  Job* job = jobs_.find(lent.request.job);
  const bool is_held = job && request_of(*job) == lent.request && leases_.holds(lent.lease, job->number);
  if (!is_held || judged_.erase({lent.lease, job->number}) == 0) return;
  leases_.promise(step.now, lent.lease, lent.left);
  std::vector<NodeGroup> missing = without(job->run->held(), lent.nodes);
  if (!missing.empty()) lose_nodes(step, *job, {lent.lease, std::move(missing), LeaseEnd::expired, false, {}});
}

}  // namespace dmm
