// Short texts behave as std::string does, whether they are kept in place or not.
#include "protocol/short_text.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "workloads/random.hpp"

namespace short_text_test {

using namespace dmm;

namespace {

/// Texts with about the length that is kept in place, of few different bytes, so that many begin alike. They include
/// zero bytes.
std::string any_text(Random& random) {
  std::string text(random.below(2 * ShortText::inline_max + 4), '\0');
  for (char& byte : text) byte = static_cast<char>(random.below(4) == 0 ? 255 : random.below(3));
  return text;
}

}  // namespace

TEST_CASE("short text: every length comes back, in place or not") {
  static_assert(sizeof(ShortText) == 16);
  std::string text;
  for (std::size_t size = 0; size < 40; ++size, text += static_cast<char>('a' + size)) {
    const ShortText kept(text);
    CHECK(kept.view() == text);
    CHECK(kept.size() == size);
    CHECK(kept.empty() == text.empty());
    CHECK(std::string(kept) == text);
  }
}

TEST_CASE("short text: copies are independent, what was moved from is empty") {
  for (const std::string text : {"in place", "too long to be kept in place"}) {
    ShortText first(text), second = first;
    second = "other";
    CHECK(first == ShortText(text));
    second = first;
    ShortText third = std::move(first);
    CHECK(first.empty());
    CHECK(third == second);
    third = third.view().substr(1);  // of its own bytes
    CHECK(third.view() == text.substr(1));
    const ShortText& itself = second;
    second = itself;
    CHECK(second.view() == text);
  }
}

TEST_CASE("short text: compared and hashed as its bytes") {
  constexpr std::uint64_t seed = 11;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = any_text(random), b = random.below(3) == 0 ? a : any_text(random);
    const ShortText first(a), second(b);
    REQUIRE((first == second) == (a == b));
    REQUIRE((first <=> second) == (a <=> b));
    if (a == b) REQUIRE(first.table_hash(7) == second.table_hash(7));
  }
}

TEST_CASE("short text: added to what it meets in messages") {
  const ShortText name("das-0");
  CHECK(name + '/' + ShortText("fs0") == "das-0/fs0");
  CHECK("at " + name == "at das-0");
  CHECK(std::string("at ") + name + "!" == "at das-0!");
}

}  // namespace short_text_test
