// What a session keeps until it is acknowledged, compared with a queue of strings.
#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <utility>

#include "links/session.hpp"
#include "workloads/random.hpp"

namespace session_test {

using namespace dmm;

namespace {

/// A session, and the content that it must have.
struct Both {
  Session session{site_manager_of(SiteName("a"))};
  std::deque<std::pair<std::uint64_t, std::string>> expected;

  void keep(std::size_t size, char letter) {
    const std::uint64_t sequence = session.next_sequence();
    expected.emplace_back(sequence, std::string(size, letter));
    session.keep({static_cast<std::uint16_t>(letter), expected.back().second});
  }
  void acknowledge(std::uint64_t sequence) {
    session.acknowledge(sequence);
    while (!expected.empty() && expected.front().first <= sequence) expected.pop_front();
  }
  void check() const {
    REQUIRE(session.unacknowledged() == expected.size());
    Session again = session;
    again.rewind();
    CHECK(again.bytes_in_flight() == 0);
    std::size_t bytes = 0;
    for (const auto& [sequence, tail] : expected) {
      REQUIRE(again.has_unsent());
      const KeptMessage kept = again.take_unsent();
      CHECK(kept.tail == tail);
      if (!tail.empty()) CHECK(kept.type == tail.front());
      bytes += tail.size();
    }
    CHECK_FALSE(again.has_unsent());
    CHECK(again.kept_bytes() >= bytes);
    CHECK(again.bytes_in_flight() == again.kept_bytes());
  }
};

}  // namespace

TEST_CASE("session: what isn't acknowledged is kept, byte for byte, whatever else goes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Both both;
    for (int step = 0; step < 500; ++step) {
      const std::uint64_t draw = random.below(20);
      const std::uint64_t last = both.session.last_used();
      if (draw < 13)
        both.keep(random.below(3000), static_cast<char>('a' + random.below(26)));
      else if (draw < 18)
        both.acknowledge(random.below(last + 2));  // also an old number, or one that was never used
      else if (draw == 18 && random.chance(0.5))
        both.session.go_dormant();
      else if (draw == 18)
        while (both.session.has_unsent()) both.session.take_unsent();
      else
        both.acknowledge(last);
      both.check();
    }
  }
}

TEST_CASE("session: a restarted peer is owed nothing of before") {
  Both both;
  both.session.meet(7);
  for (const std::size_t size : {10, 0, 5000}) both.keep(size, 'x');
  SUBCASE("another start of it") {
    both.session.meet(8);
    CHECK(both.session.unacknowledged() == 0);
    CHECK(both.session.next_sequence() == 1);
  }
  SUBCASE("the same") {
    both.session.meet(7);
    both.check();
    CHECK(both.session.next_sequence() == 4);
  }
}

}  // namespace session_test
