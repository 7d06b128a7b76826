// Which leases an owner takes back for one of its own users.
#include "matchmaking/victims.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/placement_clusters.hpp"

using namespace dmm;

namespace {

using Indices = std::vector<std::size_t>;

ResourceNeed need_of(const std::vector<std::uint32_t>& components) {
  ResourceNeed need;
  for (const std::uint32_t processors : components) need.components.push_back({processors, {}, {}});
  return need;
}

/// Clusters, each with its idle processors and its processors in all.
std::vector<ClusterView> clusters_of(std::uint32_t total, const std::vector<std::uint32_t>& idle) {
  std::vector<ClusterView> clusters = clusters_with(idle);
  for (ClusterView& cluster : clusters) cluster.total_processors = total;
  return clusters;
}

/// The leases that are taken, in order; nothing if none are.
std::optional<Indices> taken(const std::vector<std::uint32_t>& components, const std::vector<ClusterView>& clusters,
                             const std::vector<VictimView>& leases) {
  auto victims = choose_victims(need_of(components), clusters, leases, cluster_minimization);
  if (!victims) return std::nullopt;
  CHECK(victims->placement.size() == components.size());
  std::ranges::sort(victims->leases);
  return victims->leases;
}

}  // namespace

TEST_CASE("both leases of one cluster are taken, never one of each") {
  const auto clusters = clusters_of(4, {0, 0});
  const std::vector<VictimView> leases{{{2, 0}, 10}, {{0, 2}, 1}, {{2, 0}, 10}, {{0, 2}, 100}};
  CHECK(taken({4}, clusters, leases) == Indices{0, 2});
  const auto victims = choose_victims(need_of({4}), clusters, leases, cluster_minimization);
  REQUIRE(victims.has_value());
  CHECK(victims->placement == Placement{{0, 0, 4}});
}

TEST_CASE("of as many leases the cheapest are taken") {
  const auto clusters = clusters_of(4, {0, 0});
  CHECK(taken({2}, clusters, {{{2, 0}, 5}, {{2, 0}, 3}, {{0, 2}, 4}, {{0, 2}, 9}}) == Indices{1});
  CHECK(taken({4}, clusters, {{{2, 0}, 5}, {{2, 0}, 5}, {{0, 2}, 4}, {{0, 2}, 5}}) == Indices{2, 3});
  CHECK(taken({4}, clusters_of(6, {0}), {{{2}, 5}, {{2}, 1}, {{2}, 3}}) == Indices{1, 2});
}

TEST_CASE("one lease that is enough is taken rather than two cheaper ones") {
  CHECK(taken({4}, clusters_of(4, {0, 0}), {{{2, 0}, 1}, {{2, 0}, 1}, {{0, 4}, 1000}}) == Indices{2});
}

TEST_CASE("a lease that turns out not to be needed is left alone") {
  CHECK(taken({4}, clusters_of(6, {0}), {{{3}, 1}, {{2}, 10}, {{1}, 1}}) == Indices{0, 2});
  CHECK(taken({4}, clusters_of(6, {2, 0}), {{{2, 0}, 9}, {{0, 3}, 1}, {{0, 3}, 1}}) == Indices{0});
}

TEST_CASE("nothing is taken where the request couldn't start all the same") {
  const std::vector<VictimView> leases{{{2, 0}, 1}, {{2, 0}, 1}, {{0, 2}, 1}, {{0, 2}, 1}};
  auto clusters = clusters_of(4, {0, 0});
  CHECK_FALSE(taken({5}, clusters, leases).has_value());
  CHECK_FALSE(taken({4, 4, 1}, clusters, leases).has_value());
  SUBCASE("the nodes aren't what it demands") {
    CHECK_FALSE(taken({2}, clusters, {{{0, 0}, 1}, {{0, 0}, 1}}).has_value());
  }
  SUBCASE("the quota keeps them for others") {
    for (ClusterView& cluster : clusters) cluster.quota = 0.5;
    CHECK_FALSE(taken({4}, clusters, leases).has_value());
    CHECK(taken({2}, clusters, leases).has_value());
  }
  SUBCASE("the others are down") { CHECK_FALSE(taken({4}, clusters, {{{2, 0}, 1}}).has_value()); }
  SUBCASE("nothing is lent") { CHECK_FALSE(taken({1}, clusters, {}).has_value()); }
}

TEST_CASE("several components may take leases of several clusters, if no one cluster will do") {
  const auto clusters = clusters_of(4, {0, 0});
  const std::vector<VictimView> leases{{{2, 0}, 1}, {{2, 0}, 1}, {{0, 2}, 9}, {{0, 2}, 2}};
  CHECK(taken({4, 2}, clusters, leases) == Indices{0, 1, 3});
  CHECK(taken({2, 2}, clusters, leases) == Indices{0, 1});
}

TEST_CASE("a lease on two clusters is taken whole") {
  CHECK(taken({4}, clusters_of(4, {2, 0}), {{{0, 4}, 50}, {{2, 2}, 3}}) == Indices{1});
}

TEST_CASE("what could start already takes nothing") {
  CHECK(taken({2}, clusters_of(4, {0, 2}), {{{2, 0}, 1}}) == Indices{});
}
