// Which leases an owner takes back for one of its own users.
#include "matchmaking/victims.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/matchmaking/placement_clusters.hpp"

namespace victims_test {

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

/// The leases to take back, in order; nothing if none are.
std::optional<Indices> taken(const std::vector<std::uint32_t>& components,
                             const std::vector<ClusterView>& clusters, const std::vector<VictimView>& leases) {
  auto victims = choose_victims(need_of(components), clusters, leases, cluster_minimization);
  if (!victims) return std::nullopt;
  CHECK(victims->placement.size() == components.size());
  std::ranges::sort(victims->leases);
  return victims->leases;
}

}  // namespace

TEST_CASE("victims: both leases of one cluster are taken, never one of each") {
  const auto clusters = clusters_of(4, {0, 0});
  const std::vector<VictimView> leases{{{2, 0}, 10}, {{0, 2}, 1}, {{2, 0}, 10}, {{0, 2}, 100}};
  CHECK(taken({4}, clusters, leases) == Indices{0, 2});
  const auto victims = choose_victims(need_of({4}), clusters, leases, cluster_minimization);
  REQUIRE(victims.has_value());
  CHECK(victims->placement == Placement{{0, 0, 4}});
}

TEST_CASE("victims: of as many leases the cheapest are taken") {
  const auto clusters = clusters_of(4, {0, 0});
  CHECK(taken({2}, clusters, {{{2, 0}, 5}, {{2, 0}, 3}, {{0, 2}, 4}, {{0, 2}, 9}}) == Indices{1});
  CHECK(taken({4}, clusters, {{{2, 0}, 5}, {{2, 0}, 5}, {{0, 2}, 4}, {{0, 2}, 5}}) == Indices{2, 3});
  CHECK(taken({4}, clusters_of(6, {0}), {{{2}, 5}, {{2}, 1}, {{2}, 3}}) == Indices{1, 2});
}

TEST_CASE("victims: of as many leases the cheapest are taken, whichever are the largest") {
  CHECK(taken({4}, clusters_of(8, {0}), {{{3}, 100}, {{2}, 1}, {{2}, 1}}) == Indices{1, 2});
  CHECK(taken({5}, clusters_of(9, {0}), {{{4}, 50}, {{3}, 9}, {{2}, 1}, {{1}, 1}}) == Indices{1, 2});
  CHECK(taken({6}, clusters_of(16, {1}), {{{5}, 50}, {{3}, 9}, {{4}, 1}, {{2}, 1}, {{3}, 8}}) == Indices{0});
}

namespace {

using Cost = std::pair<std::size_t, std::uint64_t>;  ///< number of leases, and the work lost with them

/// The cost of the best of all sets of leases that let the request start.
std::optional<Cost> best_of_all(const ResourceNeed& need, const std::vector<ClusterView>& clusters,
                                const std::vector<VictimView>& leases) {
  std::optional<Cost> best;
  for (std::uint32_t set = 0; set < 1U << leases.size(); ++set) {
    std::vector<ClusterView> views = clusters;
    Cost cost{};
    for (std::size_t lease = 0; lease < leases.size(); ++lease) {
      if (((set >> lease) & 1) == 0) continue;
      ++cost.first;
      cost.second += leases[lease].cost;
      for (std::size_t i = 0; i < views.size(); ++i) views[i].idle_processors += leases[lease].freed[i];
    }
    if ((!best || cost < *best) && cluster_minimization(need, views)) best = cost;
  }
  return best;
}

}  // namespace

