// What a job manager finds again after a restart: what users submitted, how far each job has come, and which
// submissions were answered. What no other manager could say again is synced before it is told: accepted jobs, an
// attempt and each of its Starts, that it is given up, and its outcome. What resource managers say is only
// committed: they say it again.
#pragma once

#include <array>
#include <optional>

#include "jobmgr/arrays.hpp"
#include "jobmgr/eligibility.hpp"
#include "jobmgr/job.hpp"
#include "manager/ledger.hpp"

namespace dmm {

/// An accepted job, as submitted; elements of arrays have none, until their user alters them. Written once more,
/// without program and need, when the job is over.
struct JobRecord {
  std::uint64_t number = 0;
  Instant submitted{};
  std::uint32_t processors = 0;
  JobDescription description;

  static constexpr std::string_view table = "jobs";
  static constexpr std::array<std::string_view, 4> columns{"number", "submitted", "processors", "description"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.submitted, self.processors, self.description);
  }
};

/// A component of the attempt under way.
struct ComponentRecord {
  Party manager;
  NodeSet nodes;
  ComponentPhase phase = ComponentPhase::queued;
  bool stopping = false;
  bool interrupted = false;
  bool heard = false;
  std::uint32_t order = 0;
  std::optional<EndKind> end_kind;  ///< once its resource manager said how it ended
  std::int32_t end_code = 0;
  StartFault end_fault = StartFault::none;
  std::string text;
  Duration wall;
  std::uint64_t output_bytes = 0, error_bytes = 0;  ///< fetched once more after a restart, small ones too
  bool keeper_died = false;
  ComponentPhase reached = ComponentPhase::started;  ///< rows of older programs don't say
  std::optional<LeaseEnd> cause;
  bool clean = false;
  bool others_died = false;
  std::uint16_t lease = 0;  ///< 0: the first lease of the attempt; else of those further ones, from 1
  std::optional<std::uint16_t> component;  ///< of the job; rows of older programs don't say: the row's own number
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.manager, self.nodes, self.phase, self.stopping, self.interrupted, self.heard, self.order,
                    self.end_kind, self.end_code, self.end_fault, self.text, self.wall, self.output_bytes,
                    self.error_bytes, self.keeper_died, self.reached, self.cause, self.clean, self.others_died,
                    self.lease, self.component);
  }
};

struct ElementChangeRecord {
  std::uint32_t position = 0;
  std::int32_t priority = 0;
  std::uint64_t wall_seconds = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.position, self.priority, self.wall_seconds);
  }
};

/// How far an array has come, as far as the jobs of its elements don't say it.
struct ArrayRecord {
  std::uint64_t first_element = 0;
  std::vector<PositionRange> left;                    ///< elements without a job yet
  std::vector<std::vector<PositionRange>> forgotten;  ///< by outcome: elements with a forgotten job
  std::vector<PositionRange> held;                    ///< of `left`
  std::vector<ElementChangeRecord> changes;           ///< of `left`
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.first_element, self.left, self.forgotten, self.held, self.changes);
  }
};

/// How far a job has come: its attempt before anything of it is started, its outcome before it is told.
struct ProgressRecord {
  std::uint64_t number = 0;
  JobState state = JobState::waiting;
  std::uint32_t attempt = 1;
  std::uint32_t reruns = 0;
  bool cancel_wanted = false;
  JobEvent outcome = JobEvent::finish;
  std::optional<Instant> granted, started, ended;
  Duration wall;
  std::optional<EndKind> exit_kind;
  std::int32_t exit_code = 0;
  StartFault exit_fault = StartFault::none;
  std::string text;
  LeaseId lease;  ///< of the present attempt, or where it ran
  SiteNames chain;
  ClusterNames clusters;
  Origin origin = Origin::local;
  std::uint32_t tries = 0;
  std::vector<NodeGroup> nodes;  ///< of the attempt, as granted
  std::vector<NodeGroup> held;   ///< what is left to be released
  bool asked = false;            ///< a Start of the attempt was sent
  Duration grace;                ///< that what runs of it got when it was given up
  std::vector<ComponentRecord> components;
  Duration round_trip;  ///< from here to where it runs and back
  std::uint32_t keeper_deaths = 0;
  Instant again_at = never;
  OutputState output = OutputState::complete;  ///< of a job that is over
  std::string output_text;
  std::uint8_t output_began = 0;
  bool own_files = false;
  std::uint32_t false_starts = 0;
  Interruptions past;
  std::optional<Instant> waits_since, ran_from;  ///< rows of older programs don't say
  Duration ran_before;
  bool is_suspect = false;
  std::vector<Place> further;                ///< leases of a co-allocated job beside `lease`
  RareList<std::uint32_t> components_under;  ///< and the components under `lease`, if there are further ones
  Few<ShortText> isolation;
  RareList<InterruptionCause> past_causes;
  bool on_hold = false;
  Instant begin_at = never;
  std::vector<Dependency> awaits;
  Instant kept_since{};  ///< while any of these three keeps it back
  Duration kept_back;
  Duration barrier, start_spread;
  std::uint64_t array = 0;              ///< its array, if it is an element of one; 0: it is none
  std::optional<ArrayRecord> elements;  ///< of an array
  std::string placement;                ///< of a co-allocated job, for people

