// The tables of a job's life.
#include "jobmgr/job_life.hpp"

namespace dmm {
namespace {

std::optional<JobState> outcome_after(JobEvent event) {
  switch (event) {
    case JobEvent::finish: return JobState::finished;
    case JobEvent::fail: return JobState::failed;
    case JobEvent::cancel: return JobState::cancelled;
    case JobEvent::lose: return JobState::lost;
    default: return std::nullopt;
  }
}

EndClass classify_start(StartFault fault) {
  switch (fault) {
    case StartFault::no_lease:
    case StartFault::nodes_busy:
    case StartFault::resources: return EndClass::interrupted;
    default: return EndClass::bad;
  }
}

// A resource manager says "stopped" for what it ended on our order; one that only says which signal it used is
// understood as well.
bool is_our_signal(const KnownEnd& end) {
  return end.kind == EndKind::signalled && (end.code == 15 || end.code == 9);
}

}  // namespace

std::optional<JobState> next(JobState state, JobEvent event) {
  switch (state) {
    case JobState::waiting:
      if (event == JobEvent::granted) return JobState::starting;
      return outcome_after(event);  // refused, cancelled, or the last element of an array is over
    case JobState::starting:
      if (event == JobEvent::all_started) return JobState::running;
      [[fallthrough]];
    case JobState::running:
      if (event == JobEvent::stopping) return JobState::ending;
      [[fallthrough]];
    case JobState::ending:
      if (event == JobEvent::all_ended) return JobState::collecting;
      return std::nullopt;
    case JobState::collecting: return event == JobEvent::again ? JobState::waiting : outcome_after(event);
    default: return std::nullopt;  // an outcome is final
  }
}

EndClass classify(const KnownEnd& end, bool interrupted, bool stopping) {
  const EndClass stopped = interrupted ? EndClass::interrupted : EndClass::stopped;
  if (!end.known) return stopped;
  if (stopping && is_our_signal(end)) return stopped;
  switch (end.kind) {
    case EndKind::exited: return end.code == 0 ? EndClass::good : EndClass::bad;
    case EndKind::signalled: return EndClass::bad;
    case EndKind::stopped: return stopping || interrupted ? stopped : EndClass::bad;
    case EndKind::lease_ended:
    case EndKind::lost_contact:
    case EndKind::lost: return EndClass::interrupted;
    case EndKind::start_failed: return classify_start(end.fault);
  }
  return EndClass::bad;
}

Verdict verdict_of(const std::vector<ComponentEnd>& components) {
  Verdict verdict;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto& [end, order] = components[i];
    const bool decides = end == EndClass::bad || end == EndClass::interrupted;
    if (decides && (first == 0 || order < first)) {
      first = order;
      verdict = {end, i};
    } else if (first == 0 && end == EndClass::stopped && verdict.end == EndClass::good) {
      verdict = {end, i};
    }
  }
  return verdict;
}

JobEvent outcome(EndClass end, bool cancelled, Rerun rerun) {
  if (cancelled) return JobEvent::cancel;
  if (end == EndClass::good) return JobEvent::finish;
  if (end != EndClass::interrupted) return JobEvent::fail;
  switch (rerun) {
    case Rerun::allowed: return JobEvent::again;
    case Rerun::used_up: return JobEvent::lose;
    case Rerun::suspected: return JobEvent::fail;
  }
  return JobEvent::fail;
}

std::string_view to_text(JobState state) {
  switch (state) {
    case JobState::waiting: return "waiting";
    case JobState::starting: return "starting";
    case JobState::running: return "running";
    case JobState::ending: return "ending";
    case JobState::collecting: return "collecting";
    case JobState::finished: return "finished";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
    case JobState::lost: return "lost";
  }
  return "unknown";
}

}  // namespace dmm
