// What the job manager knows of a job: the record that stays until the job is forgotten, and the attempt. An
// attempt exists only while the job has nodes, components that may run, or output to bring back. Plain values;
// JobManager keeps them.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "jobmgr/job_life.hpp"
#include "jobmgr/output_paths.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What others say of a job is kept as far as a person would read.
constexpr std::size_t text_bytes_max = 1000;

/// One component of a job's present attempt.
struct ComponentKey {
  std::uint64_t job = 0;
  std::uint32_t component = 0;
  auto operator<=>(const ComponentKey&) const = default;
  friend std::uint64_t table_hash(const ComponentKey& key) { return dmm::table_hash(key.job) ^ key.component; }
};

enum class ComponentPhase : std::uint8_t {
  queued,   ///< its Start waits for a free place
  asked,    ///< its Start was sent
  started,  ///< its resource manager says that it runs
  over,     ///< it doesn't run and won't, or counts as such
};

/// How much of the output was brought back; a job has the worst state of its streams. The ledger has the number.
enum class OutputState : std::uint8_t {
  pending,    ///< it may still grow, or come
  complete,   ///< all of it is safe here, if there was any
  cut,        ///< longer than what is brought back: its beginning is safe here
  unfetched,  ///< its resource manager is silent: the output is fetched when the manager is heard again
  unwritten,  ///< it could not be written here, and is still where it ran
  lost,       ///< no manager has all of it any more
};
std::string_view to_text(OutputState state);

/// How far one stream of a component was brought back.
struct StreamState {
  OutputState state = OutputState::pending;
  OutputState outcome = OutputState::complete;  ///< the state that follows once all bytes here are safe
  bool asked = false;                           ///< a Fetch isn't answered yet
  bool failed = false;       ///< a piece could not be written; all of it is tried once more when the job is over
  bool again = false;        ///< the second try was made, or is under way
  std::uint64_t handed = 0;  ///< the piece that is with the shell; 0: none
  Instant handed_at{};
  std::uint64_t bytes = 0;   ///< how many there are where it runs or ran, as far as known
  std::uint64_t offset = 0;  ///< how many were handed to the shell
  ShortText all;             ///< all of it, if it came with the end of the component
};
using StreamStates = std::array<StreamState, 2>;  ///< by Stream

/// A task under way: a component, or, where the program runs on each node, its nodes at one resource manager.
struct ComponentRun {
  Party manager;                ///< where its program runs: of a component as a whole the head resource manager
  std::uint16_t lease = 0;      ///< under which of the attempt's leases its nodes are
  std::uint16_t component = 0;  ///< of the job
  std::uint32_t order = 0;      ///< when its trouble began, as in ComponentEnd
  NodeSet nodes;                ///< its nodes there
  ComponentPhase phase = ComponentPhase::queued;
  ComponentPhase reached = ComponentPhase::queued;  ///< how far it came before it was over
  bool counted = false;                             ///< its Start takes one of the start slots
  bool began = false;             ///< it was told to go, and said that it did; not kept over restarts
  bool stopping = false;          ///< Stop was sent
  bool interrupted = false;       ///< its lease ended, or its resource manager is lost
  bool heard = false;             ///< Ended came, though perhaps after it counted as over
  bool clean = false;             ///< its owner said that nothing runs under its lease any more
  std::optional<LeaseEnd> cause;  ///< why its nodes were taken, as its site or its resource manager said
  KnownEnd end;
  ShortText text;     ///< why it didn't start
  ShortText contact;  ///< of one that awaits a Go, once it is ready: as its Started said; not kept over restarts
  Duration wall;
  Duration cpu;
  Instant due =
      never;  ///< until when it is awaited that it starts, that its end is confirmed, or that output comes
  Instant look_due = never;         ///< when to check whether its output moves
  Instant moved{};                  ///< when a piece of output last came, or the first was asked for
  RareValue<StreamStates> streams;  ///< nothing of most is known before their end
};

/// One of the leases that an attempt uses: of all its components, or, where they are co-allocated, of some.
struct LeaseUse {
  LeaseId lease;
  bool holds = false;       ///< nodes are left to be released
  Instant gone_at = never;  ///< since when none of its nodes are left, though components may still run
};

/// One try at running a job. Task i is of component i, or, where the program runs on each node, in the order of
/// components and of what was granted for each.
struct Attempt {
  Few<LeaseUse> leases;
  std::uint16_t open = 0;          ///< components that aren't over
  std::uint16_t unstarted = 0;     ///< components that neither started nor ended
  std::uint16_t troubles = 0;      ///< given out as ComponentRun::order
  std::uint16_t left_behind = 0;   ///< tasks that the job went on without, as the log was told
  bool asked = false;              ///< a Start was sent
  bool went = true;                ///< its tasks were told to go, or await no Go: some of them may have run
  bool told_to_go = false;         ///< its tasks were, since this job manager started
  Instant ready_from = never;      ///< when the first of tasks that await a Go was ready
  Instant first_begun = never;     ///< when the first of them began
  Duration grace;                  ///< the grace that components got when the attempt was given up
  Duration round_trip;             ///< from here to where it runs and back
  std::vector<NodeGroup> granted;  ///< as granted
  RareList<NodeGroup> lost;        ///< the nodes of `granted` that were taken back
  Few<ComponentRun> components;

