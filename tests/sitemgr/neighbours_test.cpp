// A site's neighbours, alone: which exist, and the hint about the others that each is told.
#include "sitemgr/neighbours.hpp"

#include <doctest/doctest.h>

namespace dmm::neighbours_test {
namespace {

constexpr Instant start{seconds(100).microseconds};
const SiteName north("north"), south("south"), west("west");

NeighbourSettings settings_of(const SiteName& site, std::uint32_t leases = 0) {
  NeighbourSettings settings{site};
  settings.limits.leases = leases;
  return settings;
}

/// Neighbours 0 to 2 with links that are up.
Neighbours three() {
  Neighbours sites({settings_of(north), settings_of(south), settings_of(west)});
  for (std::size_t n = 0; n < 3; ++n) sites.set_up(n, start, true);
  return sites;
}

/// Lendable processors; largest cluster; whether complete; queued processors; width of the first; round trip.
HintEntry entry(std::uint32_t lendable, std::uint32_t largest = 0, bool complete = true, std::uint32_t queued = 0,
                std::uint32_t width = 0, std::uint32_t round_trip_ms = 0) {
  return {lendable, largest, complete, queued, width, round_trip_ms};
}

}  // namespace

TEST_CASE("neighbours: a neighbour keeps its place, also when it is removed and comes again") {
  Neighbours sites({settings_of(north), settings_of(south)});
  CHECK(sites.size() == 2);
  CHECK(sites.find(south) == 1);
  CHECK_FALSE(sites.find(west));
  sites.remove(0);
  CHECK(sites.size() == 2);
  CHECK(sites.configured() == 1);
  CHECK_FALSE(sites.find(north));
  CHECK(sites.add(settings_of(west)) == 2);
  CHECK(sites.add(settings_of(north, 7)) == 0);
  CHECK(sites.find(north) == 0);
  CHECK(sites[0].limits.leases == 7);
  CHECK(sites.configured() == 3);
  CHECK(Neighbours({}).size() == 0);
  CHECK(Neighbours({}).configured() == 0);
}

TEST_CASE("neighbours: the revision grows with every change, and with no repeated hint") {
  Neighbours sites = three();
  std::uint64_t last = Neighbours({}).revision();
  CHECK(last > 0);
  const auto grew = [&] { return std::exchange(last, sites.revision()) < sites.revision(); };
  CHECK(grew());
  CHECK_FALSE(sites[0].known);
  CHECK_FALSE(sites.hear(0, {}));
  CHECK(sites[0].known);
  CHECK_FALSE(grew());
  CHECK(sites.hear(0, {entry(4)}));
  CHECK(grew());
  CHECK_FALSE(sites.hear(0, {entry(4)}));
  CHECK_FALSE(grew());
  sites.set_up(0, start, false);
  CHECK(grew());
  sites.remove(0);
  CHECK(grew());
  sites.add(settings_of(north));
  CHECK(grew());
}

TEST_CASE("neighbours: what a neighbour could lend counts as 0 once its link is down, its size does not") {
  Neighbours sites = three();
  const CapacityHint hint{entry(4, 8, true, 3, 2, 100), entry(5, 9)};
  sites.hear(0, hint);
  sites[0].stands = true;
  sites.set_up(0, start + seconds(1), true);
  CHECK(sites[0].stands);
  CHECK(sites[0].hint == hint);
  sites.set_up(0, start + seconds(2), false);
  CHECK(sites[0].changed == start + seconds(2));
  CHECK_FALSE(sites[0].up);
  CHECK_FALSE(sites[0].stands);
  CHECK(sites[0].hint == CapacityHint{entry(0, 8, true, 0, 0, 100), entry(0, 9)});
  CHECK(sites.hear(0, hint));
}

TEST_CASE("neighbours: a neighbour is told of all others, each one hop farther, and not of itself") {
  const HintEntry own = entry(1, 2, true, 3, 4, 5);
  struct Row {
    std::vector<CapacityHint> heard;  ///< of north, south and west
    std::size_t told, distances;
    CapacityHint hint;
  };
  const HintEntry unheard = entry(0, 0, false);
  const Row rows[] = {
      {{}, 0, 1, {own}},
      {{}, 0, 2, {own, unheard}},
      {{{entry(7)}, {entry(5)}, {entry(6)}}, 0, 2, {own, entry(6)}},
      {{{entry(7)}, {entry(5)}, {entry(6)}}, 1, 2, {own, entry(7)}},
      {{{entry(7)}, {entry(7)}, {entry(6)}}, 0, 2, {own, entry(7)}},
      {{{entry(7)}, {entry(7)}, {entry(6)}}, 1, 2, {own, entry(7)}},
      // Each value is the largest, independent of the others.
      {{{}, {entry(5, 9)}, {entry(6, 8)}}, 0, 2, {own, entry(6, 9)}},
      {{{entry(0)}, {entry(5, 9)}, {entry(6, 8)}}, 1, 2, {own, entry(6, 8)}},
      {{{entry(0)}, {entry(5, 0, true, 0, 0, 7)}, {entry(6)}}, 1, 2, {own, entry(6)}},
      // The width is that of the neighbour with the longest queue.
      {{{entry(0, 0, true, 9, 1)}, {entry(0, 0, true, 5, 7)}, {entry(0, 0, true, 4, 8)}},
       0,
       2,
       {own, entry(0, 0, true, 5, 7)}},
      {{{entry(0, 0, true, 9, 1)}, {entry(0, 0, true, 5, 7)}, {entry(0, 0, true, 4, 8)}},
       1,
       2,
       {own, entry(0, 0, true, 9, 1)}},
      // A neighbour that leaves sites out makes the hint incomplete for all but itself.
      {{{entry(1, 1, false)}, {entry(1, 1)}, {entry(1, 1)}}, 0, 2, {own, entry(1, 1)}},
      {{{entry(1, 1, false)}, {entry(1, 1)}, {entry(1, 1)}}, 1, 2, {own, entry(1, 1, false)}},
      // Entry d is made from entries d-1; what lies beyond the hints is unknown.
      {{{}, {entry(1), entry(8)}, {entry(2)}}, 0, 4, {own, entry(2), entry(8, 0, false), unheard}},
      {{{}, {entry(1), entry(8)}, {entry(2), entry(7)}}, 0, 2, {own, entry(2)}},
      // Far entries may be all alike, each neighbour's from another distance on.
      {{{}, {entry(5), entry(3), entry(3), entry(3)}, {entry(4), entry(4), entry(4), entry(4)}},
       0,
       5,
       {own, entry(5), entry(4), entry(4), entry(4)}},
      {{{}, {entry(5), entry(3), entry(3), entry(3)}, {entry(4), entry(4), entry(4), entry(4)}},
       2,
       5,
       {own, entry(5, 0, false), entry(3, 0, false), entry(3, 0, false), entry(3, 0, false)}},
      {{{}, {entry(0), entry(0), entry(6), entry(0)}, {entry(0), entry(0), entry(0), entry(0)}},
       0,
       5,
       {own, entry(0), entry(0), entry(6), entry(0)}},
  };
  for (const Row& row : rows) {
    Neighbours sites = three();
    for (std::size_t n = 0; n < row.heard.size(); ++n) sites.hear(n, row.heard[n]);
    CAPTURE(&row - rows);
    sites.hint_for(row.told, {}, row.distances + 1);  // leaves nothing behind
    CHECK(sites.hint_for(row.told, own, row.distances) == row.hint);
  }
}

TEST_CASE("neighbours: hints tell at once that a neighbour is down, removed, heard or added") {
  Neighbours sites = three();
  for (std::size_t n = 0; n < 3; ++n)
    sites.hear(n, {entry(10 * static_cast<std::uint32_t>(n + 1), 50, n != 2, 0, 0, 200)});
  const auto told = [&] { return sites.hint_for(0, {}, 2).at(1); };
  sites[2].round_trip = milliseconds(250);
  CHECK(told() == entry(30, 50, false, 0, 0, 600));
  sites.set_up(2, start, false);
  CHECK(told() == entry(20, 50, false, 0, 0, 200));
  sites.remove(2);
  CHECK(told() == entry(20, 50, true, 0, 0, 200));
  CHECK(sites.hint_for(2, {}, 2).at(1).lendable == 20);  // the removed neighbour isn't missed in what it is told
  sites.hear(1, {entry(5)});
  CHECK(told().lendable == 5);
  sites.add(settings_of(west));
  CHECK_FALSE(told().complete);
}

TEST_CASE("neighbours: demand is that of the longest queue, up to what a site may have") {
  const auto queue = [](std::uint32_t queued, std::uint32_t width) { return entry(0, 0, true, queued, width); };
  using Demand = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(Neighbours::demand_of({}) == Demand{0, 0});
  CHECK(Neighbours::demand_of({queue(0, 5)}) == Demand{0, 0});
  CHECK(Neighbours::demand_of({queue(3, 2), queue(8, 4), queue(8, 6), queue(7, 7)}) == Demand{8, 4});
  CHECK(Neighbours::demand_of({queue(UINT32_MAX, 9)}) == Demand{processors_max, 9});
}

TEST_CASE("neighbours: a round trip is told coarsely, and not at all if it is short") {
  struct Row {
    Duration measured;
    std::uint32_t told_ms;
  };
  const Row rows[] = {{seconds(-1), 0},         {{}, 0},
                      {milliseconds(99), 0},    {milliseconds(100), 200},
                      {milliseconds(199), 200}, {milliseconds(200), 400},
                      {milliseconds(399), 400}, {milliseconds(400), 800},
                      {seconds(1), 1'600},      {duration_max, 6'553'600}};
  for (const Row& row : rows) CHECK(told_round_trip(row.measured) == row.told_ms);
}

TEST_CASE("neighbours: the longest way is over a neighbour that is up, within the given number of hops") {
  Neighbours sites = three();
  sites[0].round_trip = seconds(2);
  sites[1].round_trip = seconds(1);
  sites.hear(0, {entry(0, 0, true, 0, 0, 0), entry(0, 0, true, 0, 0, 4'000)});
  sites.hear(1, {entry(0, 0, true, 0, 0, 2'000)});
  CHECK(sites.round_trip_within(0) == seconds(2));
  CHECK(sites.round_trip_within(1) == seconds(3));
  CHECK(sites.round_trip_within(2) == seconds(6));
  CHECK(sites.round_trip_within(9) == seconds(6));
  sites.set_up(0, start, false);
  CHECK(sites.round_trip_within(9) == seconds(3));
  sites.remove(1);
  CHECK(sites.round_trip_within(9) == Duration{});
  sites[2].round_trip = round_trip_max + seconds(1);
  CHECK(sites.round_trip_within(0) == round_trip_max);
}

}  // namespace dmm::neighbours_test
