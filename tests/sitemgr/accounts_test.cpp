// What a site lent, borrowed and used, alone: totals, the last records, and their rows in the ledger.
#include "sitemgr/accounts.hpp"

#include <doctest/doctest.h>

namespace dmm::accounts_test {
namespace {

using Direction = UsageRecord::Direction;
using Place = std::optional<std::size_t>;

constexpr Instant start{seconds(100).microseconds};
const SiteName north("north"), south("south");

/// Neighbours 0 and 1.
const Neighbours& two() {
  static const Neighbours sites({{north}, {south}});
  return sites;
}

/// A lease of 77 processor-microseconds, from neighbour `up` to neighbour `down`.
HopLease lease_of(Place up, Place down) {
  HopLease lease;
  lease.id = {SiteName("far"), {7, 9}};
  lease.request = {SiteName("user"), "bob", 3, 2};
  lease.upstream = up;
  lease.downstream = down;
  lease.granted = start;
  lease.processors = 8;
  lease.processor_microseconds = 77;
  return lease;
}

/// Changes for the ledger: "+" for a row put, "-" for one erased, with its table and key.
std::vector<std::string> written(Accounts& accounts, bool wanted = true) {
  LedgerChanges<SiteRecord> ledger;
  ledger.wanted = wanted;
  accounts.write(ledger);
  std::vector<std::string> rows;
  for (const auto& change : ledger.list)
    rows.push_back(
        (change.erased ? "-" : "+") +
        std::visit([](const auto& row) { return std::string(row.table) + " " + row.key(); }, change.record));
  return rows;
}

std::map<std::uint64_t, UsageRecord> records_of(const Accounts& accounts) {
  std::map<std::uint64_t, UsageRecord> records;
  for (const UsageRecord& record : accounts.log().records())
    records.emplace(accounts.log().first() + records.size(), record);
  return records;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("accounts: a lease counts by where it came from and where it went") {
  struct Row {
    Place up, down;
    std::uint64_t lent, borrowed, own;
    std::size_t records;
  };
  const Row rows[] = {{{}, {}, 0, 0, 77, 1}, {{}, 1, 77, 0, 0, 1}, {0, {}, 0, 77, 0, 1}, {0, 1, 77, 77, 0, 2}};
  for (const Row& row : rows) {
    Accounts accounts(10);
    accounts.close(lease_of(row.up, row.down), start + seconds(9), two());
    CHECK(accounts.total_of(Direction::lent, south) == row.lent);
    CHECK(accounts.total_of(Direction::borrowed, north) == row.borrowed);
    CHECK(accounts.total_of(Direction::own, SiteName()) == row.own);
    CHECK(accounts.total_of(Direction::lent, north) == 0);
    CHECK(accounts.totals().size() == row.records);
    REQUIRE(accounts.log().records().size() == row.records);
    const UsageRecord& last = accounts.log().records().back();
    CHECK(last.lease == lease_of(row.up, row.down).id);
    CHECK(last.processors == 8);
    CHECK(last.granted == start);
    CHECK(last.ended == start + seconds(9));
    CHECK(last.processor_microseconds == 77);
  }
}

TEST_CASE("accounts: a lease that passed through counts as borrowed and as lent, once each") {
  Accounts accounts(10);
  accounts.close(lease_of(0, 1), start, two());
  CHECK(written(accounts) == Rows{"+usage_totals 0 south", "+usage_totals 1 north", "+usage 1", "+usage 2"});
  CHECK(written(accounts).empty());
  accounts.close(lease_of(0, 1), start, two());
  accounts.close(lease_of({}, 1), start, two());
  CHECK(accounts.totals().at({Direction::lent, south}).leases == 3);
  CHECK(accounts.total_of(Direction::lent, south) == 3 * 77);
  CHECK(accounts.total_of(Direction::borrowed, north) == 2 * 77);
}

TEST_CASE("accounts: the oldest records are dropped, totals stay") {
  for (const std::size_t most : {0, 1, 3, 5, 6}) {
    Accounts accounts(most);
    for (int i = 0; i < 5; ++i) accounts.close(lease_of({}, 1), start, two());
    CAPTURE(most);
    CHECK(accounts.log().records().size() == std::min<std::size_t>(most, 5));
    CHECK(accounts.totals().at({Direction::lent, south}).leases == 5);
    std::vector<SiteRecord> rows;
    accounts.add_records(rows);
    CHECK(rows.size() == std::min<std::size_t>(most, 5) + 1);
  }
  Accounts accounts(0);
  accounts.set_records_max(2);
  for (int i = 0; i < 5; ++i) accounts.close(lease_of({}, 1), start, two());
  CHECK(accounts.log().records().size() == 2);
}

TEST_CASE("accounts: the ledger loses records that were dropped, and gets no dropped one") {
  Accounts accounts(2);
  accounts.close(lease_of({}, {}), start, two());
  CHECK(written(accounts) == Rows{"+usage_totals 2 ", "+usage 1"});
  for (int i = 0; i < 3; ++i) accounts.close(lease_of({}, {}), start, two());
  CHECK(written(accounts) == Rows{"+usage_totals 2 ", "+usage 3", "+usage 4", "-usage 1", "-usage 2"});
  CHECK(written(accounts).empty());
  accounts.close(lease_of({}, {}), start, two());
  CHECK(written(accounts, false).empty());
}

TEST_CASE("accounts: numbers go on after a restart, and totals are those of the ledger where it has any") {
  Accounts before(2);
  for (int i = 0; i < 5; ++i) before.close(lease_of({}, 1), start, two());
  for (const bool has_totals : {false, true}) {
    Accounts accounts(2);
    if (has_totals) accounts.restore(UsageTotalRow{south, Direction::lent, {5, 5 * 77}});
    accounts.restore(records_of(before));
    CHECK(accounts.totals().at({Direction::lent, south}).leases == (has_totals ? 5 : 2));
    CHECK(accounts.total_of(Direction::lent, south) == (has_totals ? 5 : 2) * 77);
    CHECK(accounts.log().first() == before.log().first());
    CHECK(accounts.log().next() == before.log().next());
    CHECK(written(accounts) == (has_totals ? Rows{} : Rows{"+usage_totals 0 south"}));
    accounts.close(lease_of({}, 1), start, two());
    CHECK(written(accounts) == Rows{"+usage_totals 0 south", "+usage 6", "-usage 4"});
  }
}

TEST_CASE("accounts: an empty ledger, and one with more records than are kept now") {
  Accounts empty(2);
  empty.restore(std::map<std::uint64_t, UsageRecord>{});
  CHECK(empty.totals().empty());
  CHECK(empty.log().next() == 1);
  Accounts before(5);
  for (int i = 0; i < 5; ++i) before.close(lease_of({}, {}), start, two());
  Accounts fewer(2);
  fewer.restore(records_of(before));
  CHECK(fewer.log().first() == 4);
  CHECK(written(fewer) == Rows{"+usage_totals 2 ", "-usage 1", "-usage 2", "-usage 3"});
}

TEST_CASE("accounts: a limit that is lowered holds at once, and at the next start") {
  Accounts before(5);
  for (int i = 0; i < 5; ++i) before.close(lease_of({}, {}), start, two());
  for (const std::size_t most : {0U, 2U}) {
    Accounts restarted(most);
    restarted.restore(records_of(before));
    CHECK(restarted.log().records().size() == most);
    CHECK(restarted.log().next() == 6);
    CHECK(written(restarted).size() == 1 + 5 - most);
  }
  CHECK(written(before).size() == 6);
  before.set_records_max(2);
  CHECK(before.log().records().size() == 2);
  CHECK(written(before) == Rows{"-usage 1", "-usage 2", "-usage 3"});
}

}  // namespace dmm::accounts_test
