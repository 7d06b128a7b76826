// Parties that greet an endpoint and may not speak to it.
#include "links/strangers.hpp"

#include <doctest/doctest.h>

#include <string>

namespace dmm::strangers_test {
namespace {

const Instant start{seconds(100).microseconds};

Party site(const char* name) { return site_manager_of(SiteName(name)); }

}  // namespace

TEST_CASE("strangers: people are told of a stranger at first, and after a silence again") {
  Strangers strangers;
  CHECK(strangers.knock(start, site("a"), "no key", 4, seconds(60)));
  CHECK_FALSE(strangers.knock(start + seconds(60), site("a"), "no key", 4, seconds(60)));
  CHECK(strangers.knock(start + seconds(121), site("a"), "no key", 4, seconds(60)));
  REQUIRE(strangers.all().size() == 1);
  const Stranger known = strangers.all()[0];
  CHECK(known.party == site("a"));
  CHECK(known.knocks == 3);
  CHECK(known.why == "no key");
  CHECK(known.first == start);
  CHECK(known.last == start + seconds(121));
}

TEST_CASE("strangers: the one that knocked longest ago makes room, and one that is admitted is forgotten") {
  Strangers strangers;
  strangers.knock(start, site("a"), "no key", 2, seconds(60));
  strangers.knock(start + seconds(1), site("b"), "no key", 2, seconds(60));
  strangers.knock(start + seconds(2), site("a"), "no key", 2, seconds(60));
  strangers.knock(start + seconds(3), site("c"), "no key", 2, seconds(60));
  REQUIRE(strangers.all().size() == 2);
  CHECK(strangers.all()[0].party == site("a"));
  CHECK(strangers.all()[1].party == site("c"));
  strangers.forget_if([](const Party& party) { return party == site("a"); });
  REQUIRE(strangers.all().size() == 1);
  CHECK(strangers.all()[0].party == site("c"));
}

TEST_CASE("strangers: of a crowd that knocks under ever new names, people are told as many as are remembered") {
  Strangers strangers;
  int told = 0;
  for (int i = 0; i < 1'000; ++i)
    told += strangers.knock(start + milliseconds(i), site(("s" + std::to_string(i)).c_str()), "no key", 4,
                            seconds(60));
  CHECK(told == 4);
  CHECK(strangers.all().size() == 4);
  CHECK(strangers.knock(start + seconds(90), site("later"), "no key", 4, seconds(60)));
}

}  // namespace dmm::strangers_test
