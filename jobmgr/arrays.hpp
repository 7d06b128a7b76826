// Arrays: of each array of jobs, which elements have no job yet, which are open, and how the others ended. An
// array is a job itself, which never runs. Its elements are jobs with numbers of their own, made few at a time as
// those before them get nodes: an element without a job costs nothing. The part makes no jobs; it says for which
// element the next one is due (elements.hpp; docs/protocol.md section 8.28b).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobmgr/job_life.hpp"
#include "jobmgr/position_set.hpp"
#include "manager/dense.hpp"
#include "protocol/job_arrays.hpp"

namespace dmm {

/// The number of elements of an array that wait for nodes at a time, if its own limit allows as many. Enough to
/// keep the processors of a site busy between two steps, and few beside a hundred thousand.
constexpr std::uint32_t elements_waiting_max = 256;

/// By outcome: finished, failed, cancelled, lost.
constexpr std::size_t outcome_count = 4;
constexpr std::size_t outcome_index(JobState outcome) {
  return static_cast<std::size_t>(outcome) - static_cast<std::size_t>(JobState::finished);
}
constexpr JobState outcome_at(std::size_t index) {
  return static_cast<JobState>(index + static_cast<std::size_t>(JobState::finished));
}

/// An element, or where one would be.
struct ElementKey {
  std::uint64_t array = 0;
  std::uint32_t position = 0;
};

/// What a user changed of an element that has no job yet.
struct ElementChange {
  std::int32_t priority = 0;
  std::uint64_t wall_seconds = 0;  ///< its limit; 0: none
};
/// Of one array.
constexpr std::size_t element_changes_max = 1'000;

/// One array. Each position is in `left`, in `open`, or in one of `ended`.
struct JobArray {
  ArrayIndices indices;
  std::uint64_t first_element = 0;  ///< number of the element at position 0; the others follow it
  std::uint32_t size = 0;
  bool is_eligible = true;                         ///< no condition of the array keeps its elements back
  PositionSet left;                                ///< elements without a job
  PositionSet held;                                ///< of these, those that their user holds
  DenseMap<std::uint32_t, ElementChange> changes;  ///< of `left`, by position: those that aren't as their array
  DenseSet<std::uint32_t> open;                    ///< elements that are jobs and not over
  std::uint32_t waiting = 0;                       ///< of these, those that wait
  std::array<PositionSet, outcome_count> ended;
  std::array<PositionSet, outcome_count> forgotten;  ///< of `ended`, elements with a forgotten job

  std::uint64_t number_at(std::uint32_t position) const { return first_element + position; }
  /// Whether an element there may come back after a restart.
  bool is_open_place(std::uint32_t position) const {
    return !left.contains(position) &&
           std::ranges::none_of(ended, [&](const PositionSet& positions) { return positions.contains(position); });
  }
  bool is_over() const { return left.empty() && open.empty(); }
  /// Whether its next element may become a job.
  bool has_room() const;
};

/// Indices are shown as far as a person would read.
constexpr std::size_t indices_bytes_max = 300;
/// The indices at these positions as text: "0-99,120"; what is too long ends with "...".
std::string indices_text(const ArrayIndices& indices, const PositionSet& positions);

class Arrays {
 public:
  /// A new array, or one of before a restart; `left`: elements without a job.
  void add(std::uint64_t number, JobArray array);
  /// An element of before a restart, in the state that it was in.
  void restore_element(ElementKey element, JobState state);
  const JobArray* find(std::uint64_t number) const;
  /// The element that has this number as a job, or would have it.
  std::optional<ElementKey> element_of(std::uint64_t job) const;

  /// The element that is to become a job next, of any array; nothing if none is.
  std::optional<ElementKey> next_element();
  /// Whether there may be one.
  bool has_next() const { return !growing_.empty(); }
  /// The element becomes a job, which waits.
  void make(ElementKey element);
  /// The job of the element changed its state.
  void move(ElementKey element, JobState was, JobState is);
  /// Conditions of the array keep its elements back, or do no longer.
  void set_eligible(std::uint64_t number, bool is_eligible);
  /// An element without a job never gets one.
  void cancel_left(ElementKey element);
  /// The same of all elements of an array, which count as ended so.
  void end_left(std::uint64_t number, JobState outcome);

  /// The job of an ended element is forgotten: its outcome stays here.
  void forget_element(ElementKey element, JobState outcome);
  void forget(std::uint64_t number);

  /// An element without a job is held, or no longer.
  void set_held(ElementKey element, bool held);
  /// No element of the array is held by itself any more.
  void release_all(std::uint64_t number);
  /// Of an element without a job; false: too many of its array are changed already.
  bool change(ElementKey element, const ElementChange& wanted);
  /// What was changed of an array is changed of all of its elements.
  void change_all(std::uint64_t number, std::optional<std::int32_t> priority,
                  std::optional<std::uint64_t> wall_seconds);

  /// Elements without a job, of all arrays.
  std::uint64_t left() const { return left_; }
  std::vector<std::uint64_t> numbers() const;
  /// Elements of arrays that are still known which ended so and are no jobs: they never became one, or that job is
  /// forgotten.
  std::uint64_t ended_without_job(JobState outcome) const;
  /// How many elements ended so without ever having been a job, since the start; forgotten ones of an array that a
  /// restart found count as well.
  std::uint64_t ever_ended_without_job(JobState outcome) const { return never_made_[outcome_index(outcome)]; }
  /// What doesn't hold; empty if all is well. Walks everything.
  std::string broken_invariant() const;

 private:
  JobArray& at(std::uint64_t number);
  void note_room(std::uint64_t number, const JobArray& array);
  void take_left(JobArray& array, std::uint32_t position);

  DenseMap<std::uint64_t, JobArray> arrays_;
  DenseMap<std::uint64_t, std::uint64_t> by_first_element_;  ///< numbers of arrays
  std::set<std::uint64_t> growing_;                          ///< all that have room, and perhaps others
  std::uint64_t left_ = 0;
  std::array<std::uint64_t, outcome_count> never_made_{};
};

}  // namespace dmm
