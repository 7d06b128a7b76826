// Indices of arrays of jobs: read, counted, and said again.
#include "protocol/job_arrays.hpp"

#include <doctest/doctest.h>

namespace dmm::job_arrays_test {
namespace {

ArrayIndices read(std::string_view text) {
  auto parsed = parse_array(text);
  if (const auto* fault = std::get_if<std::string>(&parsed)) FAIL(*fault);
  return std::get<ArrayIndices>(parsed);
}

std::string refused(std::string_view text) {
  const auto parsed = parse_array(text);
  const auto* fault = std::get_if<std::string>(&parsed);
  return fault ? *fault : "taken";
}

}  // namespace

TEST_CASE("array indices: each at its position, and the same text again") {
  const ArrayIndices indices = read("0-9:3,100,20-22%5");
  CHECK(indices.size() == 8);
  CHECK(indices.at_once == 5);
  CHECK(to_text(indices) == "0-9:3,100,20-22%5");
  const std::uint32_t all[] = {0, 3, 6, 9, 100, 20, 21, 22};
  for (std::uint32_t position = 0; position < indices.size(); ++position) {
    CHECK(indices.index_at(position) == all[position]);
    CHECK(indices.position_of(all[position]) == position);
  }
  for (const std::uint32_t index : {1u, 10u, 99u, 101u, 23u, 4'000'000'000u})
    CHECK_FALSE(indices.position_of(index));
  CHECK(indices_text(indices, 0, 7) == "0-9:3,100,20-22");
  CHECK(indices_text(indices, 1, 2) == "3-6:3");
  CHECK(indices_text(indices, 3, 5) == "9,100,20");
  CHECK(to_text(read("7")) == "7");
  CHECK(read("0-30:10,7,15").index_at(4) == 7);  // ranges may lie over each other
  CHECK(to_text(read("0-999999")) == "0-999999");
}

TEST_CASE("array indices: impossible ones are refused, and what was expected is said") {
  for (const char* text :
       {"", "x", "1-", "-1", "1,,2", "1-9:", "0-9%", "0-9%0", "0-9%x", "3:2", "1 - 2", "0-9%5,11"})
    CHECK_MESSAGE(refused(text).starts_with("expected indices as in 0-99"), text);
  CHECK(refused("9-0") ==
        "9-0 is no range; expected a first index, a last one that isn't below it, and a step from 1");
  CHECK(refused("0-9:0").find("0-9:0 is no range") == 0);
  CHECK(refused("0-9,5") == "index 5 occurs twice; expected each index once");
  CHECK(refused("0-30:10,7,14-20:2") == "index 20 occurs twice; expected each index once");
  CHECK(refused("0-30:10,7,1-9:2") == "index 7 occurs twice; expected each index once");
  CHECK(refused("0-1000000") == "it has 1000001 elements; at most 1000000");
  CHECK(refused("2000000001").starts_with("index 2000000001; the greatest is 2000000000"));
  std::string many = "0";
  for (int i = 1; i <= 1000; ++i) many += "," + std::to_string(i * 2);
  CHECK(refused(many) == "there are 1001 ranges of indices; at most 1000");
}

TEST_CASE("array indices: those in a message are checked, since a peer may say anything") {
  ArrayIndices indices;
  CHECK(fault_of(indices) == "");
  indices.at_once = 3;
  CHECK(fault_of(indices) == "array: a limit without indices");
  indices.ranges.push_back({5, 4, 1});
  CHECK(fault_of(indices).starts_with("array: 5-4 is no range"));
  indices.ranges.clear();
  indices.ranges.push_back({0, 4'294'967'295u, 1});
  CHECK(fault_of(indices).starts_with("array: index 4294967295"));
}

}  // namespace dmm::job_arrays_test
