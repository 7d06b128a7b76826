// Jobs to rows and back; nothing here decides anything.
#include "jobmgr/records.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace dmm {
namespace {

ComponentRecord record_of(const ComponentRun& component_run) {
  ComponentRecord row;
  row.manager = component_run.manager;
  row.nodes = component_run.nodes;
  row.phase = component_run.phase;
  row.stopping = component_run.stopping;
  row.interrupted = component_run.interrupted;
  row.heard = component_run.heard;
  row.order = component_run.order;
  if (component_run.end.known) row.end_kind = component_run.end.kind;
  row.end_code = component_run.end.code;
  row.end_fault = component_run.end.fault;
  row.text = component_run.text;
  row.wall = component_run.wall;
  // While it runs it says itself how much there is.
  if (component_run.end.known) row.output_bytes = component_run.streams->at(0).bytes;
  if (component_run.end.known) row.error_bytes = component_run.streams->at(1).bytes;
  row.keeper_died = component_run.end.keeper_died;
  row.reached = component_run.reached;
  row.cause = component_run.cause;
  row.clean = component_run.clean;
  row.others_died = component_run.end.others_died;
  row.lease = component_run.lease;
  row.component = component_run.component;
  return row;
}

ArrayRecord record_of(const JobArray& array) {
  ArrayRecord row{array.first_element, array.left.ranges(), {}, array.held.ranges(), {}};
  for (const PositionSet& positions : array.forgotten) row.forgotten.push_back(positions.ranges());
  for (const auto& [position, change] : array.changes)
    row.changes.push_back({position, change.priority, change.wall_seconds});
  return row;
}

ComponentRun component_of(ComponentRecord row) {
  ComponentRun component_run;
  component_run.manager = std::move(row.manager);
  component_run.nodes = std::move(row.nodes);
  component_run.phase = row.phase;
  component_run.stopping = row.stopping;
  component_run.interrupted = row.interrupted;
  component_run.heard = row.heard;
  component_run.order = row.order;
  component_run.end = {row.end_kind.has_value(),
                       row.end_kind.value_or(EndKind::exited),
                       row.end_code,
                       row.end_fault,
                       row.keeper_died,
                       row.others_died};
  component_run.reached = row.reached;
  component_run.cause = row.cause;
  component_run.clean = row.clean;
  component_run.lease = row.lease;
  component_run.component = row.component.value_or(0);
  component_run.text = std::move(row.text);
  component_run.wall = row.wall;
  auto& [output, error] = component_run.streams.edit();
  output.bytes = row.output_bytes;
  error.bytes = row.error_bytes;
  return component_run;
}

/// Of a kind that there is, on a job that was there before.
bool is_possible(const Dependency& dependency, std::uint64_t of_job) {
  return static_cast<std::size_t>(dependency.kind) < dependency_kinds && dependency.job < of_job;
}

bool has_unknown_phase(const ComponentRecord& row) {
  return row.phase > ComponentPhase::over || row.reached > ComponentPhase::over;
}

std::unique_ptr<Attempt> attempt_of(ProgressRecord& progress) {
  auto run = std::make_unique<Attempt>();
  run->leases.push_back({progress.lease, false});
  for (const Place& further : progress.further) run->leases.push_back({further.lease, false});
  run->granted = std::move(progress.nodes);
  run->lost = without(run->granted, progress.held);
  run->asked = progress.asked;
  run->grace = progress.grace;
  run->round_trip = std::clamp(progress.round_trip, Duration{}, round_trip_max);
  for (ComponentRecord& row : progress.components) {
    if (!row.component) row.component = static_cast<std::uint16_t>(run->components.size());
    run->components.push_back(component_of(std::move(row)));
    const ComponentRun& component_run = run->components.back();
    if (component_run.phase != ComponentPhase::over) ++run->open;
    if (component_run.phase == ComponentPhase::queued || component_run.phase == ComponentPhase::asked)
      ++run->unstarted;
    const auto order = static_cast<std::uint16_t>(std::min<std::uint32_t>(component_run.order, UINT16_MAX));
    run->troubles = std::max(run->troubles, order);
  }
  for (const NodeGroup& group : progress.held)
    run->leases[std::ranges::find(run->components, group.component, &ComponentRun::component)->lease].holds = true;
  return run;
}

/// Whether all that names a component or a lease of the attempt names one that there is.
bool is_consistent(const ProgressRecord& progress) {
  const std::size_t leases = 1 + progress.further.size();
  const auto under_one = [&](const ComponentRecord& row) { return row.lease < leases; };
  std::set<std::uint32_t> components;
  for (std::uint32_t i = 0; i < progress.components.size(); ++i)
    components.insert(progress.components[i].component.value_or(static_cast<std::uint16_t>(i)));
  const auto of_one = [&](const NodeGroup& group) { return components.contains(group.component); };
  return std::ranges::all_of(progress.components, under_one) && std::ranges::all_of(progress.held, of_one) &&
         std::ranges::all_of(progress.nodes, of_one);
}

void take_outcome(Job& job, ProgressRecord& progress) {
  job.outcome = progress.outcome;
  job.granted = progress.granted;
  job.started = progress.started;
  job.ended = progress.ended;
  job.wall = progress.wall;
  if (progress.exit_kind) job.exit = JobExit{*progress.exit_kind, progress.exit_code, progress.exit_fault};
  job.text = std::move(progress.text);
  job.output = is_over(job.state) || job.is_array() ? progress.output : OutputState::pending;
  job.output_text = std::move(progress.output_text);
  job.output_began = progress.output_began;
  job.own_files = progress.own_files;
  job.origin = progress.origin;
  job.tries = progress.tries;
  if (!progress.lease.empty())
    job.places.push_back({progress.lease, std::move(progress.chain), std::move(progress.clusters),
                          std::move(progress.components_under), std::move(progress.isolation)});
  std::ranges::move(progress.further, std::back_inserter(job.places));
}

}  // namespace

