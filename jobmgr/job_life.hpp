// The life of a job: its states, what may happen to it, and how the ends of its components make one outcome. Pure
// functions over small enums, so that every combination stands in a table test; the job manager only obeys them.
//
//   waiting -> starting -> running -> ending -> collecting -> finished | failed | cancelled | lost
//      ^                                            |
//      +------------------ again -------------------+
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/reasons.hpp"

namespace dmm {

enum class JobState : std::uint8_t {
  waiting,     ///< its request is open at the site; or, of an array of jobs, not all its elements are over
  starting,    ///< it has nodes; not all of its components have started
  running,     ///< all of its components have started
  ending,      ///< this attempt is given up; what still runs of it is being stopped
  collecting,  ///< nothing of it runs and its nodes are released; its output is brought back
  finished,    ///< the program ran and ended by itself with status 0
  failed,      ///< it ended otherwise, or could not start for a reason of its own, or was refused, or is suspected
  cancelled,   ///< cancelled by its user
  lost,        ///< interrupted more often than it may be run again
};
constexpr std::size_t job_state_count = 9;

/// What may happen to a job as a whole.
enum class JobEvent : std::uint8_t {
  granted,      ///< the site gave nodes
  all_started,  ///< its last component started
  stopping,     ///< the attempt is given up
  all_ended,    ///< nothing of the attempt runs any more
  again,        ///< it will be run once more
  finish,
  fail,
  cancel,
  lose,
};
constexpr std::size_t job_event_count = 9;

/// Whether a job in this state has its outcome.
constexpr bool is_over(JobState state) { return state >= JobState::finished; }
/// Whether a job in this state has an attempt: nodes, components, or output to bring back.
constexpr bool has_attempt(JobState state) { return state >= JobState::starting && state <= JobState::collecting; }

/// The state after an event; nothing where the event can't happen in this state.
std::optional<JobState> next(JobState state, JobEvent event);

/// What is known of the end of one component.
struct KnownEnd {
  bool known = false;  ///< its resource manager said how it ended; all else here is its word
  EndKind kind = EndKind::exited;
  std::int32_t code = 0;
  StartFault fault = StartFault::none;
  bool keeper_died = false;  ///< it was lost with its keeper
  bool others_died = false;  ///< and components of other users with it
};

/// What the end of one component says about the job.
enum class EndClass : std::uint8_t {
  good,         ///< exit status 0
  bad,          ///< the program's own failure: running it again would not help
  interrupted,  ///< nodes were lost under it
  stopped,      ///< we stopped it, or never started it, for another component's sake
};

/// `interrupted`: its lease ended, or its resource manager is lost; `stopping`: we told it to stop.
EndClass classify(const KnownEnd& end, bool interrupted, bool stopping);

/// The end of one component, and when its trouble began: 1 for the first trouble of the attempt, 0 for none.
struct ComponentEnd {
  EndClass end = EndClass::good;
  std::uint32_t order = 0;
};

/// Which component decides over the job, and how.
struct Verdict {
  EndClass end = EndClass::good;
  std::size_t component = 0;
};

/// The first trouble decides; without any the job is as good as its components.
Verdict verdict_of(const std::vector<ComponentEnd>& components);

/// Whether a job that was interrupted runs again.
enum class Rerun : std::uint8_t {
  allowed,
  used_up,    ///< it was interrupted as often as it may be
  suspected,  ///< keepers died under it so often that it may be the cause
};

/// What happens to a job after such ends of its components: one of again, finish, fail, cancel and lose.
JobEvent outcome(EndClass end, bool cancelled, Rerun rerun);

std::string_view to_text(JobState state);

}  // namespace dmm
