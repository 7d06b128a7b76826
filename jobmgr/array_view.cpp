#include "jobmgr/array_view.hpp"

#include <array>

#include "manager/assert.hpp"

namespace dmm {
namespace {

std::array<PositionSet, job_state_count> positions_by_state(const JobParts& parts, const JobArray& array) {
  std::array<PositionSet, job_state_count> by_state;
  by_state[static_cast<std::size_t>(JobState::waiting)] = array.left;
  for (const std::uint32_t position : array.open) {
    const Job* element = parts.jobs.find(array.number_at(position));
    DMM_ASSERT(element != nullptr);
    by_state[static_cast<std::size_t>(element->state)].add(position);
  }
  for (std::size_t i = 0; i < outcome_count; ++i)
    by_state[static_cast<std::size_t>(outcome_at(i))] = array.ended[i];
  return by_state;
}

}  // namespace

JobState shown_state(const JobParts& parts, const Job& array) {
  const JobArray& elements = *parts.arrays.find(array.number);
  const bool has_nodes = elements.open.size() > elements.waiting;
  return is_over(array.state) || !has_nodes ? array.state : JobState::running;
}

void add_elements(const JobParts& parts, const Job& array, JobView& view) {
  const JobArray& elements = *parts.arrays.find(array.number);
  view.state = shown_state(parts, array);
  std::string indices = to_text(elements.indices);
  if (indices.size() > indices_bytes_max) indices = indices.substr(0, indices_bytes_max) + "...";
  view.elements = ArrayView{std::move(indices), elements.size, {}, {}};
  view.elements->held = {JobState::waiting, elements.held.count(), indices_text(elements.indices, elements.held)};
  const auto by_state = positions_by_state(parts, elements);
  for (std::size_t state = 0; state < job_state_count; ++state)
    if (!by_state[state].empty())
      view.elements->groups.push_back({static_cast<JobState>(state), by_state[state].count(),
                                       indices_text(elements.indices, by_state[state])});
}

JobView view_of_element(const JobParts& parts, ElementKey key) {
  const Job& array = *parts.jobs.find(key.array);
  const JobArray& elements = *parts.arrays.find(key.array);
  const std::uint64_t number = elements.number_at(key.position);
  JobView view = view_of(array, {parts.settings.site, parts.settings.user, number, 1});
  view.number = number;
  view.attempt = 0;  // it was never asked for
  view.array = array.number;
  view.index = elements.indices.index_at(key.position);
  view.exit = std::nullopt;
  view.started = view.ended = std::nullopt;
  view.wall = {};
  view.state = JobState::waiting;
  view.text = {};
  view.held = elements.held.contains(key.position);
  if (const auto change = elements.changes.find(key.position); change != elements.changes.end()) {
    view.priority = change->second.priority;
    view.limit_wall_seconds = change->second.wall_seconds;
  }
  for (std::size_t i = 0; i < outcome_count; ++i)
    if (elements.ended[i].contains(key.position)) view.state = outcome_at(i);
  return view;
}

}  // namespace dmm
