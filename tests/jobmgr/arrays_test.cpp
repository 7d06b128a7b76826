// The part that knows the elements of arrays, alone: which element is next, and what remains after elements end.
#include "jobmgr/arrays.hpp"

#include <doctest/doctest.h>

#include <random>

namespace dmm::arrays_test {
namespace {

JobArray array_of(std::string_view indices, std::uint64_t first_element) {
  JobArray array;
  array.indices = std::get<ArrayIndices>(parse_array(indices));
  array.size = array.indices.size();
  array.first_element = first_element;
  array.left.add({0, array.size - 1});
  return array;
}

/// Makes all elements that there is room for; returns their number.
std::uint32_t make_all(Arrays& arrays) {
  std::uint32_t made = 0;
  for (; const auto next = arrays.next_element(); ++made) arrays.make(*next);
  CHECK(arrays.broken_invariant() == "");
  return made;
}

void end(Arrays& arrays, ElementKey element, JobState outcome) {
  arrays.move(element, JobState::waiting, JobState::running);
  arrays.move(element, JobState::running, outcome);
}

}  // namespace

TEST_CASE("arrays: elements become jobs in order, as many as may wait, and more as those get nodes") {
  Arrays arrays;
  arrays.add(1, array_of("0-999", 10));
  CHECK(make_all(arrays) == elements_waiting_max);
  CHECK(arrays.left() == 1000 - elements_waiting_max);
  for (std::uint32_t position = 0; position < 100; ++position)
    arrays.move({1, position}, JobState::waiting, JobState::starting);
  CHECK(make_all(arrays) == 100);
  arrays.move({1, 3}, JobState::collecting, JobState::waiting);  // it is rerun: one more element waits
  CHECK(make_all(arrays) == 0);
  CHECK(arrays.element_of(10)->position == 0);
  CHECK(arrays.element_of(1009)->position == 999);
  CHECK_FALSE(arrays.element_of(9));
  CHECK_FALSE(arrays.element_of(1010));
}

TEST_CASE("arrays: no more elements are open than the limit of their array allows [S150]") {
  Arrays arrays;
  arrays.add(1, array_of("0-9%3", 10));
  CHECK(make_all(arrays) == 3);
  arrays.move({1, 0}, JobState::waiting, JobState::running);
  CHECK(make_all(arrays) == 0);
  arrays.move({1, 0}, JobState::running, JobState::failed);
  CHECK(make_all(arrays) == 1);
  CHECK(arrays.find(1)->open.contains(3));
}

TEST_CASE("arrays: conditions of an array keep its elements back") {
  Arrays arrays;
  JobArray held = array_of("0-9", 10);
  held.is_eligible = false;
  arrays.add(1, std::move(held));
  CHECK_FALSE(arrays.has_next());
  arrays.set_eligible(1, true);
  CHECK(arrays.has_next());
  arrays.make(*arrays.next_element());
  arrays.set_eligible(1, false);
  CHECK_FALSE(arrays.next_element());
  CHECK(arrays.broken_invariant() == "");
}

TEST_CASE("arrays: an array is over when its last element is, and says how each ended") {
  Arrays arrays;
  arrays.add(1, array_of("0-3", 10));
  CHECK(make_all(arrays) == 4);
  end(arrays, {1, 2}, JobState::finished);
  end(arrays, {1, 1}, JobState::failed);
  end(arrays, {1, 0}, JobState::finished);
  CHECK_FALSE(arrays.find(1)->is_over());
  end(arrays, {1, 3}, JobState::lost);
  const JobArray& array = *arrays.find(1);
  CHECK(array.is_over());
  CHECK(array.ended[outcome_index(JobState::finished)].ranges() == std::vector<PositionRange>{{0, 0}, {2, 2}});
  CHECK(array.ended[outcome_index(JobState::failed)].ranges() == std::vector<PositionRange>{{1, 1}});
  arrays.forget_element({1, 1}, JobState::failed);
  CHECK(array.forgotten[outcome_index(JobState::failed)].count() == 1);
  CHECK(arrays.broken_invariant() == "");
  arrays.forget(1);
  CHECK_FALSE(arrays.element_of(10));
  CHECK(arrays.broken_invariant() == "");
}

TEST_CASE("arrays: elements without a job are cancelled one by one or all together") {
  Arrays arrays;
  arrays.add(1, array_of("0-999", 10));
  make_all(arrays);
  arrays.cancel_left({1, 500});
  CHECK_FALSE(arrays.find(1)->left.contains(500));
  arrays.end_left(1, JobState::cancelled);
  CHECK(arrays.left() == 0);
  CHECK(arrays.find(1)->ended[outcome_index(JobState::cancelled)].count() == 1000 - elements_waiting_max);
  CHECK(arrays.broken_invariant() == "");
}

TEST_CASE("arrays: a set of positions is what a plain set is, over random changes") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    CAPTURE(seed);
    PositionSet positions;
    std::set<std::uint32_t> plain;
    for (int step = 0; step < 500; ++step) {
      const auto position = static_cast<std::uint32_t>(random() % 60);
      const PositionRange range{position, position + static_cast<std::uint32_t>(random() % 4)};
      if (plain.contains(position)) {
        positions.remove(position);
        plain.erase(position);
      } else if (!positions.overlaps(range)) {
        positions.add(range);
        for (std::uint32_t one = range.first; one <= range.last; ++one) plain.insert(one);
      }
      REQUIRE(positions.count() == plain.size());
      std::vector<std::uint32_t> listed;
      for (const PositionRange& one : positions.ranges()) {
        REQUIRE((listed.empty() || one.first > listed.back() + 1));  // adjacent indices are one range
        for (std::uint32_t each = one.first; each <= one.last; ++each) listed.push_back(each);
      }
      REQUIRE(listed == std::vector<std::uint32_t>(plain.begin(), plain.end()));
      for (std::uint32_t each = 0; each < 64; ++each) REQUIRE(positions.contains(each) == plain.contains(each));
    }
  }
}

}  // namespace dmm::arrays_test
