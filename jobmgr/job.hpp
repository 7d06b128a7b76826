// What the job manager knows of a job: the record that stays until the job is forgotten, and the attempt, which
// exists only while the job has nodes, components that may run, or output to bring back. Plain values; JobManager
// keeps them.
#pragma once

#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobmgr/job_life.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What others say of a job is kept as far as anybody would read.
constexpr std::size_t text_bytes_max = 1000;

/// One component of a job's present attempt.
struct TaskKey {
  std::uint64_t job = 0;
  std::uint32_t component = 0;
  auto operator<=>(const TaskKey&) const = default;
  friend std::uint64_t table_hash(const TaskKey& key) { return dmm::table_hash(key.job) ^ key.component; }
};

enum class TaskPhase : std::uint8_t {
  queued,   ///< its Start waits for a free place
  asked,    ///< its Start was sent
  started,  ///< its resource manager says that it runs
  over,     ///< it doesn't run and won't, or counts as such
};

enum class StreamPhase : std::uint8_t {
  idle,      ///< nothing is asked for yet
  fetching,  ///< a piece was asked for
  writing,   ///< its last piece was handed to the shell
  done,
};

/// How far one stream of a component was brought back.
struct StreamState {
  StreamPhase phase = StreamPhase::idle;
  std::uint64_t bytes = 0;   ///< how many there are where it ran
  std::uint64_t offset = 0;  ///< how many were handed to the shell
  ShortText all;             ///< all of it, if it came with the end of the component
};

/// A component under way.
struct Task {
  Party manager;  ///< the head resource manager: where the component's program runs
  NodeSet nodes;  ///< its nodes there
  TaskPhase phase = TaskPhase::queued;
  bool counted = false;      ///< its Start takes one of the places
  bool stopping = false;     ///< Stop was sent
  bool interrupted = false;  ///< its lease ended, or its resource manager is lost
  bool heard = false;        ///< Ended came, though perhaps after it counted as over
  std::uint32_t order = 0;   ///< when its trouble began, as in ComponentEnd
  TaskEnd end;
  ShortText text;  ///< why it didn't start
  Duration wall;
  Duration cpu;
  Instant due = never;  ///< of what is awaited: the confirmation of its end, or the next piece of output
  std::array<StreamState, 2> streams;  ///< by Stream
};

/// One try at running a job. Task i is component i.
struct Attempt {
  LeaseId lease;
  std::uint32_t open = 0;       ///< tasks that aren't over
  std::uint32_t unstarted = 0;  ///< tasks that neither started nor ended
  std::uint32_t troubles = 0;   ///< given out as Task::order
  bool asked = false;           ///< a Start was sent
  bool holds = false;           ///< nodes are left to be released; without any, what has started may still run on
  Duration grace;               ///< that its components got when it was given up
  Duration round_trip;          ///< from here to where it runs and back
  std::vector<NodeGroup> granted;  ///< as granted
  std::vector<NodeGroup> lost;     ///< what was taken back of it while the rest was held
  Few<Task> tasks;

  /// What is left to be released.
  std::vector<NodeGroup> held() const { return holds ? without(granted, lost) : std::vector<NodeGroup>(); }
};

/// Where a job runs or ran.
struct Place {
  SiteName owner;
  ClusterNames clusters;  ///< in order of components, each once
  LeaseId lease;
  SiteNames chain;  ///< the owner first, the home site last
};

/// How the deciding component ended.
struct JobExit {
  EndKind kind = EndKind::exited;
  std::int32_t code = 0;
  StartFault fault = StartFault::none;
};

/// What its end changes lies together: an hour after its start the job has left every cache.
struct Job {
  std::uint64_t number = 0;
  JobState state = JobState::waiting;
  JobEvent outcome = JobEvent::finish;  ///< while collecting: what follows
  bool cancel_wanted = false;
  std::uint32_t processors = 0;
  std::uint32_t attempt = 1;
  std::uint32_t reruns = 0;  ///< attempts that were interrupted after a Start was sent, and run again
  std::uint32_t keeper_deaths = 0;  ///< attempts that died with their keeper, which don't count as reruns
  std::unique_ptr<Attempt> run;  ///< exactly while has_attempt(state)
  Instant submitted{};
  Instant again_at = never;        ///< while it waits: not asked for before; never: nothing is put off
  std::optional<Instant> granted;  ///< the present attempt
  std::optional<Instant> started;  ///< the first Started of all attempts
  std::optional<Instant> ended;    ///< the last component's end
  Duration wall;                   ///< the program's own, of its longest component
  std::optional<JobExit> exit;
  std::string text;  ///< for people: why it failed, what became of its output
  std::optional<Place> place;
  Origin origin = Origin::local;
  std::uint32_t tries = 0;
  JobDescription description;  ///< without program and need once the job is over
};

}  // namespace dmm
