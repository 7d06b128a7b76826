// How long nodes are promised to a job that owners have interrupted.
#include "matchmaking/protection.hpp"

#include <doctest/doctest.h>

namespace dmm::protection_test {

TEST_CASE("protection: the time promised to a job doubles with each interruption, up to the owner's bound") {
  constexpr Duration first = seconds(600), most = seconds(5000);
  Interruptions past;
  CHECK(protected_time(past, first, most) == Duration{});
  past = {1, seconds(10), {}};
  CHECK(protected_time(past, first, most) == first);
  past = {2, first, {}};
  CHECK(protected_time(past, first, most) == first * 2);
  past = {3, seconds(4000), {}};
  CHECK(protected_time(past, first, most) == most);
  CHECK(protected_time(past, first, Duration{}) == Duration{});
  past = {1, seconds(-1), {}};
  CHECK(protected_time(past, first, most) == first);
  past = {1, never - Instant{}, {}};
  CHECK(protected_time(past, first, most) == most);
}

}  // namespace dmm::protection_test