JobRecord record_of(const Job& job) { return {job.number, job.submitted, job.processors, job.description}; }

JobRecord element_record(const JobRecord& array, const ProgressRecord& element) {
  JobRecord record{element.number, array.submitted, array.processors, array.description};
  record.description.array = {};
  if (!is_over(element.state)) return record;
  record.description.program = {};
  record.description.need = {};
  return record;
}

OrFault<JobArray, std::string> array_of(const JobRecord& job, const ProgressRecord& progress) {
  const std::string name = "job " + std::to_string(job.number) + ": ";
  if (std::string fault = fault_of(job.description.array); !fault.empty()) return name + fault;
  if (!progress.elements || progress.elements->first_element <= job.number)
    return name + "an array without elements";
  JobArray array;
  array.indices = job.description.array;
  array.first_element = progress.elements->first_element;
  array.size = array.indices.size();
  PositionSet known;
  std::string fault;
  const auto add = [&](const std::vector<PositionRange>& ranges, PositionSet& positions) {
    for (const PositionRange& range : ranges) {
      if (range.first > range.last || range.last >= array.size || known.overlaps(range)) {
        fault = name + "an element that there isn't, or is twice";
        return;
      }
      known.add(range);
      positions.add(range);
    }
  };
  add(progress.elements->left, array.left);
  for (std::size_t i = 0; i < std::min(outcome_count, progress.elements->forgotten.size()) && fault.empty(); ++i)
    add(progress.elements->forgotten[i], array.forgotten[i]);
  if (!fault.empty()) return fault;
  for (const PositionRange& range : progress.elements->held)
    for (std::uint64_t position = range.first; position <= range.last && position < array.size; ++position)
      if (const auto one = static_cast<std::uint32_t>(position);
          array.left.contains(one) && !array.held.contains(one))
        array.held.add(one);
  for (const ElementChangeRecord& change : progress.elements->changes)
    if (array.left.contains(change.position))
      array.changes[change.position] = {change.priority, change.wall_seconds};
  array.ended = array.forgotten;
  return array;
}

/// The job's leases and where they are: the first is in the row itself.
static void record_places(ProgressRecord& row, const Job& job) {
  if (job.places.empty()) return;
  row.further.assign(job.places.begin() + 1, job.places.end());
  row.lease = job.places[0].lease;
  row.chain = job.places[0].chain;
  row.clusters = job.places[0].clusters;
  row.components_under = job.places[0].components;
  row.isolation = job.places[0].isolation;
}

/// The job's attempt.
static void record_attempt(ProgressRecord& row, const Attempt& run) {
  row.nodes = run.granted;
  row.held = run.held();
  row.asked = run.asked;
  row.grace = run.grace;
  row.round_trip = run.round_trip;
  for (const ComponentRun& component_run : run.components) row.components.push_back(record_of(component_run));
}

