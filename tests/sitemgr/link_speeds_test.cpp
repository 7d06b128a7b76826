// The speed of a link, from timed frames.
#include "sitemgr/link_speeds.hpp"

#include <doctest/doctest.h>

namespace dmm::link_speeds_test {
namespace {

constexpr Instant start{1'000'000'000};

/// A link with a fixed round trip and rate, and the result of probing it.
struct Carried {
  LinkSpeeds speeds{2};
  Instant now = start;
  std::size_t bytes = 0;
  int probes = 0;

  void probe(std::uint64_t bytes_per_second, Duration way) {
    for (std::optional<Probe> next = speeds.begin(now, 1); next;) {
      ++probes;
      bytes += next->filler.size();
      now =
          now + way + microseconds(static_cast<std::int64_t>(next->filler.size() * 1'000'000 / bytes_per_second));
      next = speeds.hear(now, 1, Probed{next->number});
    }
  }
};

TEST_CASE("link speeds: a slow link is timed by a short frame, a fast one by a long one") {
  for (const auto& [bytes_per_second, probes] :
       {std::pair{20'000U, 2}, {700'000U, 2}, {1'000'000U, 3}, {125'000'000U, 3}})
    for (const Duration way : {microseconds(200), milliseconds(50), seconds(2)}) {
      CAPTURE(bytes_per_second);
      CAPTURE(way.microseconds);
      Carried link;
      CHECK(link.speeds.of(1) == 0);
      link.probe(bytes_per_second, way);
      CHECK(link.probes == probes);
      CHECK(link.speeds.of(1) == doctest::Approx(bytes_per_second).epsilon(0.01));
      CHECK(link.speeds.of(0) == 0);
    }
}

TEST_CASE("link speeds: a link that is too fast to be timed counts as 4.8 GB/s") {
  Carried link;
  link.probe(100'000'000'000, milliseconds(1));
  CHECK(link.speeds.of(1) == 4'800'000'000);
}

TEST_CASE("link speeds: a link is probed once in ten minutes, by 255 kB at most") {
  Carried link;
  for (int i = 0; i < 599; ++i, link.now = link.now + seconds(1)) link.probe(1'000'000'000, milliseconds(1));
  CHECK(link.probes == 3);
  CHECK(link.bytes == 255'000);
  link.now = start + seconds(601);
  link.probe(1'000'000'000, milliseconds(1));
  CHECK(link.probes == 6);
}

TEST_CASE("link speeds: an answer from before the link went down, or said twice, tells nothing") {
  LinkSpeeds speeds(1);
  CHECK_FALSE(speeds.hear(start, 0, Probed{1}));
  REQUIRE(speeds.begin(start, 0));
  speeds.lose(0);
  CHECK_FALSE(speeds.hear(start + seconds(1), 0, Probed{1}));
  CHECK_FALSE(speeds.begin(start + seconds(2), 0));  // a link that often breaks isn't probed each time
  REQUIRE(speeds.begin(start + seconds(601), 0));
  const auto second = speeds.hear(start + seconds(602), 0, Probed{1});
  REQUIRE(second);
  CHECK_FALSE(speeds.hear(start + seconds(602), 0, Probed{1}));
  CHECK_FALSE(speeds.hear(start + seconds(602), 0, Probed{3}));
  CHECK_FALSE(speeds.hear(start + seconds(613), 0, Probed{2}));
  CHECK(speeds.of(0) == 1'500);  // 15 kB in 10 s after the round trip of 1 s
}

}  // namespace
}  // namespace dmm::link_speeds_test
