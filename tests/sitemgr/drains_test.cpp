// Orders to drain and to resume, alone.
#include "sitemgr/drains.hpp"

#include <doctest/doctest.h>

namespace dmm::drains_test {
namespace {

const SiteName home("home"), north("north");

TEST_CASE("drains: an order counts once, and a drain of this site is told apart") {
  Drains drains(home);
  CHECK(drains.drain(north));
  CHECK_FALSE(drains.drain(north));
  CHECK(drains.has(north));
  CHECK_FALSE(drains.has_self());
  CHECK(drains.changes() == 1);
  CHECK(drains.drain(home));
  CHECK(drains.has_self());
  CHECK(drains.sites() == std::set{home, north});
  CHECK(drains.resume(north));
  CHECK_FALSE(drains.resume(north));
  CHECK_FALSE(drains.has(north));
  CHECK(drains.changes() == 3);
}

TEST_CASE("drains: the ledger has those that go on, after whatever happened in a step") {
  Drains drains(home);
  const auto written = [&] {
    LedgerChanges<SiteRecord> ledger;
    ledger.wanted = true;
    drains.write(ledger);
    return std::move(ledger.list);
  };
  drains.drain(north);
  auto rows = written();
  REQUIRE(rows.size() == 1);
  CHECK_FALSE(rows[0].erased);
  CHECK(written().empty());
  drains.resume(north);
  rows = written();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].erased);
  Drains again(home);
  again.restore(DrainRecord{north});
  CHECK(again.has(north));
  std::vector<SiteRecord> kept;
  again.add_records(kept);
  CHECK(kept.size() == 1);
}

}  // namespace
}  // namespace dmm::drains_test
