// The job manager brings output back, while the job runs and when it is over: small streams come with the end of a
// component, larger ones piece by piece. Of each stream one piece is asked for or being written at a time: who writes
// slowly is brought little. The job's outcome shows when all is safe; its nodes were released before.
#include <algorithm>

#include "jobmgr/job_manager.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

StreamState& stream_of(Task& task, Stream stream) { return task.streams.at(static_cast<std::size_t>(stream)); }

/// Both streams are wanted in one file.
bool shares_file(const Job& job) {
  const JobDescription& wanted = job.description;
  return !job.own_files && !wanted.output_path.empty() && wanted.output_path == wanted.error_path;
}

std::uint8_t bit_of(Stream stream) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(stream)); }

/// A stream of which nothing came, now or in an earlier attempt, and that was wanted nowhere.
bool needs_no_file(const Job& job, std::uint32_t component, Stream stream) {
  return path_of(job, component, stream).empty() && (job.output_began & bit_of(stream)) == 0;
}

void add_text(Job& job, Stream stream, const std::string& text) {
  // A job of 64 components that all fail to write says so only as far as anybody would read.
  if (job.output_text.size() > 1000) return;
  const std::string said = job.output_text;
  job.output_text = said + (said.empty() ? "" : "; ") + "standard " + std::string(to_text(stream)) + ' ' + text;
}

/// Once more from its beginning; of two streams in one file both, since its beginning is theirs.
void begin_failed_again(const Job& job, Task& task) {
  const bool any = std::ranges::any_of(task.streams, &StreamState::failed);
  for (StreamState& stream : task.streams) {
    if (!stream.failed && !(any && shares_file(job))) continue;
    stream.failed = stream.asked = false;
    stream.again = true;
    stream.handed = stream.offset = 0;
  }
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

std::string path_of(const Job& job, std::uint32_t component, Stream stream) {
  if (job.own_files) return {};
  const JobDescription& wanted = job.description;
  const std::string path = expanded(stream == Stream::output ? wanted.output_path : wanted.error_path, job.number);
  return path.empty() || component == 0 ? path : path + '.' + std::to_string(component);
}

std::string_view to_text(OutputState state) {
  switch (state) {
    case OutputState::pending: return "pending";
    case OutputState::complete: return "complete";
    case OutputState::cut: return "cut";
    case OutputState::unfetched: return "unfetched";
    case OutputState::unwritten: return "unwritten";
    case OutputState::lost: return "lost";
  }
  return "unknown";
}

// A component that runs has written something.
void JobManager::on(Step step, FromProvider from, const Grown& grown) {
  const auto [job, task] = subject_of(from.party, grown.request, grown.component);
  if (!task || task->phase == TaskPhase::over || !job->description.keep_output) return ignore("not_running");
  const std::array sizes{grown.output_bytes, grown.error_bytes};
  for (const Stream stream : both_streams) {
    StreamState& state = stream_of(*task, stream);
    state.bytes = std::max(state.bytes, sizes.at(static_cast<std::size_t>(stream)));
    advance(step, *job, grown.component, stream);
  }
}

// Nothing of the job runs any more: what there is of its output is all that there will be.
void JobManager::collect(Step step, Job& job) {
  DMM_ASSERT(job.run->open == 0);
  if (job.output_text.size() > 0) changed(job);
  job.output_text = {};
  for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i) {
    Task& task = job.run->tasks[i];
    begin_failed_again(job, task);
    for (const Stream stream : both_streams) {
      StreamState& state = stream_of(task, stream);
      if (!job.description.keep_output) {
        state.state = OutputState::complete;
        continue;
      }
      if (!task.end.known) {  // nobody could be asked
        if (state.bytes > state.offset) state.outcome = OutputState::lost;
        state.bytes = state.offset;
      }
      if (!task.end.known || state.bytes == state.all.size()) state.asked = false;
      advance(step, job, i, stream);
    }
  }
  close_if_written(step, job);
}

