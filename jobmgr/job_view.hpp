// A job as people, summaries and metrics see it: one plain value, made on demand. Instants are of the job
// manager's monotonic clock; the shell turns them into dates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobmgr/job.hpp"

namespace dmm {

/// A resource manager that runs a component, or starts or ends it, or still has output of it.
struct HeadView {
  Party manager;
  bool up = false;        ///< its link
  Instant until = never;  ///< it has so long yet to say what is awaited of it; never: nothing is, or without end
};

/// An array as people see it: the indices of its elements by what has become of them, "0-99,120".
struct ArrayView {
  std::string indices;  ///< all of them, with the limit: "0-999%50"
  std::uint32_t size = 0;
  /// Of the elements in a state: how many, and which.
  struct Group {
    JobState state = JobState::waiting;
    std::uint32_t count = 0;
    std::string indices;
  };
  std::vector<Group> groups;  ///< in order of states; those that have elements
  Group held;                 ///< of those that wait: the ones that their user holds, and that have no job yet
};

struct JobView {
  std::uint64_t number = 0;
  std::uint64_t array = 0;            ///< its array, if it is an element of one; 0: it is none
  std::uint32_t index = 0;            ///< of an element, in its array
  std::optional<ArrayView> elements;  ///< of an array
  std::string name;
  JobState state = JobState::waiting;
  std::uint32_t processors = 0;     ///< asked for
  std::uint32_t attempt = 1;        ///< counts requests
  std::uint32_t reruns = 0;         ///< counts programs that were interrupted and started again
  std::uint32_t false_starts = 0;   ///< counts attempts under which nothing ran, which are no reruns
  std::uint32_t keeper_deaths = 0;  ///< counts programs that died with their keeper, which are no reruns
  Interruptions past;               ///< by owners, by their right, which are no reruns
  RareList<InterruptionCause> past_causes;
  RequestId request;  ///< of the present attempt, or the last one

  Instant submitted{};
  Instant again_at = never;         ///< while it waits: until then it is not asked for again
  std::optional<Instant> granted;   ///< when the nodes of the last attempt came
  std::optional<Instant> started;   ///< when the program was first reported to run
  Instant waits_since{};            ///< when its present wait, or the last one, began: submitted, or interrupted
  std::optional<Instant> ran_from;  ///< when the program of the last attempt was first reported to run
  Duration ran_before;              ///< how long earlier attempts ran in all
  std::optional<Instant> ended;     ///< when the last component was known to be over
  Duration wall;                    ///< the program's own run time, where it ran
  Duration overhead;                ///< from the grant to the known end, less the program's time; 0 before

  std::string placement;      ///< why they are these, of a co-allocated job
  std::string left_behind;    ///< while it runs: without which components it goes on; empty: with all
  std::vector<Place> places;  ///< where it runs, or ran last: a place for each lease
  Origin origin = Origin::local;
  std::uint32_t hops = 0;   ///< links between the owner and the home site
  std::uint32_t tries = 0;  ///< delegations sent for it

  std::optional<JobExit> exit;  ///< of the component that decided; none if none ran
  std::string text;             ///< why it failed or was lost, and why its output isn't all here
  OutputState output = OutputState::pending;
  std::string output_text;               ///< why it isn't all here
  bool at_lender = false;                ///< what isn't here can still be fetched from where it ran
  std::optional<Instant> writing_since;  ///< the piece that its file system has had longest
  std::string output_path;               ///< as asked for; empty: in the job manager's folder
  std::string error_path;
  bool keep_output = true;
  std::vector<NodeGroup> nodes;  ///< that it has now
  std::vector<HeadView> heads;   ///< each once
  Duration barrier;              ///< how long the first task that was ready waited for the last, at its last start
  Duration start_spread;         ///< how long the last task began after the first, at its last start
  std::uint32_t tasks = 0;       ///< of its present attempt; they begin together, if they are several
  std::uint32_t tasks_ready = 0;         ///< of these, those that are ready, or began
  std::uint64_t limit_wall_seconds = 0;  ///< its own; 0: none
  std::uint32_t input_files = 0;         ///< that are brought to it before it starts
  std::int32_t priority = 0;
  bool held = false;               ///< by its user
  Instant begin_at = never;        ///< its begin time, while that is to come
  std::vector<Dependency> awaits;  ///< dependencies that aren't met yet
};

/// What `JobManager::jobs` lists.
struct JobQuery {
  std::optional<JobState> state;  ///< only jobs in this state
  std::uint64_t from = 0;         ///< only jobs with at least this number
  std::size_t limit = SIZE_MAX;
  bool elements = true;  ///< false: of an array only the array itself
};

/// Links between the owner of the job's nodes and the home site; 0 if it has none.
std::uint32_t hops_of(const Job& job);

/// Why it failed or was lost, and why its output isn't all here.
std::string text_of(const Job& job);

/// The view of a job of this job manager.
JobView view_of(const Job& job, const RequestId& request);

}  // namespace dmm
