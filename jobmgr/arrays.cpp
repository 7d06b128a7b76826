#include "jobmgr/arrays.hpp"

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::size_t cancelled = outcome_index(JobState::cancelled);

}  // namespace

std::string indices_text(const ArrayIndices& indices, const PositionSet& positions) {
  std::string text;
  for (const PositionRange& range : positions.ranges()) {
    const std::string part = indices_text(indices, range.first, range.last);
    if (text.size() + part.size() > indices_bytes_max) return text + (text.empty() ? "..." : ",...");
    text += (text.empty() ? "" : ",") + part;
  }
  return text;
}

bool JobArray::has_room() const {
  const bool is_below_limit = indices.at_once == 0 || open.size() < indices.at_once;
  return is_eligible && left.count() > held.count() && waiting < elements_waiting_max && is_below_limit;
}

JobArray& Arrays::at(std::uint64_t number) {
  const auto found = arrays_.find(number);
  DMM_ASSERT(found != arrays_.end());
  return found->second;
}

void Arrays::note_room(std::uint64_t number, const JobArray& array) {
  if (array.has_room()) growing_.insert(number);
}

void Arrays::add(std::uint64_t number, JobArray array) {
  DMM_ASSERT(array.size == array.indices.size() && array.first_element > number);
  left_ += array.left.count();
  for (std::size_t i = 0; i < outcome_count; ++i) never_made_[i] += array.forgotten[i].count();
  by_first_element_.emplace(array.first_element, number);
  const auto [added, is_new] = arrays_.emplace(number, std::move(array));
  DMM_ASSERT(is_new && by_first_element_.size() == arrays_.size());
  note_room(number, added->second);
}

void Arrays::restore_element(ElementKey element, JobState state) {
  JobArray& array = at(element.array);
  DMM_ASSERT(element.position < array.size && !array.left.contains(element.position));
  if (is_over(state))
    array.ended[outcome_index(state)].add(element.position);
  else
    array.open.insert(element.position);
  array.waiting += state == JobState::waiting;
}

const JobArray* Arrays::find(std::uint64_t number) const {
  const auto found = arrays_.find(number);
  return found == arrays_.end() ? nullptr : &found->second;
}

std::optional<ElementKey> Arrays::element_of(std::uint64_t job) const {
  const auto next = by_first_element_.upper_bound(job);
  if (next == by_first_element_.begin()) return std::nullopt;
  const auto [first, number] = *std::prev(next);
  const JobArray& array = arrays_.at(number);
  DMM_ASSERT(array.first_element == first);
  if (job - first >= array.size) return std::nullopt;
  return ElementKey{number, static_cast<std::uint32_t>(job - first)};
}

std::optional<ElementKey> Arrays::next_element() {
  while (!growing_.empty()) {
    const std::uint64_t number = *growing_.begin();
    const JobArray* array = find(number);
    if (array != nullptr && array->has_room()) return ElementKey{number, *array->left.first_outside(array->held)};
    growing_.erase(growing_.begin());
  }
  return std::nullopt;
}

/// It is among the elements without a job no longer.
void Arrays::take_left(JobArray& array, std::uint32_t position) {
  DMM_ASSERT(left_ > 0);
  array.left.remove(position);
  if (array.held.contains(position)) array.held.remove(position);
  array.changes.erase(position);
  --left_;
}

void Arrays::make(ElementKey element) {
  JobArray& array = at(element.array);
  DMM_ASSERT(!array.held.contains(element.position));
  take_left(array, element.position);
  array.open.insert(element.position);
  ++array.waiting;
}

void Arrays::move(ElementKey element, JobState was, JobState is) {
  JobArray& array = at(element.array);
  DMM_ASSERT(array.open.contains(element.position) && (was != JobState::waiting || array.waiting > 0));
  array.waiting -= was == JobState::waiting;
  array.waiting += is == JobState::waiting;
  if (is_over(is)) {
    array.open.erase(element.position);
    array.ended[outcome_index(is)].add(element.position);
  }
  note_room(element.array, array);
}

