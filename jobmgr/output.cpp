// The steps of output.hpp.
#include "jobmgr/output.hpp"

#include <algorithm>

#include "jobmgr/attempts.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/output_trouble.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm::job_steps {

namespace {

StreamState& stream_of(ComponentRun& component_run, Stream stream) {
  return component_run.streams.edit().at(static_cast<std::size_t>(stream));
}

/// Both streams are wanted in one file.
bool shares_file(const Job& job) {
  const JobDescription& wanted = job.description;
  return !job.own_files && !wanted.output_path.empty() && wanted.output_path == wanted.error_path;
}

std::uint8_t bit_of(Stream stream) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(stream)); }

/// A stream that brought nothing, now or in an earlier attempt, and that was wanted nowhere.
bool needs_no_file(const Job& job, std::uint32_t component, Stream stream) {
  return path_of(job, component, stream).empty() && (job.output_began & bit_of(stream)) == 0;
}

void add_text(Job& job, Stream stream, const std::string& text) {
  // A job of 64 components that all fail to write says so only as far as a person would read.
  if (job.output_text.size() > 1000) return;
  const std::string said = job.output_text;
  job.output_text = said + (said.empty() ? "" : "; ") + "standard " + std::string(to_text(stream)) + ' ' + text;
}

/// Once more from its beginning; of two streams in one file both, since its beginning is theirs.
void begin_failed_again(const Job& job, ComponentRun& component_run) {
  const bool any = std::ranges::any_of(*component_run.streams, &StreamState::failed);
  for (StreamState& stream : component_run.streams.edit()) {
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

/// The next step of one stream, if nothing of it is under way.
static void advance(JobStep& s, Job& job, std::uint32_t component, Stream stream);
static void hand_over(JobStep& s, Job& job, std::uint32_t component, Stream stream, std::string data);
static void take_piece(JobStep& s, const Party& from, Piece& piece, bool cut);
static void fail_stream(JobStep& s, Job& job, const OutputWritten& written);
/// All of a stream is safe here that will ever be.
static void end_stream(JobParts& parts, Job& job, StreamState& state, Stream stream);

void on(JobStep& s, FromProvider from, const Grown& grown) {
  const auto [job, component_run] = subject_of(s.parts, from.party, grown.request, grown.component);
  if (!component_run || component_run->phase == ComponentPhase::over || !job->description.keep_output)
    return s.parts.ignore("not_running");
  const std::array sizes{grown.output_bytes, grown.error_bytes};
  for (const Stream stream : both_streams) {
    StreamState& state = stream_of(*component_run, stream);
    state.bytes = std::max(state.bytes, sizes.at(static_cast<std::size_t>(stream)));
    advance(s, *job, grown.component, stream);
  }
}

void collect(JobStep& s, Job& job) {
  DMM_ASSERT(job.run->open == 0);
  if (job.output_text.size() > 0) s.parts.changed(job);
  job.output_text = {};
  for (std::uint32_t i = 0; i < job.run->components.size(); ++i) {
    ComponentRun& component_run = job.run->components[i];
    begin_failed_again(job, component_run);
    for (const Stream stream : both_streams) {
      StreamState& state = stream_of(component_run, stream);
      if (!job.description.keep_output) {
        state.state = OutputState::complete;
        continue;
      }
      if (!component_run.end.known) {  // no resource manager could be asked
        if (state.bytes > state.offset) state.outcome = OutputState::lost;
        state.bytes = state.offset;
      }
      if (!component_run.end.known || state.bytes == state.all.size()) state.asked = false;
      advance(s, job, i, stream);
    }
  }
  close_if_written(s, job);
}

void advance(JobStep& s, Job& job, std::uint32_t component, Stream stream) {
  StreamState& state = stream_of(job.run->components[component], stream);
  if (state.state != OutputState::pending || state.asked || state.handed != 0 || state.failed) return;
  const std::uint64_t end = std::min(state.bytes, s.parts.settings.fetch_bytes_max);
  std::string data;
  if (state.offset < end) {
    if (state.bytes != state.all.size()) return ask_piece(s, job, component, stream);
    data = state.all.view().substr(state.offset, end - state.offset);
  } else if (job.run->open > 0) {
    return;
  } else if (state.offset == 0 && (state.outcome == OutputState::lost || needs_no_file(job, component, stream))) {
    // A file that holds what came before a restart of ours is left as it is.
    return end_stream(s.parts, job, state, stream);
  }
  hand_over(s, job, component, stream, std::move(data));
}

void ask_piece(JobStep& s, Job& job, std::uint32_t component, Stream stream) {
  ComponentRun& component_run = job.run->components[component];
  if (std::ranges::none_of(*component_run.streams, &StreamState::asked)) component_run.moved = s.now;
  StreamState& state = stream_of(component_run, stream);
  state.asked = true;
  s.effects.send(component_run.manager, Fetch{s.parts.request_of(job), component, stream, state.offset, true},
                 s.parts.request_of(job));
  look_later(s, job, component);
}

void hand_over(JobStep& s, Job& job, std::uint32_t component, Stream stream, std::string data) {
  ComponentRun& component_run = job.run->components[component];
  StreamState& state = stream_of(component_run, stream);
  DMM_ASSERT(state.state == OutputState::pending && state.handed == 0);
  OutputPiece piece;
  piece.job = job.number;
  piece.stream = stream;
  piece.component = component;
  piece.serial = ++s.parts.last_piece;
  piece.offset = state.offset;
  const bool shared = shares_file(job), appends = job.description.append && !job.own_files;
  piece.appends = shared || appends;
  piece.begins = !appends && (shared ? component_run.streams->at(0).offset + component_run.streams->at(1).offset
                                     : state.offset) == 0;
  piece.path = path_of(job, component, stream);
  state.handed = piece.serial;
  state.handed_at = s.now;
  state.offset += data.size();
  piece.last = job.run->open == 0 && state.offset >= std::min(state.bytes, s.parts.settings.fetch_bytes_max);
  piece.data = std::move(data);
  s.effects.output.push_back(std::move(piece));
  if ((job.output_began & bit_of(stream)) == 0) s.parts.changed(job);
  job.output_began |= bit_of(stream);
  look_later(s, job, component);
}

void on(JobStep& s, FromProvider from, Chunk& chunk) {
  Piece piece{chunk.request, chunk.component, chunk.stream, chunk.offset, std::move(chunk.data), chunk.last, 0};
  take_piece(s, from.party, piece, chunk.cut);
}

void on(JobStep& s, FromProvider from, Piece& piece) { take_piece(s, from.party, piece, false); }

void take_piece(JobStep& s, const Party& from, Piece& piece, bool cut) {
  const auto [job, component_run] = subject_of(s.parts, from, piece.request, piece.component);
  if (!component_run || piece.stream > Stream::error) return s.parts.ignore("unknown_component");
  StreamState& state = stream_of(*component_run, piece.stream);
  if (!state.asked || piece.offset != state.offset) return s.parts.ignore("not_asked");
  state.asked = false;
  component_run->moved = s.now;
  const std::uint64_t room = s.parts.settings.fetch_bytes_max - state.offset;
  if (piece.data.size() > room) piece.data.resize(room);
  const std::uint64_t end = state.offset + piece.data.size();
  if (!component_run->end.known) {
    // What was announced and isn't there was taken away again by the job itself.
    state.bytes = piece.data.empty() ? state.offset : std::max(state.bytes, piece.size);
  } else if ((piece.last || piece.data.empty()) && end < std::min(state.bytes, s.parts.settings.fetch_bytes_max)) {
    state.outcome = cut ? OutputState::cut : OutputState::lost;
    state.bytes = end;
    s.parts.changed(*job);
  }
  if (piece.data.empty())
    advance(s, *job, piece.component, piece.stream);
  else
    hand_over(s, *job, piece.component, piece.stream, std::move(piece.data));
  close_if_written(s, *job);
}

void on(JobStep& s, const OutputWritten& written) {
  Job* job = s.parts.jobs.find(written.job);
  if (!job || !job->run || written.component >= job->run->components.size()) return;
  StreamState& state = stream_of(job->run->components[written.component], written.stream);
  if (state.handed == 0 || state.handed != written.serial) return;
  state.handed = 0;
  if (!written.error.empty()) {
    fail_stream(s, *job, written);
  } else if (written.last) {
    end_stream(s.parts, *job, state, written.stream);
  }
  advance(s, *job, written.component, written.stream);
  close_if_written(s, *job);
}

void fail_stream(JobStep& s, Job& job, const OutputWritten& written) {
  ComponentRun& component_run = job.run->components[written.component];
  StreamState& state = stream_of(component_run, written.stream);
  state.failed = true;
  s.parts.changed(job);
  if (job.run->open == 0 && !state.again) {
    begin_failed_again(job, component_run);
    for (const Stream stream : both_streams) advance(s, job, written.component, stream);
    return;
  }
  add_text(job, written.stream, "could not be written: " + written.error);
  if (job.run->open == 0) state.state = OutputState::unwritten;
}

void end_stream(JobParts& parts, Job& job, StreamState& state, Stream stream) {
  state.state = state.outcome;
  if (state.bytes > parts.settings.fetch_bytes_max) state.state = std::max(state.state, OutputState::cut);
  if (state.state == OutputState::complete) return;
  add_text(job, stream,
           (state.state == OutputState::cut ? "is cut: " : "is lost in part: ") + std::to_string(state.offset) +
               " bytes of it were brought back");
  parts.changed(job);
}

void close_if_written(JobStep& s, Job& job) {
  if (job.run->open > 0) return;
  OutputState worst = OutputState::complete;
  bool kept = false;
  for (const ComponentRun& component_run : job.run->components)
    for (const StreamState& stream : *component_run.streams) {
      if (stream.state == OutputState::pending) return;
      worst = std::max(worst, stream.state);
      kept = kept || stream.state == OutputState::unfetched || stream.state == OutputState::unwritten;
    }
  job.output = worst;
  if (worst == OutputState::complete) job.output_text = {};
  const bool was_over = is_over(job.state);
  if (!kept)
    leave_attempt(s, job);
  else if (!was_over)
    s.parts.set_due(job.run->components[0], {job.number, 0}, s.now + s.parts.settings.keep_output);
  if (!was_over) return close(s, job, job.outcome);
  s.parts.changed(job, Grade::synced);
  s.effects.log(kept ? Level::warning : Level::info, "output", s.parts.request_of(job),
                {{"state", std::string(to_text(worst))}, {"text", std::string(job.output_text)}});
}

static void log_end(JobStep& s, const Job& job) {
  if (!s.effects.wants(Level::info)) return;
  std::vector<LogField> fields{{"job", static_cast<std::int64_t>(job.number)},
                               {"wall_seconds", job.wall.in_seconds()},
                               {"total_seconds", (*job.ended - job.submitted).in_seconds()}};
  if (const std::string text = text_of(job); !text.empty()) fields.push_back({"text", text});
  s.effects.log(Level::info, event_name(job.state), s.parts.request_of(job), std::move(fields));
}

void close(JobStep& s, Job& job, JobEvent event) {
  DMM_ASSERT(job.ended && (!job.run || job.run->open == 0));
  s.parts.change(job, event);
  s.parts.eligibility.drop(job.number);
  s.parts.eligibility.note(job.number, job.state);
  s.parts.intake.give_back(job);
  if (job.output == OutputState::pending) job.output = OutputState::complete;  // none of it ever ran
  if (job.own_record) s.parts.unwritten.description(job.number);
  s.parts.changed(job, DMM_PLANT(outcome_only_committed) ? Grade::committed : Grade::synced);
  s.effects.ended.push_back(job.number);
  job.description.program = {};
  job.description.need = {};
  log_end(s, job);
  if (job.array != 0) note_element_over(s, job);
}

}  // namespace dmm::job_steps
