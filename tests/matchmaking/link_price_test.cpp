// What a placement costs a job through the links that it shares, worked out by hand.
#include "matchmaking/link_price.hpp"

#include <doctest/doctest.h>

#include "matchmaking/policy.hpp"

namespace dmm::link_price_test {
namespace {

ClusterView cluster(const char* name, std::uint32_t idle) {
  return {SiteName(name), ClusterName("c"), idle, idle, 1, 1.0, true};
}

ResourceNeed need_of(std::vector<std::uint32_t> sizes) {
  ResourceNeed need;
  for (const std::uint32_t size : sizes) need.components.push_back({size, {}, {}});
  return need;
}

const std::vector<ClusterView> clusters{cluster("a", 24), cluster("b", 20), cluster("d", 16)};

TEST_CASE("link price: a job within one cluster asks nothing, and one on two asks of both by equation 1") {
  CHECK(demand_of(std::vector<ClusterProcessors>{{0, 8}}, 10).empty());
  const JobDemand demand = demand_of(std::vector<ClusterProcessors>{{0, 8}, {2, 4}}, 10);
  REQUIRE(demand.size() == 2);
  CHECK(demand[0].link == 0);
  CHECK(demand[0].megabits == doctest::Approx(4.0 / 11 * 10 * 8));
  CHECK(demand[1].link == 2);
  CHECK(demand[1].megabits == doctest::Approx(8.0 / 11 * 10 * 4));
}

TEST_CASE("link price: the fullest link decides what share a job gets") {
  const Placement both{{0, 0, 8}, {1, 1, 8}};
  const double asked = 8.0 / 15 * 8 * 10;  // of each link
  CHECK(share_of(both, 10, {{100, 100, 100}, {}}) == 1);
  CHECK(share_of(both, 10, {{100, asked / 2, 100}, {}}) == doctest::Approx(0.5));
  CHECK(share_of(both, 10, {{100, 100, 100}, {{{1, 100 - asked / 2}}}}) ==
        doctest::Approx(100 / (100 + asked / 2)));
  CHECK(share_of({{0, 0, 16}}, 10, {{1, 1, 1}, {}}) == 1);
}

TEST_CASE("link price: another policy's placement is taken only where it gets more") {
  const ResourceNeed need = need_of({8, 8});
  const Placement spread = *worst_fit(need, clusters), one = *cluster_minimization(need, clusters);
  REQUIRE(spread != one);
  CHECK(least_slowed(need, clusters, spread, 1, {{100, 100, 100}, {}}) == spread);
  CHECK(least_slowed(need, clusters, spread, 50, {{100, 100, 100}, {}}) == one);
}

TEST_CASE("link price: the text has each link with its figures") {
  const Placement both{{0, 0, 8}, {1, 1, 8}};
  CHECK(price_text(both, clusters, 10, {{100, 100, 100}, {{{1, 90}}}}) ==
        "it asks 42.7 Mbit/s of a/c (carries 100.0), 42.7 Mbit/s of b/c (carries 100.0, others ask 90.0), and "
        "gets 75 "
        "% of that");
  CHECK(price_text({{0, 0, 16}}, clusters, 10, {{1, 1, 1}, {}}) ==
        "it is within one cluster, and asks nothing of the links");
}

}  // namespace
}  // namespace dmm::link_price_test
