// The steps of elements.hpp.
#include "jobmgr/elements.hpp"

#include <algorithm>

#include "jobmgr/asking.hpp"
#include "jobmgr/output.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm::job_steps {

namespace {

/// How many elements become jobs in one step: an array must not hold up what runs.
constexpr std::size_t made_a_step = 1'000;

std::string name_of(const Job& array, std::uint32_t index) {
  return "element " + std::to_string(index) + " of array " + std::to_string(array.number);
}

void make(JobStep& s, ElementKey key) {
  Job& array = *s.parts.jobs.find(key.array);
  const JobArray& elements = *s.parts.arrays.find(key.array);
  Job element;
  element.number = elements.number_at(key.position);
  element.array = array.number;
  element.own_record = false;
  element.index = elements.indices.index_at(key.position);
  element.processors = array.processors;
  element.description = array.description;
  element.description.array = {};
  if (const auto change = elements.changes.find(key.position); change != elements.changes.end()) {
    element.description.priority = change->second.priority;
    element.description.program.limits.edit().wall_seconds = change->second.wall_seconds;
    element.own_record = true;
  }
  element.submitted = array.submitted;
  // It ranks by how long it has been free to run: a long array leaves others a place between its elements.
  element.waits_since = s.now;
  element.kept_back = s.now - array.submitted;
  const Job& added = s.parts.jobs.add(std::move(element));
  s.parts.arrays.make(key);
  s.parts.changed(array);
  s.parts.changed(added);
  if (added.own_record) s.parts.unwritten.description(added.number);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "submitted", s.parts.request_of(added),
                  {{"job", static_cast<std::int64_t>(added.number)},
                   {"array", static_cast<std::int64_t>(array.number)},
                   {"index", std::int64_t{added.index}},
                   {"processors", static_cast<std::int64_t>(added.processors)}});
  ask_if_wanted(s, added);
}

/// How bad an end is: of those of the elements the array tells the worst.
std::int32_t badness_of(const std::optional<JobExit>& exit) {
  if (!exit) return -1;
  if (exit->kind == EndKind::exited) return exit->code;
  return exit->kind == EndKind::signalled ? 128 + exit->code : 1;
}

/// The array has the worst end of its elements; whether this one changed it.
bool take_end(Job& array, const Job& element) {
  DMM_ASSERT(array.number == element.array && is_over(element.state));
  const bool is_worse = badness_of(element.exit) > badness_of(array.exit);
  const bool is_more = element.wall > array.wall || element.output > array.output;
  if (is_worse) array.exit = element.exit;
  array.wall = std::max(array.wall, element.wall);
  array.output = std::max(array.output, element.output);
  return is_worse || is_more;
}

JobEvent outcome_of(const JobArray& elements, const Job& array) {
  const auto has = [&](JobState outcome) { return !elements.ended[outcome_index(outcome)].empty(); };
  // An order that came too late cancelled nothing.
  if (array.cancel_wanted && has(JobState::cancelled)) return JobEvent::cancel;
  if (has(JobState::failed)) return JobEvent::fail;
  if (has(JobState::lost)) return JobEvent::lose;
  return has(JobState::cancelled) ? JobEvent::cancel : JobEvent::finish;
}

/// "3 of 100 elements failed: 4,7-8".
std::string text_of(const JobArray& elements, JobState outcome) {
  const PositionSet& positions = elements.ended[outcome_index(outcome)];
  const bool is_passive = outcome != JobState::failed;
  return std::to_string(positions.count()) + " of " + std::to_string(elements.size) + " elements " +
         (is_passive ? "were " : "") + std::string(to_text(outcome)) + ": " +
         indices_text(elements.indices, positions);
}

/// The array's text, from the outcomes of its elements, unless it says already why none could run.
void tell_outcomes(const JobArray& elements, Job& array) {
  if (!array.text.empty()) return;
  std::string text;
  for (const JobState outcome : {JobState::failed, JobState::lost, JobState::cancelled})
    if (!elements.ended[outcome_index(outcome)].empty())
      text += (text.empty() ? "" : "; ") + text_of(elements, outcome);
  array.text = text;
}

void close_if_over(JobStep& s, Job& array) {
  const JobArray& elements = *s.parts.arrays.find(array.number);
  if (!elements.is_over() || is_over(array.state)) return;
  array.ended = s.now;
  tell_outcomes(elements, array);
  close(s, array, outcome_of(elements, array));
}

