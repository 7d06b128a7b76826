// Lists and values that take little while there is nothing in them.
#include "protocol/few.hpp"

#include <doctest/doctest.h>

#include <string>

#include "protocol/codec/codec.hpp"
#include "protocol/time.hpp"

namespace few_test {

using namespace dmm;

TEST_CASE("few: a rare list is as a vector, and takes 8 bytes") {
  using Words = RareList<std::string>;
  static_assert(sizeof(Words) == sizeof(void*));
  Words words;
  CHECK(words.empty());
  CHECK(words == Words{});
  CHECK(words < Words{"a"});
  CHECK(Words{"a", "b"} < Words{"a", "c"});
  words.edit().insert(words.edit().end(), {"a", "b"});
  CHECK(words == Words{"a", "b"});
  CHECK(words == Words(std::vector<std::string>{"a", "b"}));
  const Words copy = words;
  words.clear();
  CHECK(words.size() == 0);
  CHECK(copy.size() == 2);
  const std::vector<std::string>&seen = copy, &none = words;
  CHECK(seen.back() == "b");
  CHECK(none.empty());
  Words taken = copy;
  CHECK(taken.take() == std::vector<std::string>{"a", "b"});
  CHECK(taken.empty());
  CHECK(taken.take().empty());
}

TEST_CASE("few: a rare value is as the value, and takes 8 bytes") {
  using Rare = RareValue<Limits>;
  static_assert(sizeof(Rare) == sizeof(void*));
  Rare limits;
  CHECK(limits->wall_seconds == 0);
  CHECK(limits == Limits{});
  const Rare before = limits;
  limits.edit().wall_seconds = 7;
  CHECK(limits->wall_seconds == 7);
  CHECK(limits != before);
  CHECK(before->wall_seconds == 0);
  Rare copy = limits;
  copy.edit().wall_seconds = 8;
  CHECK((*limits).wall_seconds == 7);
  copy.edit() = Limits{};
  CHECK(copy == before);
  copy.tidy();
  CHECK(copy == before);
  CHECK(Rare(Limits{.cpu_seconds = 3})->cpu_seconds == 3);
}

TEST_CASE("few: a frame with rare values and lists has the bytes of the whole values, and brings them back") {
  Codec codec;
  Envelope envelope;
  envelope.from = envelope.to = site_manager_of(SiteName("a"));
  Start start;
  start.program.limits.edit().open_files = 9;
  start.program.environment = {"A=1"};
  envelope.message = start;
  const std::string bytes(codec.encode(envelope));
  const auto decoded = codec.decode(bytes);
  REQUIRE(std::holds_alternative<Envelope>(decoded));
  const Program& program = std::get<Start>(std::get<Envelope>(decoded).message).program;
  CHECK(program.limits->open_files == 9);
  CHECK(program.environment == RareList<std::string>{"A=1"});
  std::get<Start>(envelope.message).program.limits.edit() = Limits{};  // the same message without limits
  const std::string unlimited(codec.encode(envelope));
  std::get<Start>(envelope.message).program.limits = {};
  CHECK(codec.encode(envelope) == unlimited);
}

TEST_CASE("few: an instant that may be missing takes 8 bytes") {
  static_assert(sizeof(MaybeInstant) == sizeof(Instant));
  MaybeInstant at;
  CHECK_FALSE(at);
  CHECK(std::optional<Instant>(at) == std::nullopt);
  at = Instant{5};
  REQUIRE(at);
  CHECK(*at == Instant{5});
  CHECK(std::optional<Instant>(at) == Instant{5});
  at = std::optional<Instant>();
  CHECK_FALSE(at);
  at = Instant{};
  CHECK(at);
  at.reset();
  CHECK_FALSE(at);
}

}  // namespace few_test
