// Resends: how much at once, and how often, no matter how often they are asked for.
#include "tests/links/endpoint_bounds_stage.hpp"

namespace endpoint_resend_test {

using namespace dmm;
using namespace dmm::endpoint_bounds;

namespace {

/// The bytes that an endpoint sends now.
std::size_t bytes_sent(Endpoint& endpoint) {
  std::size_t bytes = 0;
  endpoint.take_frames([&](const Frame& out) { bytes += out.bytes.size(); });
  return bytes;
}

}  // namespace

TEST_CASE("endpoint bounds: [S36c] a hundred wishes in one instant send no more again than may be under way") {
  for (const bool small : {false, true}) {
    CAPTURE(small);
    Endpoint b(settings_of(beta, alpha));
    Hand hand{alpha, b};
    hand.open();
    const Message message = small ? Message(withdraw(1)) : Message(renewed(200));
    const std::size_t frame = hand.frame(message, 10'000).size(), messages = small ? 10'000 : 2'000;
    for (std::size_t i = 0; i < messages; ++i) {
      Effects effects;
      effects.send(alpha, message);
      b.send(hand.now, effects);
    }
    hand.hear();
    REQUIRE(b.links().front().unacknowledged == messages);
    hand.wait(seconds(1));
    hand.hear();
    for (int i = 0; i < 100; ++i) hand.say(Beat{.resend = true});
    const std::size_t bytes = bytes_sent(b), most = b.settings().limits.resend_bytes;
    CHECK(bytes + frame > most / 10 * 9);
    CHECK(bytes <= most);
  }
}

TEST_CASE("endpoint bounds: [S36c] what waited for a link goes out bounded, also if a Beat says that it is back") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  hand.wait(seconds(5));
  REQUIRE_FALSE(b.links().front().up);
  for (std::uint64_t job = 1; job <= 10'000; ++job) {
    Effects effects;
    effects.send(alpha, withdraw(job));
    b.send(hand.now, effects);
  }
  hand.hear();
  hand.say(Beat{});
  REQUIRE(b.links().front().up);
  const std::size_t bytes = bytes_sent(b);
  CHECK(bytes > 0);
  CHECK(bytes <= b.settings().limits.resend_bytes);
}

TEST_CASE("endpoint bounds: [S36c] a link that was cut for long costs what waited once when it heals") {
  for (const Duration latency : {Duration{}, milliseconds(20), milliseconds(600)})
    for (const bool one_way : {false, true}) {
      CAPTURE(latency.microseconds);
      CAPTURE(one_way);
      Pair pair({}, latency);
      (one_way ? pair.deaf : pair.cut) = true;
      const std::uint64_t before = 5, waiting = 10'000;
      for (std::uint64_t job = 1; job <= before; ++job) pair.send(withdraw(job));
      pair.run(seconds(60));
      REQUIRE_FALSE(pair.a.links().front().up);
      for (std::uint64_t job = before + 1; job <= before + waiting; ++job) pair.send(withdraw(job));
      pair.run(seconds(60));
      pair.cut = pair.deaf = false;
      const std::uint64_t sent = pair.sent_by_a;
      pair.run(seconds(60));
      CHECK(pair.a.links().front().unacknowledged == 0);
      CHECK(pair.sent_by_a - sent >= waiting);
      CHECK(pair.sent_by_a - sent <= before + waiting);
      REQUIRE(pair.at_b.size() == before + waiting);
      for (std::size_t i = 0; i < pair.at_b.size(); ++i) REQUIRE(pair.job_at_b(i) == i + 1);
    }
}

TEST_CASE("endpoint bounds: [S40] frames lost while a link heals are sent again, and all arrive once") {
  Pair pair({}, milliseconds(20));
  pair.cut = true;
  pair.run(seconds(10));
  for (std::uint64_t job = 1; job <= 10'000; ++job) pair.send(withdraw(job));
  pair.cut = false;
  for (const int lost : {100, 1'000, 3'000}) {
    pair.lose = lost;
    pair.run(seconds(2));
  }
  pair.run(seconds(60));
  CHECK(pair.a.links().front().unacknowledged == 0);
  REQUIRE(pair.at_b.size() == 10'000);
  for (std::size_t i = 0; i < pair.at_b.size(); ++i) REQUIRE(pair.job_at_b(i) == i + 1);
}

TEST_CASE("endpoint bounds: [S45] a lost last message arrives though other frames go out several times a second") {
  Pair pair(nodes, ann);
  const RequestId job{ann.site, ann.name, 1, 1};
  pair.lose = 0;
  pair.send(Started{job, 0, 7});
  const auto is_started = [](const Message& one) { return std::holds_alternative<Started>(one); };
  for (int piece = 0; piece < 20 && std::ranges::none_of(pair.at_b, is_started); ++piece) {
    pair.send(Piece{job, 0, Stream::output, 0, "x", false, 1});
    pair.run(milliseconds(300));
  }
  CHECK(std::ranges::count_if(pair.at_b, is_started) == 1);
}

TEST_CASE("endpoint bounds: [S40] what was to be sent again to a peer that restarts meanwhile is due no more") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  for (std::uint64_t job = 1; job <= 2; ++job) {
    Effects effects;
    effects.send(alpha, withdraw(job));
    b.send(hand.now, effects);
  }
  hand.wait(seconds(1));
  for (int i = 0; i < 2; ++i) hand.say(Beat{.resend = true});  // the second one is delayed
  ++hand.incarnation;
  hand.give(hand.hello());
  changes(b);
  hand.wait(seconds(1));
  CHECK(b.next_deadline() > hand.now);
}

}  // namespace endpoint_resend_test
