// The links of a topology in the simulator: how long frames and files are under way.
#include <doctest/doctest.h>

#include <string>

#include "simulator/world/network.hpp"
#include "simulator/world/site_links.hpp"

namespace site_links_test {

using namespace dmm;

namespace {

constexpr std::uint64_t megabit = 1'000'000 / 8;

/// a is the parent of b, and b of c; d stands alone.
Topology chain() {
  Topology topology;
  topology.name = "chain";
  const char* parents[] = {"", "a", "b", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    TopologySite& site = topology.sites.emplace_back();
    site.name = SiteName(std::string(1, static_cast<char>('a' + i)));
    site.parent = SiteName(parents[i]);
  }
  REQUIRE(!link_sites(topology));
  return topology;
}

}  // namespace

TEST_CASE("site links: a file goes as fast as the slowest link on its way") {
  Topology topology = chain();
  topology.link_qualities = {{{SiteName("a"), SiteName("b")}, {}, 1000 * megabit},
                             {{SiteName("c"), SiteName("b")}, {}, 10 * megabit}};
  const SiteLinks links(topology);
  CHECK(links.file_bandwidth(SiteName("a"), SiteName("b")) == 1000 * megabit);
  CHECK(links.file_bandwidth(SiteName("b"), SiteName("a")) == 1000 * megabit);
  CHECK(links.file_bandwidth(SiteName("a"), SiteName("c")) == 10 * megabit);
}

TEST_CASE("site links: a link without a bandwidth, or a file from nowhere, has 100 Mbit/s") {
  Topology topology = chain();
  CHECK(SiteLinks(topology).file_bandwidth(SiteName("a"), SiteName("c")) == 100 * megabit);
  topology.link_qualities = {{{SiteName("a"), SiteName("b")}, {}, 1000 * megabit}};
  const SiteLinks links(topology);
  CHECK(links.file_bandwidth(SiteName("a"), SiteName("c")) == 100 * megabit);
  CHECK(links.file_bandwidth(SiteName("a"), SiteName("d")) == 100 * megabit);
  CHECK(links.file_bandwidth(SiteName(), SiteName("a")) == 100 * megabit);
  CHECK(links.find(SiteName("b"), SiteName("c")) == nullptr);
}

TEST_CASE(
    "site links: a long frame takes its bytes over the rate of its line, and a short one the latency alone") {
  Network network({}, 1);
  const Connection slow = network.connect(1, 2), other = network.connect(1, 3);
  network.set_line(slow, milliseconds(5), 1'000'000);
  network.send(Instant{}, 1, slow, std::string(1'000, 'x'));
  CHECK(network.next_arrival() == Instant{} + milliseconds(5));
  REQUIRE(network.take());
  network.send(Instant{}, 1, slow, std::string(500'000, 'x'));
  CHECK(network.next_arrival() == Instant{} + milliseconds(505));
  REQUIRE(network.take());
  network.send(Instant{}, 1, other, std::string(500'000, 'x'));
  CHECK(network.next_arrival() == Instant{} + milliseconds(1));
}

}  // namespace site_links_test