TEST_CASE("victims: no other choice of up to ten leases is of fewer, or of as many and cheaper") {
  std::mt19937 random(20261123);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  int found = 0;
  for (int turn = 0; turn < 3'000; ++turn) {
    CAPTURE(turn);
    const std::size_t count = 1 + up_to(2);
    std::vector<std::uint32_t> idle;
    for (std::size_t i = 0; i < count; ++i) idle.push_back(up_to(3));
    std::vector<ClusterView> clusters = clusters_of(1'000, idle);
    for (ClusterView& cluster : clusters) cluster.quota = up_to(3) == 0 ? 0.995 : 1.0;
    std::vector<VictimView> leases(1 + up_to(9));
    for (VictimView& lease : leases) {
      for (std::size_t i = 0; i < count; ++i) lease.freed.push_back(up_to(2) == 0 ? 0 : up_to(6));
      lease.cost = up_to(20);
    }
    std::vector<std::uint32_t> components(up_to(3) == 0 ? 2 : 1);
    for (std::uint32_t& processors : components) processors = 1 + up_to(14);
    const ResourceNeed need = need_of(components);
    const std::optional<Cost> wanted = best_of_all(need, clusters, leases);
    const auto victims = choose_victims(need, clusters, leases, cluster_minimization);
    REQUIRE(victims.has_value() == wanted.has_value());
    if (!victims) continue;
    Cost cost{victims->leases.size(), 0};
    for (const std::size_t lease : victims->leases) cost.second += leases[lease].cost;
    CHECK(cost == *wanted);
    ++found;
  }
  CHECK(found > 1'000);
}

TEST_CASE("victims: of very many leases the fewest are taken, none dearer than one left of its size") {
  std::vector<VictimView> leases;
  for (std::uint32_t i = 0; i < 20'000; ++i) leases.push_back({{64 + i % 977}, (i * 7'919ULL) % 100'003});
  const auto all = taken({1'000'000}, clusters_of(10'000'000, {0}), leases);
  REQUIRE(all.has_value());
  CHECK(all->size() == 985);  // the largest that come to 1,000,000
  std::map<std::uint32_t, std::uint64_t> dearest;
  for (const std::size_t lease : *all)
    dearest[leases[lease].freed[0]] = std::max(dearest[leases[lease].freed[0]], leases[lease].cost);
  for (std::size_t lease = 0; lease < leases.size(); ++lease)
    if (const auto of_size = dearest.find(leases[lease].freed[0]); of_size != dearest.end())
      CHECK((leases[lease].cost >= of_size->second || std::ranges::binary_search(*all, lease)));
}

TEST_CASE("victims: one lease that is enough is taken rather than two cheaper ones") {
  CHECK(taken({4}, clusters_of(4, {0, 0}), {{{2, 0}, 1}, {{2, 0}, 1}, {{0, 4}, 1000}}) == Indices{2});
}

TEST_CASE("victims: a lease that turns out not to be needed is left alone") {
  CHECK(taken({4}, clusters_of(6, {0}), {{{3}, 1}, {{2}, 10}, {{1}, 1}}) == Indices{0, 2});
  CHECK(taken({4}, clusters_of(6, {2, 0}), {{{2, 0}, 9}, {{0, 3}, 1}, {{0, 3}, 1}}) == Indices{0});
}

TEST_CASE("victims: nothing is taken where the request couldn't start all the same") {
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

TEST_CASE("victims: several components may take leases of several clusters, if no one cluster will do") {
  const auto clusters = clusters_of(4, {0, 0});
  const std::vector<VictimView> leases{{{2, 0}, 1}, {{2, 0}, 1}, {{0, 2}, 9}, {{0, 2}, 2}};
  CHECK(taken({4, 2}, clusters, leases) == Indices{0, 1, 3});
  CHECK(taken({2, 2}, clusters, leases) == Indices{0, 1});
}

TEST_CASE("victims: a need that the policy places nowhere takes few leases that allow another assignment") {
  std::vector<ClusterView> clusters = clusters_with({0, 0});
  clusters[0].total_processors = 7;
  clusters[1].total_processors = 5;
  const std::vector<VictimView> leases{{{7, 0}, 1}, {{0, 4}, 2}, {{0, 1}, 2}};
  CHECK(taken({3, 5, 4}, clusters, leases) == Indices{0, 1, 2});
  CHECK_FALSE(taken({3, 5, 5}, clusters, leases).has_value());
}

TEST_CASE("victims: a lease on two clusters is taken whole") {
  CHECK(taken({4}, clusters_of(4, {2, 0}), {{{0, 4}, 50}, {{2, 2}, 3}}) == Indices{1});
}

TEST_CASE("victims: a request that could start already takes nothing") {
  CHECK(taken({2}, clusters_of(4, {0, 2}), {{{2, 0}, 1}}) == Indices{});
}

}  // namespace victims_test
