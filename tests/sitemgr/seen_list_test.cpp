// What a site remembers of the requests that it saw: how long, from which neighbour, and which site's word counts.
#include "sitemgr/seen_list.hpp"

#include <doctest/doctest.h>

namespace seen_list_test {

using namespace dmm;

namespace {

constexpr std::size_t north = 0, south = 1;
constexpr Instant start{seconds(1000).microseconds};
constexpr Duration memory = seconds(3600);
constexpr std::uint64_t stay = 7;

PartKey search(std::uint64_t job, std::uint32_t round = 1) { return {{SiteName("home"), "u", job, 1}, 0, round}; }

}  // namespace

TEST_CASE("seen list: a search is new once, and again with more hops than it ever came with [S71]") {
  SeenList seen(2, memory, 100, true);
  CHECK(seen.is_new(start, north, search(1), stay, 3, false));
  CHECK_FALSE(seen.is_new(start, north, search(1), stay, 3, false));
  CHECK_FALSE(seen.is_new(start, south, search(1), stay, 2, false));
  CHECK(seen.is_new(start, south, search(1), stay, 4, false));
  CHECK_FALSE(seen.is_new(start, south, search(1), stay, 4, false));
  CHECK(seen.size() == 1);
}

TEST_CASE("seen list: another round, part, attempt, job or stay is another search [S71]") {
  SeenList seen(2, memory, 100, true);
  CHECK(seen.is_new(start, north, search(1), stay, 3, true));
  PartKey other = search(1);
  SUBCASE("round") { other.round = 2; }
  SUBCASE("part") { other.part = 1; }
  SUBCASE("attempt") { other.request.attempt = 2; }
  SUBCASE("job") { other.request.job = 2; }
  SUBCASE("user") { other.request.user = "v"; }
  SUBCASE("home") { other.request.site = SiteName("elsewhere"); }
  CHECK(seen.is_new(start, north, search(1), stay + 1, 3, true));
  if (other != search(1)) CHECK(seen.is_new(start, north, other, stay, 3, true));
  CHECK_FALSE(seen.is_new(start, north, other, stay, 3, true));
}

TEST_CASE("seen list: a search is forgotten after a while") {
  SeenList seen(2, memory, 100, true);
  CHECK(seen.is_new(start, north, search(1), stay, 3, false));
  CHECK_FALSE(seen.is_new(start + memory - microseconds(1), north, search(1), stay, 3, false));
  CHECK(seen.is_new(start + memory, north, search(1), stay, 3, false));
}

TEST_CASE("seen list: no neighbour can make a site forget what it heard from another one") {
  SeenList seen(2, memory, 100, true);
  CHECK(seen.is_new(start, north, search(1), stay, 3, false));
  for (std::uint64_t job = 2; job <= 1'000; ++job) CHECK(seen.is_new(start, south, search(job), stay, 3, false));
  CHECK(seen.size() <= 1 + 101);
  CHECK_FALSE(seen.is_new(start, north, search(1), stay, 3, false));
  CHECK_FALSE(seen.is_new(start, south, search(1'000), stay, 3, false));
  CHECK(seen.is_new(start, south, search(2), stay, 3, false));  // south's own oldest entry was dropped
}

TEST_CASE("seen list: a home site's own word is compared with its own alone, and with no other site's [S71]") {
  SeenList seen(2, memory, 100, true);
  CHECK(seen.is_new(start, north, search(1), stay, 16, false));
  CHECK(seen.is_new(start, south, search(1), stay, 4, true));
  CHECK_FALSE(seen.is_new(start, south, search(1), stay, 4, true));
  CHECK_FALSE(seen.is_new(start, north, search(1), stay, 16, false));
}

TEST_CASE("seen list: the paper's list counts no hops, and a home site's own word is no better than another's") {
  SeenList seen(2, memory, 100, false);
  CHECK(seen.is_new(start, north, search(1), stay, 3, false));
  CHECK_FALSE(seen.is_new(start, north, search(1), stay, 16, false));
  CHECK_FALSE(seen.is_new(start, south, search(1), stay, 16, true));
}

}  // namespace seen_list_test
