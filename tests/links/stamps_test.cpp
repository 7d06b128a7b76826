// How long ago a stamp was made, by an echo of it.
#include "links/stamps.hpp"

#include <doctest/doctest.h>

namespace stamps_test {

using namespace dmm;

namespace {

constexpr Instant noon{seconds(12 * 3'600).microseconds};

}  // namespace

TEST_CASE("stamps: an echo tells how long ago its stamp was made, less the time for which it was held [S46b]") {
  const Stamp stamp = stamp_at(noon);
  CHECK(since(stamp, noon) == Duration{});
  CHECK(since(stamp, noon + milliseconds(250)) == milliseconds(250));
  CHECK(since(later(stamp, milliseconds(200)), noon + milliseconds(250)) == milliseconds(50));
}

TEST_CASE("stamps: an echo a little ahead of our clock is one of just now [S46b]") {
  const Stamp stamp = stamp_at(noon);
  for (const int ahead : {1, 7, 999, 1'000}) CHECK(since(later(stamp, milliseconds(ahead)), noon) == Duration{});
  CHECK_FALSE(since(later(stamp, milliseconds(1'001)), noon));
}

TEST_CASE("stamps: what is no stamp of ours, or an old one, tells nothing [S46b]") {
  CHECK_FALSE(since(no_stamp, noon));
  CHECK_FALSE(since(static_cast<Stamp>(first_stamp - 1), noon));
  CHECK(since(stamp_at(noon), noon + seconds(600)) == seconds(600));
  CHECK_FALSE(since(stamp_at(noon), noon + milliseconds(600'001)));
}

TEST_CASE("stamps: an echo counts across the moment at which stamps come round [S46b]") {
  const Instant last{milliseconds(stamps - 1).microseconds}, after = last + milliseconds(3);
  CHECK(stamp_at(last + milliseconds(1)) == first_stamp);
  CHECK(since(stamp_at(last), after) == milliseconds(3));
  CHECK(since(stamp_at(after), last) == Duration{});
}

}  // namespace stamps_test