// The next step of one stream, if nothing of it is under way.
void JobManager::advance(Step step, Job& job, std::uint32_t component, Stream stream) {
  StreamState& state = stream_of(job.run->tasks[component], stream);
  if (state.state != OutputState::pending || state.asked || state.handed != 0 || state.failed) return;
  const std::uint64_t end = std::min(state.bytes, settings_.fetch_bytes_max);
  std::string data;
  if (state.offset < end) {
    if (state.bytes != state.all.size()) return ask_piece(step, job, component, stream);
    data = state.all.view().substr(state.offset, end - state.offset);
  } else if (job.run->open > 0) {
    return;
  } else if (state.offset == 0 && (state.outcome == OutputState::lost || needs_no_file(job, component, stream))) {
    // A file that holds what came before a restart of ours is left as it is.
    return end_stream(job, state, stream);
  }
  hand_over(step, job, component, stream, std::move(data));
}

void JobManager::ask_piece(Step step, Job& job, std::uint32_t component, Stream stream) {
  Task& task = job.run->tasks[component];
  if (std::ranges::none_of(task.streams, &StreamState::asked)) task.moved = step.now;
  StreamState& state = stream_of(task, stream);
  state.asked = true;
  step.effects.send(task.manager, Fetch{request_of(job), component, stream, state.offset, true}, request_of(job));
  look_later(step, job, component);
}

void JobManager::hand_over(Step step, Job& job, std::uint32_t component, Stream stream, std::string data) {
  Task& task = job.run->tasks[component];
  StreamState& state = stream_of(task, stream);
  DMM_ASSERT(state.state == OutputState::pending && state.handed == 0);
  OutputPiece piece;
  piece.job = job.number;
  piece.stream = stream;
  piece.component = component;
  piece.serial = ++last_piece_;
  piece.offset = state.offset;
  const bool shared = shares_file(job), appends = job.description.append && !job.own_files;
  piece.appends = shared || appends;
  piece.begins = !appends && (shared ? task.streams[0].offset + task.streams[1].offset : state.offset) == 0;
  piece.path = path_of(job, component, stream);
  state.handed = piece.serial;
  state.handed_at = step.now;
  state.offset += data.size();
  piece.last = job.run->open == 0 && state.offset >= std::min(state.bytes, settings_.fetch_bytes_max);
  piece.data = std::move(data);
  step.effects.output.push_back(std::move(piece));
  if ((job.output_began & bit_of(stream)) == 0) changed(job);
  job.output_began |= bit_of(stream);
  look_later(step, job, component);
}

void JobManager::on(Step step, FromProvider from, Chunk& chunk) {
  Piece piece{chunk.request, chunk.component, chunk.stream, chunk.offset, std::move(chunk.data), chunk.last, 0};
  take_piece(step, from.party, piece, chunk.cut);
}

void JobManager::on(Step step, FromProvider from, Piece& piece) { take_piece(step, from.party, piece, false); }

void JobManager::take_piece(Step step, const Party& from, Piece& piece, bool cut) {
  const auto [job, task] = subject_of(from, piece.request, piece.component);
  if (!task || piece.stream > Stream::error) return ignore("unknown_component");
  StreamState& state = stream_of(*task, piece.stream);
  if (!state.asked || piece.offset != state.offset) return ignore("not_asked");
  state.asked = false;
  task->moved = step.now;
  const std::uint64_t room = settings_.fetch_bytes_max - state.offset;
  if (piece.data.size() > room) piece.data.resize(room);
  const std::uint64_t end = state.offset + piece.data.size();
  if (!task->end.known) {
    // What was announced and isn't there was taken away again by the job itself.
    state.bytes = piece.data.empty() ? state.offset : std::max(state.bytes, piece.size);
  } else if ((piece.last || piece.data.empty()) && end < std::min(state.bytes, settings_.fetch_bytes_max)) {
    state.outcome = cut ? OutputState::cut : OutputState::lost;
    state.bytes = end;
    changed(*job);
  }
  if (piece.data.empty())
    advance(step, *job, piece.component, piece.stream);
  else
    hand_over(step, *job, piece.component, piece.stream, std::move(piece.data));
  close_if_written(step, *job);
}

