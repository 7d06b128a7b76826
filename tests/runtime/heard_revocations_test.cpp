// Revocations that a manager heard of, over its restarts.
#include "runtime/heard_revocations.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "protocol/text.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace heard_revocations_test {

using namespace dmm;

TEST_CASE("keys: revocations that were heard are kept, and a file that can't be read is a fault") {
  const LedgerFolder folder;
  const LinkKey link = public_of(new_link_secret());
  HeardRevocations first(folder.path());
  REQUIRE(first.read().empty());
  CHECK(first.write().empty());
  first.hear({SiteName("beta"), SiteName("gamma"), link});
  REQUIRE(first.write().empty());
  HeardRevocations second(folder.path());
  REQUIRE(second.read().empty());
  REQUIRE(second.all().size() == 1);
  CHECK(second.all()[0].teller == SiteName("beta"));
  CHECK(second.all()[0].site == SiteName("gamma"));
  CHECK(second.all()[0].link == link);
  for (const char* const content : {"{}", "[", R"([{"told_by": "beta", "site": "gamma", "link": "no key"}])",
                                    R"([{"told_by": "beta", "link": 1}])"}) {
    CAPTURE(content);
    std::ofstream(folder.path() + "/keys/heard.json") << content;
    HeardRevocations third(folder.path());
    CHECK(third.read().find("heard.json") != std::string::npos);
  }
}

}  // namespace heard_revocations_test
