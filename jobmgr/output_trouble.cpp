// The steps of output_trouble.hpp.
#include "jobmgr/output_trouble.hpp"

#include <algorithm>

#include "jobmgr/attempts.hpp"
#include "jobmgr/output.hpp"
#include "manager/assert.hpp"

namespace dmm::job_steps {

namespace {

/// A piece that is lost on its way comes only if it is asked for again.
constexpr Duration look_interval = seconds(10);

bool is_under_way(const StreamState& stream) { return stream.asked || stream.handed != 0; }

}  // namespace

static void leave_unfetched(JobStep& s, Job& job, std::uint32_t component);

void look_later(JobStep& s, Job& job, std::uint32_t component) {
  ComponentRun& component_run = job.run->components[component];
  if (component_run.look_due == never)
    s.parts.set_look(component_run, {job.number, component}, s.now + look_interval + job.run->round_trip * 2);
}

void look(JobStep& s, ComponentKey key) {
  Job& job = *s.parts.jobs.find(key.job);
  ComponentRun& component_run = job.run->components[key.component];
  DMM_ASSERT(component_run.look_due <= s.now);
  s.parts.set_look(component_run, key, never);
  for (const StreamState& stream : *component_run.streams) {
    const Duration waits = s.now - stream.handed_at;
    if (stream.handed == 0 || waits < look_interval || waits >= look_interval * 2) continue;
    s.effects.log(Level::warning, "output_waits", s.parts.request_of(job),
                  {{"seconds", waits.in_seconds()}, {"text", std::string("its file system takes nothing")}});
  }
  const bool asked = std::ranges::any_of(*component_run.streams, &StreamState::asked);
  if (asked && job.run->open == 0 && s.now - component_run.moved >= s.parts.patience(*job.run))
    return leave_unfetched(s, job, key.component);
  if (asked && s.parts.managers.is_up(component_run.manager)) fetch_pending(s, job, key.component);
  if (std::ranges::any_of(*component_run.streams, is_under_way)) look_later(s, job, key.component);
}

void fetch_pending(JobStep& s, Job& job, std::uint32_t component) {
  ComponentRun& component_run = job.run->components[component];
  for (const Stream stream : both_streams) {
    StreamState& state = component_run.streams.edit().at(static_cast<std::size_t>(stream));
    if (state.asked)
      s.effects.send(component_run.manager, Fetch{s.parts.request_of(job), component, stream, state.offset, true},
                     s.parts.request_of(job));
    if (state.state != OutputState::unfetched) continue;
    state.state = OutputState::pending;
    ask_piece(s, job, component, stream);
  }
}

void leave_unfetched(JobStep& s, Job& job, std::uint32_t component) {
  for (StreamState& stream : job.run->components[component].streams.edit())
    if (std::exchange(stream.asked, false)) stream.state = OutputState::unfetched;
  job.output_text = "output is still where the job ran: its resource manager is silent";
  s.parts.changed(job);
  close_if_written(s, job);
}

void give_up_output(JobStep& s, Job& job) {
  if (job.output == OutputState::unfetched) job.output = OutputState::lost;
  leave_attempt(s, job);
  s.parts.changed(job, Grade::synced);
}

WhyNot fetch_again(JobStep& s, std::uint64_t number) {
  Job* job = s.parts.jobs.find(number);
  if (!job) return "there is no job " + std::to_string(number);
  if (!is_over(job->state) && job->state != JobState::collecting)
    return "job " + std::to_string(number) + " isn't over: its output comes by itself";
  if (!job->run) return "nothing of its output is kept where it ran any more";
  job->own_files = true;
  job->output = OutputState::pending;
  for (ComponentRun& component_run : job->run->components)
    for (StreamState& stream : component_run.streams.edit()) {
      StreamState fresh;
      fresh.bytes = stream.bytes;
      fresh.all = std::move(stream.all);
      stream = std::move(fresh);
    }
  s.parts.changed(*job);
  collect(s, *job);
  return {};
}

}  // namespace dmm::job_steps
