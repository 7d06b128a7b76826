// Output that doesn't come, or can't be written: pieces are asked for again, what nobody sends now is fetched when its
// resource manager is heard again, and what could not be written is fetched once more when its user says so. Until
// then it stays where the job ran, for as long as it is kept there.
#include <algorithm>

#include "jobmgr/job_manager.hpp"

namespace dmm {
namespace {

/// Nobody sends a piece again that is lost on its way.
constexpr Duration look_interval = seconds(10);

bool is_under_way(const StreamState& stream) { return stream.asked || stream.handed != 0; }

}  // namespace

void JobManager::set_look(Task& task, TaskKey key, Instant due) {
  if (task.look_due != never) looks_.erase({task.look_due, key});
  task.look_due = due;
  if (due != never) looks_.emplace(due, key);
}

void JobManager::look_later(Step step, Job& job, std::uint32_t component) {
  Task& task = job.run->tasks[component];
  if (task.look_due == never)
    set_look(task, {job.number, component}, step.now + look_interval + job.run->round_trip * 2);
}

void JobManager::look(Step step, TaskKey key) {
  Job& job = *jobs_.find(key.job);
  Task& task = job.run->tasks[key.component];
  set_look(task, key, never);
  for (const StreamState& stream : task.streams) {
    const Duration waits = step.now - stream.handed_at;
    if (stream.handed == 0 || waits < look_interval || waits >= look_interval * 2) continue;
    step.effects.log(Level::warning, "output_waits", request_of(job),
                     {{"seconds", waits.in_seconds()}, {"text", std::string("its file system takes nothing")}});
  }
  const bool asked = std::ranges::any_of(task.streams, &StreamState::asked);
  if (asked && job.run->open == 0 && step.now - task.moved >= patience(*job.run))
    return leave_unfetched(step, job, key.component);
  if (asked && managers_.is_up(task.manager)) fetch_pending(step, job, key.component);
  if (std::ranges::any_of(task.streams, is_under_way)) look_later(step, job, key.component);
}

// The resource manager is heard, perhaps again: what was asked for, or given up for its silence, it can send now.
void JobManager::fetch_pending(Step step, Job& job, std::uint32_t component) {
  Task& task = job.run->tasks[component];
  for (const Stream stream : both_streams) {
    StreamState& state = task.streams.at(static_cast<std::size_t>(stream));
    if (state.asked)
      step.effects.send(task.manager, Fetch{request_of(job), component, stream, state.offset, true}, request_of(job));
    if (state.state != OutputState::unfetched) continue;
    state.state = OutputState::pending;
    ask_piece(step, job, component, stream);
  }
}

void JobManager::leave_unfetched(Step step, Job& job, std::uint32_t component) {
  for (StreamState& stream : job.run->tasks[component].streams)
    if (std::exchange(stream.asked, false)) stream.state = OutputState::unfetched;
  job.output_text = "output is still where the job ran: its resource manager is silent";
  changed(job);
  close_if_written(step, job);
}

// It was kept for long enough; by now whoever had it has forgotten it too.
void JobManager::give_up_output(Step step, Job& job) {
  if (job.output == OutputState::unfetched) job.output = OutputState::lost;
  leave_attempt(step, job);
  changed(job, Grade::synced);
}

std::string JobManager::fetch_again(Instant now, std::uint64_t number, Effects& effects) {
  const Step step = begin(now, effects);
  Job* job = jobs_.find(number);
  if (!job) return "there is no job " + std::to_string(number);
  if (!is_over(job->state) && job->state != JobState::collecting)
    return "job " + std::to_string(number) + " isn't over: its output comes by itself";
  if (!job->run) return "nothing of its output is kept where it ran any more";
  job->own_files = true;
  job->output = OutputState::pending;
  for (Task& task : job->run->tasks)
    for (StreamState& stream : task.streams) {
      StreamState fresh;
      fresh.bytes = stream.bytes;
      fresh.all = std::move(stream.all);
      stream = std::move(fresh);
    }
  changed(*job);
  collect(step, *job);
  return {};
}

}  // namespace dmm