  static constexpr std::string_view table = "progress";
  static constexpr std::array<std::string_view, 51> columns{"number",
                                                            "state",
                                                            "attempt",
                                                            "reruns",
                                                            "cancel_wanted",
                                                            "outcome",
                                                            "granted",
                                                            "started",
                                                            "ended",
                                                            "wall",
                                                            "exit_kind",
                                                            "exit_code",
                                                            "exit_fault",
                                                            "text",
                                                            "lease",
                                                            "chain",
                                                            "clusters",
                                                            "origin",
                                                            "tries",
                                                            "nodes",
                                                            "held",
                                                            "asked",
                                                            "grace",
                                                            "tasks",
                                                            "round_trip",
                                                            "keeper_deaths",
                                                            "again_at",
                                                            "output",
                                                            "output_text",
                                                            "output_began",
                                                            "own_files",
                                                            "false_starts",
                                                            "interruptions",
                                                            "waits_since",
                                                            "ran_from",
                                                            "ran_before",
                                                            "is_suspect",
                                                            "further",
                                                            "components_under",
                                                            "isolation",
                                                            "interruption_causes",
                                                            "on_hold",
                                                            "begin_at",
                                                            "dependencies",
                                                            "kept_since",
                                                            "kept_back",
                                                            "barrier",
                                                            "start_spread",
                                                            "array",
                                                            "elements",
                                                            "placement"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.state, self.attempt, self.reruns, self.cancel_wanted, self.outcome,
                    self.granted, self.started, self.ended, self.wall, self.exit_kind, self.exit_code,
                    self.exit_fault, self.text, self.lease, self.chain, self.clusters, self.origin, self.tries,
                    self.nodes, self.held, self.asked, self.grace, self.components, self.round_trip,
                    self.keeper_deaths, self.again_at, self.output, self.output_text, self.output_began,
                    self.own_files, self.false_starts, self.past, self.waits_since, self.ran_from, self.ran_before,
                    self.is_suspect, self.further, self.components_under, self.isolation, self.past_causes,
                    self.on_hold, self.begin_at, self.awaits, self.kept_since, self.kept_back, self.barrier,
                    self.start_spread, self.array, self.elements, self.placement);
  }
};

/// A submission that was answered: said again, it submits nothing twice.
struct SubmissionRecord {
  Party client;
  std::uint64_t token = 0;
  std::uint64_t first_job = 0;
  std::uint32_t jobs = 0;

  static constexpr std::string_view table = "submissions";
  static constexpr std::array<std::string_view, 4> columns{"client", "token", "first_job", "jobs"};
  std::string key() const { return client.name + "#" + std::to_string(token); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.client, self.token, self.first_job, self.jobs);
  }
};

using JobManagerRecord = std::variant<JobRecord, ProgressRecord, SubmissionRecord>;

JobRecord record_of(const Job& job);
/// `conditions`: of the job, nullptr if it is eligible; `array`: its elements, nullptr if it is no array.
ProgressRecord progress_of(const Job& job, const Conditions* conditions, const JobArray* array);
/// The record of an element, if the ledger has only its progress.
JobRecord element_record(const JobRecord& array, const ProgressRecord& element);
/// The array of this row; or why there can't be one.
OrFault<JobArray, std::string> array_of(const JobRecord& job, const ProgressRecord& progress);
/// The job that these rows tell of. `fault` says why they can't be, and is left alone if they can.
Job job_of(JobRecord record, ProgressRecord progress, std::string& fault);
/// What keeps the job of this row back; none, if it doesn't wait.
Conditions conditions_of(const ProgressRecord& progress);

}  // namespace dmm
