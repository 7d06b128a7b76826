// A table for a few or for a great many, beside one that is sorted.
#include "manager/wide_lookup.hpp"

#include <doctest/doctest.h>

#include <map>

#include "workloads/random.hpp"

namespace wide_lookup_test {

using namespace dmm;

TEST_CASE("wide lookup: it finds what was put in and not erased, while it holds few and while it holds many") {
  WideLookup<std::uint64_t, std::uint64_t> table;
  std::map<std::uint64_t, std::uint64_t> beside;
  Random random(7);
  for (const std::uint64_t keys : {100, 5'000, 100}) {
    for (int turn = 0; turn < 20'000; ++turn) {
      const std::uint64_t key = random.below(keys);
      if (random.chance(0.7))
        table[key] = beside[key] = random.next();
      else
        CHECK(table.erase(key) == (beside.erase(key) > 0));
    }
    for (std::uint64_t key = 0; key < 5'000; ++key) {
      const auto found = beside.find(key);
      const std::uint64_t* const value = table.find(key);
      REQUIRE((value != nullptr) == (found != beside.end()));
      if (value) CHECK(*value == found->second);
    }
  }
}

}  // namespace wide_lookup_test
