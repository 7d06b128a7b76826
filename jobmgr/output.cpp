// The job manager brings output back: small streams come with the end of a component, larger ones piece by piece,
// one piece in flight a stream. The job's outcome shows when all is written; its nodes were released before.
#include <algorithm>

#include "jobmgr/job_manager.hpp"
#include "machine/assert.hpp"
#include "machine/planted.hpp"

namespace dmm {
namespace {

constexpr std::array both_streams{Stream::output, Stream::error};

StreamState& stream_of(Task& task, Stream stream) { return task.streams.at(static_cast<std::size_t>(stream)); }

std::string path_of(const Job& job, std::uint32_t component, Stream stream) {
  const JobDescription& wanted = job.description;
  const std::string& path = stream == Stream::output ? wanted.output_path : wanted.error_path;
  return path.empty() || component == 0 ? path : path + '.' + std::to_string(component);
}

void add_text(Job& job, const std::string& text) {
  // A job of 64 components that all fail to write says so only as far as anybody would read.
  if (job.text.size() > 1000) return;
  job.text += (job.text.empty() ? "" : "; ") + text;
}

std::string_view event_name(JobState state) {
  switch (state) {
    case JobState::finished: return "job_finished";
    case JobState::cancelled: return "job_cancelled";
    case JobState::lost: return "job_lost";
    default: return "job_failed";
  }
}

}  // namespace

void JobManager::collect(Step step, Job& job) {
  if (job.description.keep_output)
    for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i)
      for (Stream stream : both_streams) collect(step, job, i, stream);
  else
    for (Task& task : job.run->tasks)
      for (StreamState& state : task.streams) state.phase = StreamPhase::done;
  close_if_written(step, job);
}

void JobManager::collect(Step step, Job& job, std::uint32_t component, Stream stream) {
  Task& task = job.run->tasks[component];
  StreamState& state = stream_of(task, stream);
  const std::string path = path_of(job, component, stream);
  if (!task.end.known || (state.bytes == 0 && path.empty())) {
    state.phase = StreamPhase::done;
  } else if (state.bytes == state.all.size()) {
    const bool cut = state.all.size() > settings_.fetch_bytes_max;
    if (cut) state.all = state.all.view().substr(0, settings_.fetch_bytes_max);
    hand_over(step, job, {job.number, stream, component, 0, std::move(state.all), true, cut, path});
    state.phase = StreamPhase::writing;
  } else {
    state.phase = StreamPhase::fetching;
    step.effects.send(task.manager, Fetch{request_of(job), component, stream, 0}, request_of(job));
    set_due(task, {job.number, component}, step.now + patience(*job.run));
  }
}

void JobManager::hand_over(Step step, const Job& job, OutputPiece piece) {
  DMM_ASSERT(job.state == JobState::collecting);
  step.effects.output.push_back(std::move(piece));
}

void JobManager::on(Step step, const Party& from, Chunk& chunk) {
  const auto [job, task] = subject_of(from, chunk.request, chunk.component);
  if (!task || job->state != JobState::collecting || chunk.stream > Stream::error) return;
  StreamState& state = stream_of(*task, chunk.stream);
  if (state.phase != StreamPhase::fetching || chunk.offset != state.offset) return;
  const std::uint64_t room = settings_.fetch_bytes_max - state.offset;
  const bool full = chunk.data.size() > room || (chunk.data.size() == room && !chunk.last);
  if (full) chunk.data.resize(room);
  // An empty piece that isn't the last would be asked for again and again.
  const bool last = chunk.last || full || chunk.data.empty();
  state.offset += chunk.data.size();
  const bool cut = chunk.cut || full || (last && state.offset < state.bytes);
  const std::string path = path_of(*job, chunk.component, chunk.stream);
  OutputPiece piece{job->number, chunk.stream, chunk.component, chunk.offset, {}, last, cut, path};
  piece.data = std::move(chunk.data);
  hand_over(step, *job, std::move(piece));
  if (last) {
    state.phase = StreamPhase::writing;
  } else {
    step.effects.send(from, Fetch{chunk.request, chunk.component, chunk.stream, state.offset}, chunk.request);
  }
  const bool more = std::any_of(task->streams.begin(), task->streams.end(),
                                [](const StreamState& s) { return s.phase == StreamPhase::fetching; });
  set_due(*task, {job->number, chunk.component}, more ? step.now + patience(*job->run) : never);
}

void JobManager::take(Step step, const OutputWritten& written) {
  Job* job = jobs_.find(written.job);
  if (!job || job->state != JobState::collecting || written.component >= job->run->tasks.size()) return;
  Task& task = job->run->tasks[written.component];
  StreamState& state = stream_of(task, written.stream);
  if (state.phase != StreamPhase::writing && state.phase != StreamPhase::fetching) return;
  if (written.error.empty() && (state.phase != StreamPhase::writing || !written.last)) return;
  if (!written.error.empty())
    add_text(*job, "standard " + std::string(written.stream == Stream::output ? "output" : "error") +
                       " could not be written: " + written.error);
  state.phase = StreamPhase::done;
  changed(*job);
  close_if_written(step, *job);
}

// What wasn't fetched yet never will be. A file that was begun is still completed, with the notice that it is cut.
void JobManager::lose_output(Step step, Job& job, std::uint32_t component, std::string_view why) {
  Task& task = job.run->tasks[component];
  set_due(task, {job.number, component}, never);
  bool lost = false;
  for (Stream stream : both_streams) {
    StreamState& state = stream_of(task, stream);
    if (state.phase != StreamPhase::fetching) continue;
    lost = true;
    std::string path = path_of(job, component, stream);
    state.phase = state.offset == 0 && path.empty() ? StreamPhase::done : StreamPhase::writing;
    if (state.phase == StreamPhase::writing)
      hand_over(step, job, {job.number, stream, component, state.offset, {}, true, true, std::move(path)});
  }
  if (!lost) return;
  add_text(job, "output was lost: " + std::string(why));
  changed(job);
  close_if_written(step, job);
}

void JobManager::close_if_written(Step step, Job& job) {
  for (const Task& task : job.run->tasks)
    for (const StreamState& state : task.streams)
      if (state.phase != StreamPhase::done) return;
  leave_attempt(step, job);
  close(step, job, job.outcome);
}

// The one way into an outcome. Synced before any Forget leaves: what would be fetched once more is gone then.
void JobManager::close(Step step, Job& job, JobEvent event) {
  DMM_ASSERT(!job.run && job.ended);
  jobs_.change(job, event);
  unwritten_.description(job.number);
  changed(job, DMM_PLANT(outcome_only_committed) ? Grade::committed : Grade::synced);
  step.effects.ended.push_back(job.number);
  job.description.program = {};
  job.description.need = {};
  if (!step.effects.wants(Level::info)) return;
  std::vector<LogField> fields{{"job", static_cast<std::int64_t>(job.number)},
                               {"wall_seconds", job.wall.in_seconds()},
                               {"total_seconds", (*job.ended - job.submitted).in_seconds()}};
  if (!job.text.empty()) fields.push_back({"text", job.text});
  step.effects.log(Level::info, event_name(job.state), request_of(job), std::move(fields));
}

}  // namespace dmm