void JobManager::take(Step step, const OutputWritten& written) {
  Job* job = jobs_.find(written.job);
  if (!job || !job->run || written.component >= job->run->tasks.size()) return;
  StreamState& state = stream_of(job->run->tasks[written.component], written.stream);
  if (state.handed == 0 || state.handed != written.serial) return;
  state.handed = 0;
  if (!written.error.empty()) {
    fail_stream(step, *job, written);
  } else if (written.last) {
    end_stream(*job, state, written.stream);
  }
  advance(step, *job, written.component, written.stream);
  close_if_written(step, *job);
}

void JobManager::fail_stream(Step step, Job& job, const OutputWritten& written) {
  Task& task = job.run->tasks[written.component];
  StreamState& state = stream_of(task, written.stream);
  state.failed = true;
  changed(job);
  if (job.run->open == 0 && !state.again) {
    begin_failed_again(job, task);
    for (const Stream stream : both_streams) advance(step, job, written.component, stream);
    return;
  }
  add_text(job, written.stream, "could not be written: " + written.error);
  if (job.run->open == 0) state.state = OutputState::unwritten;
}

// All of a stream is safe here that will ever be.
void JobManager::end_stream(Job& job, StreamState& state, Stream stream) {
  state.state = state.outcome;
  if (state.bytes > settings_.fetch_bytes_max) state.state = std::max(state.state, OutputState::cut);
  if (state.state == OutputState::complete) return;
  add_text(job, stream, (state.state == OutputState::cut ? "is cut: " : "is lost in part: ") +
                            std::to_string(state.offset) + " bytes of it were brought back");
  changed(job);
}

// What isn't safe here stays where it is for a while, also after the outcome is known.
void JobManager::close_if_written(Step step, Job& job) {
  if (job.run->open > 0) return;
  OutputState worst = OutputState::complete;
  bool kept = false;
  for (const Task& task : job.run->tasks)
    for (const StreamState& stream : task.streams) {
      if (stream.state == OutputState::pending) return;
      worst = std::max(worst, stream.state);
      kept = kept || stream.state == OutputState::unfetched || stream.state == OutputState::unwritten;
    }
  job.output = worst;
  if (worst == OutputState::complete) job.output_text = {};
  const bool was_over = is_over(job.state);
  if (!kept)
    leave_attempt(step, job);
  else if (!was_over)
    set_due(job.run->tasks[0], {job.number, 0}, step.now + settings_.keep_output);
  if (!was_over) return close(step, job, job.outcome);
  changed(job, Grade::synced);
  step.effects.log(kept ? Level::warning : Level::info, "output", request_of(job),
                   {{"state", std::string(to_text(worst))}, {"text", std::string(job.output_text)}});
}

// The one way into an outcome. Synced before any Forget leaves: what would be fetched once more is gone then.
void JobManager::close(Step step, Job& job, JobEvent event) {
  DMM_ASSERT(job.ended && (!job.run || job.run->open == 0));
  jobs_.change(job, event);
  output_paths_.give_back(job.number, job.description);
  if (job.output == OutputState::pending) job.output = OutputState::complete;  // none of it ever ran
  unwritten_.description(job.number);
  changed(job, DMM_PLANT(outcome_only_committed) ? Grade::committed : Grade::synced);
  step.effects.ended.push_back(job.number);
  job.description.program = {};
  job.description.need = {};
  if (!step.effects.wants(Level::info)) return;
  std::vector<LogField> fields{{"job", static_cast<std::int64_t>(job.number)},
                               {"wall_seconds", job.wall.in_seconds()},
                               {"total_seconds", (*job.ended - job.submitted).in_seconds()}};
  if (const std::string text = text_of(job); !text.empty()) fields.push_back({"text", text});
  step.effects.log(Level::info, event_name(job.state), request_of(job), std::move(fields));
}

}  // namespace dmm