  const LeaseUse& lease_of(const ComponentRun& component_run) const { return leases[component_run.lease]; }
  /// Its place in `leases`; nothing if the attempt doesn't use it.
  std::optional<std::size_t> find(const LeaseId& lease) const;
  /// Whether nodes are left to be released; if none are, started components may still run.
  bool holds() const { return std::ranges::any_of(leases, &LeaseUse::holds); }
  /// The nodes that were granted under one of its leases.
  std::vector<NodeGroup> granted_under(std::size_t lease) const;
  /// What of them is left to be released.
  std::vector<NodeGroup> held_under(std::size_t lease) const;
  /// What of all its nodes is left to be released.
  std::vector<NodeGroup> held() const;
};

/// Where a job, or some of its components, runs or ran: one lease.
struct Place {
  LeaseId lease;
  SiteNames chain;                     ///< the owner first, the home site last
  ClusterNames clusters;               ///< in order of components, each once
  RareList<std::uint32_t> components;  ///< of a job with several leases: those under this one, in order
  /// For people: what keeps its components apart from other jobs; each text once, isolations_max at most.
  Few<ShortText> isolation = {};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.chain, self.clusters, self.components, self.isolation);
  }
};
/// Components of one job that are kept apart in more ways than that are seldom.
constexpr std::size_t isolations_max = 4;

/// How often an owner, or a site on the way to it, ended attempts at a job by its right, in one way; or how often the
/// home site preempted them.
struct InterruptionCause {
  SiteName owner;
  LeaseEnd cause = LeaseEnd::reclaimed;
  std::uint32_t times = 0;
  bool operator==(const InterruptionCause&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.owner, self.cause, self.times);
  }
};
/// Of one job the latest ones are kept.
constexpr std::size_t interruption_causes_max = 8;

/// How the deciding component ended.
struct JobExit {
  EndKind kind = EndKind::exited;
  std::int32_t code = 0;
  StartFault fault = StartFault::none;
};

/// How the tasks of a job came together.
struct JointStart {
  Duration barrier;     ///< how long, at its last start, the first task that was ready waited for the last
  Duration spread;      ///< how long, at its last start, the last task began after the first
  ShortText placement;  ///< for people: why its places are these, of a co-allocated job
  bool operator==(const JointStart&) const = default;
};

/// Members that a job's end changes lie together: an hour after its start the job has left every cache.
struct Job {
  std::uint64_t number = 0;
  std::uint64_t array = 0;  ///< its array, if it is an element of one; 0: it is none
  std::uint32_t index = 0;  ///< of an element, in its array
  JobState state = JobState::waiting;
  JobEvent outcome = JobEvent::finish;  ///< while collecting: what follows
  bool cancel_wanted = false;
  bool is_suspect = false;  ///< at one of the deaths of its keeper only its user's jobs were there
  OutputState output = OutputState::pending;
  std::uint8_t output_began = 0;  ///< by bits: streams with something written, perhaps by an earlier attempt
  bool own_record = true;         ///< the ledger has its description, of an element beside that of its array
  bool own_files = false;         ///< its output goes to the manager's folder, whatever was asked for
  Origin origin = Origin::local;
  std::uint32_t processors = 0;
  std::uint32_t attempt = 1;
  std::uint32_t reruns = 0;         ///< attempts that were interrupted while they ran, and run again
  std::uint32_t false_starts = 0;   ///< attempts with a Start that ran nothing, by no owner's right: no reruns
  std::uint32_t keeper_deaths = 0;  ///< attempts that died with their keeper, which don't count as reruns
  std::uint32_t tries = 0;          ///< delegations sent for it
  RareValue<Interruptions> past;    ///< attempts that owners ended by their right, which don't count as reruns
  /// Of these, and of preemptions, the latest last; for people.
  RareList<InterruptionCause> past_causes;
  std::unique_ptr<Attempt> run;  ///< while has_attempt(state), and after that until its output is here or given up
  Instant submitted{};
  Instant again_at = never;     ///< while it waits: the end of its pause; never: it doesn't pause
  MaybeInstant granted;         ///< when the present attempt got its nodes
  MaybeInstant started;         ///< the first Started of all attempts
  Instant waits_since{};        ///< when its present wait, or the last one, began: submitted, or interrupted
  MaybeInstant ran_from;        ///< the first Started of the present attempt
  Duration ran_before;          ///< how long earlier attempts ran in all
  Duration kept_back;           ///< how long it waited in all without being eligible (eligibility.hpp)
  MaybeInstant ended;           ///< the last component's end
  Duration wall;                ///< the program's own, of its longest component
  RareValue<JointStart> joint;  ///< of its tasks, if there are several
  std::optional<JobExit> exit;
  ShortText text;             ///< for people: why it failed, or what its output lacks
  ShortText output_text;      ///< for people: why its output isn't all here
  std::vector<Place> places;  ///< of the present attempt or the last one: a place for each lease
  /// Without its conditions, which Eligibility has, and once the job is over also without program and need.
  JobDescription description;

  /// Whether it stands for an array, with elements that are jobs: it never runs itself, and waits until they
  /// are over.
  bool is_array() const { return !description.array.empty(); }
};

/// Whether the tasks of the job's attempt await a Go: there are several, or a launcher starts the program.
bool awaits_go(const Job& job);

/// What the names of its output files are made of, for one of its tasks.
OutputNames output_names_of(const Job& job, std::uint32_t task);
/// Where the submitter wants a stream of a component; empty: a file in the manager's own folder.
std::string path_of(const Job& job, std::uint32_t component, Stream stream);

}  // namespace dmm