ProgressRecord progress_of(const Job& job, const Conditions* conditions, const JobArray* array) {
  ProgressRecord row;
  row.array = job.array;
  if (array != nullptr) row.elements = record_of(*array);
  row.number = job.number;
  row.state = job.state;
  row.attempt = job.attempt;
  row.reruns = job.reruns;
  row.keeper_deaths = job.keeper_deaths;
  row.is_suspect = job.is_suspect;
  row.false_starts = job.false_starts;
  row.past = job.past;
  row.past_causes = job.past_causes;
  row.waits_since = job.waits_since;
  row.ran_from = job.ran_from;
  row.ran_before = job.ran_before;
  row.kept_back = job.kept_back;
  row.barrier = job.joint->barrier;
  row.start_spread = job.joint->spread;
  row.placement = job.joint->placement;
  if (conditions != nullptr) {
    row.on_hold = conditions->held;
    row.begin_at = conditions->begin_at;
    row.awaits = conditions->awaits;
    row.kept_since = conditions->since;
  }
  row.again_at = job.again_at;
  row.cancel_wanted = job.cancel_wanted;
  row.outcome = job.outcome;
  row.granted = job.granted;
  row.started = job.started;
  row.ended = job.ended;
  row.wall = job.wall;
  if (job.exit) {
    row.exit_kind = job.exit->kind;
    row.exit_code = job.exit->code;
    row.exit_fault = job.exit->fault;
  }
  row.text = job.text;
  row.output = job.output;
  row.output_text = job.output_text;
  row.output_began = job.output_began;
  row.own_files = job.own_files;
  row.origin = job.origin;
  row.tries = job.tries;
  record_places(row, job);
  if (job.run) record_attempt(row, *job.run);
  return row;
}

Job job_of(JobRecord record, ProgressRecord progress, std::string& fault) {
  Job job;
  job.number = record.number;
  job.array = progress.array;
  job.submitted = record.submitted;
  job.processors = record.processors;
  job.description = std::move(record.description);
  job.state = progress.state;
  job.attempt = progress.attempt;
  job.reruns = progress.reruns;
  job.keeper_deaths = progress.keeper_deaths;
  job.is_suspect = progress.is_suspect;
  job.false_starts = progress.false_starts;
  job.past = progress.past;
  job.past_causes = std::move(progress.past_causes);
  job.waits_since = progress.waits_since.value_or(record.submitted);
  job.ran_from = progress.ran_from;
  job.ran_before = progress.ran_before;
  job.kept_back = progress.kept_back;
  job.joint = JointStart{progress.barrier, progress.start_spread, progress.placement};
  if (progress.state == JobState::waiting) job.again_at = progress.again_at;
  job.cancel_wanted = progress.cancel_wanted;
  const std::string name = "job " + std::to_string(job.number) + ": ";
  const bool has_lease = !progress.lease.empty() && !progress.nodes.empty();
  const bool has_components = !progress.components.empty();
  if (static_cast<std::size_t>(job.state) >= job_state_count)
    fault = name + "a state that there isn't";
  else if (std::ranges::any_of(progress.components, has_unknown_phase))
    fault = name + "a component in a phase that there isn't";
  else if (!std::ranges::all_of(progress.awaits, [&](const auto& one) { return is_possible(one, job.number); }))
    fault = name + "a dependency that there can't be";
  else if (!is_over(job.state) && has_attempt(job.state) != has_components)
    fault = name + "an attempt in the wrong state";
  else if (has_components && !has_lease)
    fault = name + "an attempt without nodes";
  else if (has_components && !is_consistent(progress))
    fault = name + "an attempt with nodes of a component, or components of a lease, that there isn't";
  if (!fault.empty()) return job;
  if (has_components) job.run = attempt_of(progress);
  // The row says that it runs before a Go leaves.
  if (has_components) job.run->went = job.state != JobState::starting || !awaits_go(job);
  take_outcome(job, progress);
  return job;
}

Conditions conditions_of(const ProgressRecord& progress) {
  if (progress.state != JobState::waiting) return {};
  return {progress.on_hold, progress.begin_at, progress.awaits, progress.kept_since};
}

}  // namespace dmm
