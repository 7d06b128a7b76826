// The steps of conditions.hpp.
#include "jobmgr/conditions.hpp"

#include <algorithm>

#include "jobmgr/asking.hpp"
#include "jobmgr/elements.hpp"
#include "manager/assert.hpp"

namespace dmm::job_steps {

namespace {

/// How many dependents hear in one step: a hundred thousand that wait for one job must not hold up what runs.
constexpr std::size_t told_a_step = 1'000;

std::string name_of(std::uint64_t job) { return "job " + std::to_string(job); }

/// "element 1_3".
std::string name_of_element(std::uint64_t array, std::uint32_t index) {
  return "element " + std::to_string(array) + '_' + std::to_string(index);
}

/// "job 13 failed, and this job was to run only after job 13 finished", "job 12_3 was lost, …".
std::string text_of_unmet(const Dependency& named, JobState state) {
  const bool is_active = state == JobState::finished || state == JobState::failed;
  const bool wants_end = named.kind == DependencyKind::after_ok;
  const std::string other = "job " + name_of(named);
  return other + (is_active ? " " : " was ") + std::string(to_text(state)) + ", and this job was to run only " +
         (wants_end ? "after " + other + " finished" : "if " + other + " didn't");
}

/// Which job of a submission a fault is of; of the only one it need not be said.
std::string place_in(const Submit& submit, std::size_t job) {
  return submit.jobs.size() == 1 ? "" : "job " + std::to_string(job + 1) + " of the submission: ";
}

/// How an element that has no job ended; nothing if it is still to become one.
std::optional<JobState> outcome_of(const JobArray& array, std::uint32_t position) {
  for (const JobState outcome : {JobState::finished, JobState::failed, JobState::cancelled, JobState::lost})
    if (array.ended[outcome_index(outcome)].contains(position)) return outcome;
  return std::nullopt;
}

/// The dependency on an element as one on the job that it is or will be; why there is no such element.
WhyNot resolve(const JobParts& parts, Dependency& dependency) {
  if (!std::exchange(dependency.of_element, false)) {
    dependency.index = 0;
    return {};
  }
  const JobArray* array = parts.arrays.find(dependency.job);
  if (!array) return "there is no array " + std::to_string(dependency.job);
  const auto position = array->indices.position_of(dependency.index);
  if (!position)
    return "array " + std::to_string(dependency.job) + " has no element " + std::to_string(dependency.index);
  dependency = {dependency.kind, array->number_at(*position)};
  return {};
}

/// What keeps a job back may be over: then its request goes out.
void go_on(JobStep& s, Job& job) {
  if (const auto length = s.parts.eligibility.take_freed(s.now, job.number)) job.kept_back += *length;
  if (job.is_array()) return note_conditions(s.parts, job);
  ask_if_wanted(s, job);
}

/// The request at the home site is no longer what is wanted. A grant that crosses the Cancel is of an attempt that
/// is over, and is given back.
void take_request_back(JobStep& s, Job& job) {
  DMM_ASSERT(s.parts.waits_for_nodes(job));
  if (!s.parts.site.was_asked_for(job.number)) return;
  tell_site(s, Cancel{s.parts.request_of(job)}, s.parts.request_of(job));
  ++job.attempt;
}

/// Why a job in this state can't be altered.
std::string text_of_refusal(const Job& job) {
  if (is_over(job.state)) return job_steps::name_of(job) + " has ended already";
  return job_steps::name_of(job) + " is " + std::string(to_text(job.state)) +
         ": only a job that waits can be held or altered";
}

/// Whether an element is found again after a restart by what its array says.
bool is_as_its_array(const JobParts& parts, const Job& job) {
  if (job.array == 0) return false;
  const JobDescription& array = parts.jobs.find(job.array)->description;
  return array.priority == job.description.priority &&
         array.program.limits->wall_seconds == job.description.program.limits->wall_seconds;
}

/// An element without a job: its array remembers what is wanted until the element's turn comes.
Altered alter_unmade(JobStep& s, ElementKey key, const Alteration& wanted) {
  const JobArray& array = *s.parts.arrays.find(key.array);
  if (!array.left.contains(key.position))
    return {false, name_of_element(key.array, array.indices.index_at(key.position)) + " has ended already"};
  const Job& job = *s.parts.jobs.find(key.array);
  const auto found = array.changes.find(key.position);
  const ElementChange is =
      found != array.changes.end()
          ? found->second
          : ElementChange{job.description.priority, job.description.program.limits->wall_seconds};
  const ElementChange to_be{wanted.priority.value_or(is.priority), wanted.wall_seconds.value_or(is.wall_seconds)};
  const bool is_held = array.held.contains(key.position), is_to_be_held = wanted.held.value_or(is_held);
  const bool is_another = to_be.priority != is.priority || to_be.wall_seconds != is.wall_seconds;
  if (!is_another && is_to_be_held == is_held) return {};
  if (is_another && !s.parts.arrays.change(key, to_be))
    return {false, std::to_string(element_changes_max) +
                       " elements of the array are altered and not asked for yet; alter the array, or wait"};
  if (is_to_be_held != is_held) s.parts.arrays.set_held(key, is_to_be_held);
  s.parts.changed(job, Grade::synced);
  return {true, {}};
}

void log_alteration(JobStep& s, const Job& job) {
  if (!s.effects.wants(Level::info)) return;
  s.effects.log(Level::info, "altered", s.parts.request_of(job),
                {{"held", s.parts.eligibility.is_held(job.number)},
                 {"priority", std::int64_t{job.description.priority}},
                 {"limit_wall_seconds", static_cast<std::int64_t>(std::min<std::uint64_t>(
                                            job.description.program.limits->wall_seconds, INT64_MAX))}});
}

void hear(JobStep& s, const Eligibility::Told& told) {
  Job& job = *s.parts.jobs.find(told.job);
  DMM_ASSERT(job.state == JobState::waiting && job.number > told.dependency.job);
  s.parts.changed(job);
  if (is_met(told.dependency.kind, told.state)) return go_on(s, job);
  job.text = text_of_unmet(as_named(s.parts, told.dependency), told.state);
  if (job.is_array()) return cancel_array(s, job, stop_grace);
  cancel_waiting(s, job);
}

}  // namespace

std::string name_of(const Job& job) {
  return job.array == 0 ? name_of(job.number) : name_of_element(job.array, job.index);
}

WhyNot resolve_dependencies(const JobParts& parts, Submit& submit) {
  for (std::size_t i = 0; i < submit.jobs.size(); ++i)
    for (Dependency& dependency : submit.jobs[i].dependencies) {
      DMM_ASSERT(dependency.job > 0);  // fault_of a description
      if (const std::string fault = resolve(parts, dependency); !fault.empty())
        return place_in(submit, i) + "dependency: " + fault;
      if (parts.jobs.find(dependency.job) || parts.arrays.element_of(dependency.job)) continue;
      const bool is_given = dependency.job < parts.intake.next_job();
      return place_in(submit, i) + "dependency: " + name_of(dependency.job) +
             " isn't known to this job manager: " +
             (is_given ? "it was over long ago and is forgotten, or was never submitted"
                       : "it was never submitted");
    }
  return {};
}

Dependency as_named(const JobParts& parts, const Dependency& dependency) {
  const auto key = parts.arrays.element_of(dependency.job);
  if (!key) return dependency;
  const std::uint32_t index = parts.arrays.find(key->array)->indices.index_at(key->position);
  return {dependency.kind, key->array, true, index};
}

void take_conditions(JobStep& s, Job& job) {
  JobDescription& wanted = job.description;
  Conditions conditions{wanted.hold, never, {}, s.now};
  if (wanted.begin_seconds > 0) conditions.begin_at = s.now + seconds(std::int64_t{wanted.begin_seconds});
  conditions.awaits.assign(wanted.dependencies.begin(), wanted.dependencies.end());
  wanted.hold = false;
  wanted.begin_seconds = 0;
  wanted.dependencies.clear();
  if (!conditions.any()) return;
  const std::vector<Dependency> awaits = conditions.awaits;
  s.parts.eligibility.add(job.number, std::move(conditions));
  for (const Dependency& dependency : awaits) {
    DMM_ASSERT(dependency.job < job.number);  // so no jobs wait for one another
    note_dependency(s.parts, dependency);
  }
}

void note_dependency(JobParts& parts, const Dependency& dependency) {
  const Job* other = parts.jobs.find(dependency.job);
  if (const auto key = other ? std::nullopt : parts.arrays.element_of(dependency.job)) {
    if (const auto outcome = outcome_of(*parts.arrays.find(key->array), key->position))
      parts.eligibility.note(dependency.job, *outcome);
    return;
  }
  if (other == nullptr) return parts.eligibility.note(dependency.job, JobState::lost);
  if (is_over(other->state)) return parts.eligibility.note(dependency.job, other->state);
  DMM_ASSERT(other->number == dependency.job);
  if (other->started) parts.eligibility.note(dependency.job, JobState::running);
}

Altered alter(JobStep& s, std::uint64_t number, const Alteration& wanted) {
  Job* const job = s.parts.jobs.find(number);
  if (const auto unmade = job ? std::nullopt : s.parts.arrays.element_of(number))
    return alter_unmade(s, *unmade, wanted);
  if (!job) return {false, "there is no " + name_of(number)};
  Eligibility& eligibility = s.parts.eligibility;
  const bool only_releases = wanted.held == false && !wanted.priority && !wanted.wall_seconds;
  const bool waits = job->state == JobState::waiting;
  if (!waits && only_releases && !is_over(job->state)) return {};  // released before: it has gone on since
  if (!waits) return {false, text_of_refusal(*job)};
  std::int32_t& priority = job->description.priority;
  const std::uint64_t wall_seconds = job->description.program.limits->wall_seconds;
  const bool is_held = eligibility.is_held(number), is_to_be_held = wanted.held.value_or(is_held);
  const bool is_another =
      wanted.priority.value_or(priority) != priority || wanted.wall_seconds.value_or(wall_seconds) != wall_seconds;
  if (!is_another && is_to_be_held == is_held) return {};
  if (s.parts.waits_for_nodes(*job)) take_request_back(s, *job);
  if (is_another) {
    priority = wanted.priority.value_or(priority);
    if (wanted.wall_seconds) job->description.program.limits.edit().wall_seconds = *wanted.wall_seconds;
    job->own_record |= !is_as_its_array(s.parts, *job);
    if (job->own_record) s.parts.unwritten.description(number);
  }
  if (is_to_be_held && !is_held) eligibility.hold(s.now, number);
  if (is_held && !is_to_be_held) eligibility.release(number);
  DMM_ASSERT(eligibility.is_held(number) == is_to_be_held);
  s.parts.changed(*job, Grade::synced);
  go_on(s, *job);
  log_alteration(s, *job);
  if (job->is_array()) alter_elements(s, *job, wanted);
  return {true, {}};
}

void end_begins(JobStep& s) {
  while (const auto number = s.parts.eligibility.due(s.now)) {
    Job& job = *s.parts.jobs.find(*number);
    DMM_ASSERT(job.state == JobState::waiting);
    s.parts.eligibility.end_begin(*number);
    s.parts.changed(job);
    go_on(s, job);
  }
}

void note_left_over(JobParts& parts, std::uint64_t number, JobState outcome) {
  const JobArray& array = *parts.arrays.find(number);
  for (const std::uint64_t element : parts.eligibility.awaited(array.first_element, array.size))
    if (array.left.contains(static_cast<std::uint32_t>(element - array.first_element)))
      parts.eligibility.note(element, outcome);
}

void tell_dependents(JobStep& s) {
  for (std::size_t told = 0; told < told_a_step; ++told) {
    const auto next = s.parts.eligibility.take_told();
    if (!next) return;
    hear(s, *next);
  }
}

void tell_all_dependents(JobStep& s, std::uint64_t number) {
  const JobArray* const array = s.parts.arrays.find(number);
  const auto is_awaited = [&] {
    const Eligibility& all = s.parts.eligibility;
    return all.is_awaited(number) || (array && !all.awaited(array->first_element, array->size).empty());
  };
  while (is_awaited()) {
    const auto next = s.parts.eligibility.take_told();
    DMM_ASSERT(next.has_value());  // its end was noted
    hear(s, *next);
  }
}

}  // namespace dmm::job_steps