void Arrays::set_eligible(std::uint64_t number, bool is_eligible) {
  JobArray& array = at(number);
  array.is_eligible = is_eligible;
  note_room(number, array);
}

void Arrays::cancel_left(ElementKey element) {
  JobArray& array = at(element.array);
  take_left(array, element.position);
  array.ended[cancelled].add(element.position);
  array.forgotten[cancelled].add(element.position);
  ++never_made_[cancelled];
}

void Arrays::set_held(ElementKey element, bool held) {
  JobArray& array = at(element.array);
  DMM_ASSERT(array.left.contains(element.position) && array.held.contains(element.position) != held);
  held ? array.held.add(element.position) : array.held.remove(element.position);
  note_room(element.array, array);
}

void Arrays::release_all(std::uint64_t number) {
  JobArray& array = at(number);
  array.held.clear();
  note_room(number, array);
}

bool Arrays::change(ElementKey element, const ElementChange& wanted) {
  JobArray& array = at(element.array);
  DMM_ASSERT(array.left.contains(element.position));
  if (array.changes.size() >= element_changes_max && !array.changes.contains(element.position)) return false;
  array.changes[element.position] = wanted;
  return true;
}

void Arrays::change_all(std::uint64_t number, std::optional<std::int32_t> priority,
                        std::optional<std::uint64_t> wall_seconds) {
  for (auto& [position, change] : at(number).changes) {
    change.priority = priority.value_or(change.priority);
    change.wall_seconds = wall_seconds.value_or(change.wall_seconds);
  }
}

void Arrays::end_left(std::uint64_t number, JobState outcome) {
  JobArray& array = at(number);
  const std::size_t index = outcome_index(outcome);
  for (const PositionRange& range : array.left.ranges()) {
    array.ended[index].add(range);
    array.forgotten[index].add(range);
  }
  DMM_ASSERT(left_ >= array.left.count());
  never_made_[index] += array.left.count();
  left_ -= array.left.count();
  array.left.clear();
  array.held.clear();
  array.changes.clear();
}

void Arrays::forget_element(ElementKey element, JobState outcome) {
  JobArray& array = at(element.array);
  const std::size_t index = outcome_index(outcome);
  DMM_ASSERT(array.ended[index].contains(element.position));
  array.forgotten[index].add(element.position);
}

void Arrays::forget(std::uint64_t number) {
  const JobArray& array = at(number);
  DMM_ASSERT(array.is_over());
  by_first_element_.erase(array.first_element);
  growing_.erase(number);
  arrays_.erase(number);
}

std::vector<std::uint64_t> Arrays::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, array] : arrays_) numbers.push_back(number);
  return numbers;
}

std::uint64_t Arrays::ended_without_job(JobState outcome) const {
  std::uint64_t ended = 0;
  for (const auto& [number, array] : arrays_) ended += array.forgotten[outcome_index(outcome)].count();
  return ended;
}

std::string Arrays::broken_invariant() const {
  std::uint64_t left = 0;
  for (const auto& [number, array] : arrays_) {
    const std::string name = "array " + std::to_string(number) + ": ";
    std::uint64_t known = array.left.count() + array.open.size();
    for (const PositionSet& positions : array.ended) known += positions.count();
    if (known != array.size) return name + "its elements don't add up";
    if (array.held.count() > array.left.count()) return name + "an element is held that has a job";
    if (array.waiting > array.open.size()) return name + "more elements wait than are open";
    if (array.indices.at_once > 0 && array.open.size() > std::size_t{array.indices.at_once})
      return name + "more elements are open than may be at a time";
    if (array.has_room() && !growing_.contains(number)) return name + "its next element would not be made";
    left += array.left.count();
  }
  if (left != left_) return "elements without a job are miscounted";
  if (by_first_element_.size() != arrays_.size()) return "elements of an array can't be found by their numbers";
  return {};
}

}  // namespace dmm