/// Elements without a job never get one; what depends on one of them hears of it.
void end_left(JobParts& parts, const Job& array, JobState outcome) {
  note_left_over(parts, array.number, outcome);
  parts.arrays.end_left(array.number, outcome);
}

/// Numbers of the elements that are jobs and not over.
std::vector<std::uint64_t> open_elements(const JobArray& elements) {
  std::vector<std::uint64_t> numbers;
  for (const std::uint32_t position : elements.open) numbers.push_back(elements.number_at(position));
  return numbers;
}

}  // namespace

void add_array(JobStep& s, const Job& array, std::uint64_t first_element) {
  JobArray elements;
  elements.indices = array.description.array;
  elements.first_element = first_element;
  elements.size = elements.indices.size();
  elements.left.add({0, elements.size - 1});
  elements.is_eligible = s.parts.eligibility.is_eligible(array.number);
  s.parts.arrays.add(array.number, std::move(elements));
}

void make_elements(JobStep& s) {
  for (std::size_t made = 0; made < made_a_step; ++made) {
    const auto next = s.parts.arrays.next_element();
    if (!next) return;
    make(s, *next);
  }
}

void note_conditions(JobParts& parts, const Job& array) {
  parts.arrays.set_eligible(array.number, parts.eligibility.is_eligible(array.number));
}

void add_array_variables(const JobParts& parts, const Job& element, std::vector<std::string>& environment) {
  const std::string array = std::to_string(element.array), index = std::to_string(element.index);
  environment.push_back("DMM_ARRAY_ID=" + array);
  environment.push_back("DMM_ARRAY_INDEX=" + index);
  environment.push_back("DMM_ARRAY_COUNT=" + std::to_string(parts.arrays.find(element.array)->size));
  environment.push_back("SLURM_ARRAY_JOB_ID=" + array);
  environment.push_back("SLURM_ARRAY_TASK_ID=" + index);
}

void note_element_running(JobParts& parts, const Job& element, Instant since) {
  Job& array = *parts.jobs.find(element.array);
  if (array.started) return;
  array.started = since;
  parts.eligibility.note(array.number, JobState::running);
  parts.changed(array);
}

void note_element_over(JobStep& s, const Job& element) {
  Job& array = *s.parts.jobs.find(element.array);
  if (take_end(array, element)) s.parts.changed(array);
  if (!DMM_PLANT(array_never_ends)) close_if_over(s, array);
}

void refuse_left(JobStep& s, const Job& element) {
  DMM_ASSERT(element.state == JobState::failed);
  Job& array = *s.parts.jobs.find(element.array);
  if (is_over(array.state)) return;
  array.text = element.text;
  end_left(s.parts, array, JobState::failed);
  s.parts.changed(array, Grade::synced);
  close_if_over(s, array);
}

void cancel_array(JobStep& s, Job& array, Duration grace) {
  array.cancel_wanted = true;
  end_left(s.parts, array, JobState::cancelled);
  s.parts.changed(array, Grade::synced);
  for (const std::uint64_t number : open_elements(*s.parts.arrays.find(array.number))) cancel(s, number, grace);
  close_if_over(s, array);
}

WhyNot cancel_element(JobStep& s, ElementKey key) {
  Job& array = *s.parts.jobs.find(key.array);
  const JobArray& elements = *s.parts.arrays.find(key.array);
  const std::string name = name_of(array, elements.indices.index_at(key.position));
  if (elements.ended[outcome_index(JobState::cancelled)].contains(key.position)) return {};
  if (!elements.left.contains(key.position)) return name + " has ended already";
  s.parts.arrays.cancel_left(key);
  s.parts.eligibility.note(elements.number_at(key.position), JobState::cancelled);
  s.parts.changed(array, Grade::synced);
  close_if_over(s, array);
  return {};
}

void alter_elements(JobStep& s, const Job& array, const Alteration& wanted) {
  if (wanted.held == false) s.parts.arrays.release_all(array.number);
  s.parts.arrays.change_all(array.number, wanted.priority, wanted.wall_seconds);
  const JobArray& elements = *s.parts.arrays.find(array.number);
  for (const std::uint64_t number : open_elements(elements))
    if (s.parts.jobs.find(number)->state == JobState::waiting) alter(s, number, wanted);
}

}  // namespace dmm::job_steps
