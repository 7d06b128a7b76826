// What the hash of a run depends on: each message, row and log event of a manager.
#include "simulator/world/trace_hash.hpp"

#include <doctest/doctest.h>

#include "sitemgr/records.hpp"

namespace trace_hash_test {

using namespace dmm;

namespace {

template <class... T>
std::uint64_t of(const T&... values) {
  TraceHash hash;
  (hash.add(values), ...);
  return hash.value();
}

LogEvent grant_to(std::string_view site, std::int64_t processors) {
  return {Level::info, "grant", {}, {{"to", std::string(site)}, {"processors", processors}}};
}

LedgerChanges<SiteRecord> lent(std::uint64_t leases) {
  LedgerChanges<SiteRecord> changes;
  changes.wanted = true;
  UsageTotalRow row;
  row.peer = SiteName("beta");
  row.total.leases = leases;
  changes.put(row);
  return changes;
}

}  // namespace

TEST_CASE("trace hash: it depends on every byte, and on where one text ends") {
  using Text = std::string_view;
  CHECK(of(Text("a frame of some length")) == of(Text("a frame of some length")));
  CHECK(of(Text("a frame of some length")) != of(Text("a frame of some lengti")));
  CHECK(of(Text("ab"), Text("c")) != of(Text("a"), Text("bc")));
  CHECK(of(Text("")) != of(Text(std::string_view("\0", 1))));
}

TEST_CASE("trace hash: it depends on each field of a log event") {
  CHECK(of(grant_to("beta", 4)) == of(grant_to("beta", 4)));
  CHECK(of(grant_to("beta", 4)) != of(grant_to("gamma", 4)));
  CHECK(of(grant_to("beta", 4)) != of(grant_to("beta", 5)));
}

TEST_CASE("trace hash: it depends on each column of a row, on the grade, and on whether the row is erased") {
  CHECK(of(lent(1)) == of(lent(1)));
  CHECK(of(lent(1)) != of(lent(2)));
  LedgerChanges<SiteRecord> synced = lent(1), erased = lent(1);
  synced.grade = Grade::synced;
  erased.list.front().erased = true;
  CHECK(of(lent(1)) != of(synced));
  CHECK(of(lent(1)) != of(erased));
}

}  // namespace trace_hash_test
