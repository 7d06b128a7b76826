// Placement policies: the examples of Sonmez et al. 2006, tables of single cases, and seeded random needs
// compared with searches that are obviously right and slow.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "matchmaking/placement/placement.hpp"
#include "matchmaking/policy.hpp"
#include "tests/matchmaking/placement_clusters.hpp"

namespace placement_test {

using namespace dmm;

namespace {

constexpr PlacementPolicy all_policies[] = {
    worst_fit, cluster_minimization, flexible_cluster_minimization, best_fit, bfff, close_to_files};

ResourceNeed non_fixed(std::vector<std::uint32_t> sizes) {
  ResourceNeed need;
  for (const std::uint32_t size : sizes) need.components.push_back({size, {}, {}});
  return need;
}

ResourceNeed flexible(std::uint32_t total, std::uint32_t min = 1, std::uint32_t max = 0,
                      std::vector<std::vector<std::uint32_t>> splits = {}) {
  ResourceNeed need;
  need.kind = RequestKind::flexible;
  need.components = {{total, {}, {}}};
  need.component_processors_min = min;
  need.components_max = max;
  need.splits = std::move(splits);
  return need;
}

ResourceNeed fixed_need(std::vector<Component> components) {
  ResourceNeed need;
  need.kind = RequestKind::fixed;
  need.components = std::move(components);
  return need;
}

/// "8@c1 8@c2": the components in order; "-" for no placement.
std::string shown(const std::optional<Placement>& placement, const std::vector<ClusterView>& clusters) {
  if (!placement) return "-";
  std::string text;
  for (const auto& placed : *placement) {
    if (!text.empty()) text += ' ';
    text += std::to_string(placed.processors) + '@' + clusters[placed.cluster].name.text;
  }
  return text;
}

std::string placed(const char* policy, const ResourceNeed& need, const std::vector<ClusterView>& clusters) {
  return shown(find_placement(policy)(need, clusters), clusters);
}

}  // namespace

TEST_CASE("placement: figure 2: three components of 8 on 18, 15 and 12 idle") {
  const auto clusters = clusters_with({18, 15, 12});
  const auto need = non_fixed({8, 8, 8});
  CHECK(placed("wf", need, clusters) == "8@c1 8@c2 8@c3");
  CHECK(placed("cm", need, clusters) == "8@c1 8@c1 8@c2");
  CHECK(placed("fcm", need, clusters) == "8@c1 8@c1 8@c2");
  CHECK(placed("bf", need, clusters) == "8@c3 8@c2 8@c1");
}

TEST_CASE("placement: figure 4: 24 flexible processors on 18, 15 and 12 idle") {
  const auto clusters = clusters_with({18, 15, 12});
  CHECK(placed("fcm", flexible(24), clusters) == "18@c1 6@c2");
  CHECK(placed("wf", flexible(24), clusters) == "-");
  CHECK(placed("cm", flexible(24), clusters) == "-");
  CHECK(placed("bf", flexible(24), clusters) == "-");
}

TEST_CASE("placement: flexible needs") {
  struct Row {
    const char* policy;
    ResourceNeed need;
    std::vector<ClusterView> clusters;
    const char* expected;
  };
  const Row rows[] = {
      {"fcm", flexible(18), clusters_with({12, 18}), "18@c2"},
      {"fcm", flexible(45), clusters_with({18, 15, 12}), "18@c1 15@c2 12@c3"},
      {"fcm", flexible(46), clusters_with({18, 15, 12}), "-"},
      {"fcm", flexible(3), clusters_with({0, 0, 0}), "-"},
      {"fcm", flexible(3), clusters_with({}), "-"},
      // The remainder is not left below the least size when another cut works.
      {"fcm", flexible(20, 4), clusters_with({18, 15}), "16@c1 4@c2"},
      {"fcm", flexible(19, 1), clusters_with({18, 15}), "18@c1 1@c2"},
      {"fcm", flexible(40, 8), clusters_with({18, 17, 15}), "18@c1 14@c2 8@c3"},
      {"fcm", flexible(36, 8), clusters_with({18, 17, 15}), "18@c1 10@c2 8@c3"},
      {"fcm", flexible(20, 11), clusters_with({18, 15}), "-"},
      {"fcm", flexible(20, 4), clusters_with({18, 3}), "-"},
      {"fcm", flexible(20, 3), clusters_with({18, 3}), "17@c1 3@c2"},
      // A request below its own least size is placed whole or not at all.
      {"fcm", flexible(3, 8), clusters_with({4}), "3@c1"},
      {"fcm", flexible(5, 8), clusters_with({4, 4}), "-"},
      {"fcm", flexible(30, 1, 2), clusters_with({18, 15, 12}), "18@c1 12@c2"},
      {"fcm", flexible(34, 1, 2), clusters_with({18, 15, 12}), "-"},
      // Splits: the first that the policy can place. Splits outside the bounds are skipped.
      {"fcm", flexible(24, 1, 0, {{24}, {12, 12}, {8, 8, 8}}), clusters_with({18, 15, 12}), "12@c1 12@c2"},
      {"cm", flexible(24, 1, 0, {{24}, {8, 8, 8}, {12, 12}}), clusters_with({18, 15, 12}), "8@c1 8@c1 8@c2"},
      {"wf", flexible(24, 1, 0, {{24}, {8, 8, 8}}), clusters_with({18, 15, 12}), "8@c1 8@c2 8@c3"},
      {"bf", flexible(24, 1, 0, {{24}, {12, 12}}), clusters_with({18, 15, 12}), "12@c3 12@c2"},
      {"fcm", flexible(24, 9, 0, {{8, 8, 8}, {12, 12}}), clusters_with({18, 15, 12}), "12@c1 12@c2"},
      {"fcm", flexible(24, 1, 2, {{8, 8, 8}, {12, 12}}), clusters_with({18, 15, 12}), "12@c1 12@c2"},
      {"fcm", flexible(24, 1, 0, {{20, 4}}), clusters_with({18, 15, 12}), "-"},
      {"bfff", flexible(24), clusters_with({18, 15, 12}), "18@c1 6@c3"},
      {"bfff", flexible(12), clusters_with({18, 15, 12}), "12@c3"},
      {"bfff", flexible(32), clusters_with({18, 15, 12}), "18@c1 14@c2"},
      {"bfff", flexible(45), clusters_with({18, 15, 12}), "18@c1 15@c2 12@c3"},
      {"bfff", flexible(20, 4), clusters_with({18, 15, 4}), "16@c1 4@c3"},
      {"bfff", non_fixed({8, 8}), clusters_with({18, 15, 12}), "8@c3 8@c2"},
      // The components of a split keep its order, whatever the order of placing.
      {"cm", flexible(20, 1, 0, {{4, 16}}), clusters_with({18, 15}), "4@c2 16@c1"},
      {"cm", flexible(18), clusters_with({18, 15}), "18@c1"},
      {"wf", flexible(15), clusters_with({18, 15}), "15@c1"},
      {"bf", flexible(15), clusters_with({18, 15}), "15@c2"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.policy);
    CAPTURE(row.expected);
    CHECK(placed(row.policy, row.need, row.clusters) == row.expected);
  }
}

TEST_CASE("placement: non-fixed needs: order of components, ties, all or nothing") {
  const auto equal = clusters_with({10, 10, 10});
  CHECK(placed("wf", non_fixed({4, 4}), equal) == "4@c1 4@c2");
  CHECK(placed("cm", non_fixed({4, 4}), equal) == "4@c1 4@c1");
  CHECK(placed("bf", non_fixed({4, 4}), equal) == "4@c1 4@c1");
  CHECK(placed("wf", non_fixed({2, 9}), clusters_with({10, 8})) == "2@c2 9@c1");
  // The order of clusters is that of the start: c1 is still first after it became the fuller one.
  CHECK(placed("cm", non_fixed({6, 2, 2}), clusters_with({10, 8})) == "6@c1 2@c1 2@c1");
  CHECK(placed("bf", non_fixed({6, 2, 2}), clusters_with({10, 8})) == "6@c2 2@c2 2@c1");
  for (const auto policy : all_policies) {
    CHECK_FALSE(policy(non_fixed({8, 8, 8}), clusters_with({18, 7})));
    CHECK_FALSE(policy(non_fixed({1}), clusters_with({})));
    CHECK_FALSE(policy(non_fixed({}), clusters_with({4})));
  }
}

TEST_CASE("placement: fixed needs go where they say, under every policy") {
  auto clusters = clusters_with({18, 15, 12});
  clusters[2].name = ClusterName("c1");
  clusters[2].site = SiteName("t");
  const ClusterName c1("c1"), c2("c2");
  const SiteName s("s"), t("t");
  const auto where = [&clusters](PlacementPolicy policy, std::vector<Component> components) {
    std::string text;
    const auto placement = policy(fixed_need(std::move(components)), clusters);
    if (!placement) return std::string("-");
    for (const auto& each : *placement) text += std::to_string(each.cluster);
    return text;
  };
  for (const auto policy : all_policies) {
    CHECK(where(policy, {{8, s, c2}, {8, s, c1}, {7, s, c2}}) == "101");
    CHECK(where(policy, {{8, s, c2}, {8, s, c2}}) == "-");
    CHECK(where(policy, {{8, s, c2}, {19, s, c1}}) == "-");
    CHECK(where(policy, {{1, s, ClusterName("c9")}}) == "-");
    CHECK(where(policy, {{12, t, c1}}) == "2");
    CHECK(where(policy, {{1, t, c2}}) == "-");
    // A component that names only a site is placed in any cluster there, after components that name theirs.
    CHECK(where(policy, {{15, s, {}}, {18, s, c1}}) == "10");
    CHECK(where(policy, {{12, t, {}}, {1, t, {}}}) == "-");
    // Without a site the name may be a cluster at either site; the component that names its site goes first.
    CHECK(where(policy, {{10, {}, c1}, {18, s, c1}}) == "20");
    CHECK(where(policy, {{15, {}, c1}}) == "0");
  }
}

TEST_CASE("usable processors: quota, whole nodes, constraints") {
  struct Row {
    std::uint32_t idle, total, per_node;
    double quota;
    bool meets;
    std::uint32_t expected;
  };
  const Row rows[] = {
      {18, 20, 1, 1.0, true, 18},    {18, 20, 1, 0.9, true, 16}, {18, 20, 1, 0.1, true, 0},
      {18, 20, 1, 0.0, true, 0},     {20, 20, 1, 0.9, true, 18}, {1, 20, 1, 0.9, true, 0},
      {100, 100, 1, 0.29, true, 29},  // 0.29 * 100 is just below 29 in binary
      {10, 10, 1, 0.35, true, 3},    {17, 20, 4, 1.0, true, 16}, {16, 16, 4, 0.9, true, 12},
      {3, 16, 4, 1.0, true, 0},      {18, 20, 1, 1.0, false, 0}, {25, 20, 1, 1.0, true, 20},
  };
  for (const auto& row : rows) {
    ClusterView view;
    view.idle_processors = row.idle;
    view.total_processors = row.total;
    view.processors_per_node = row.per_node;
    view.quota = row.quota;
    view.meets_constraints = row.meets;
    CAPTURE(row.idle);
    CAPTURE(row.quota);
    CHECK(usable_processors(view) == row.expected);
  }
}

TEST_CASE("placement: whole nodes are taken for each component") {
  auto clusters = clusters_with({16, 12});
  for (auto& view : clusters) view.processors_per_node = 4;
  // Each component of 5 takes 8 processors.
  CHECK(placed("cm", non_fixed({5, 5}), clusters) == "5@c1 5@c1");
  CHECK(placed("cm", non_fixed({5, 5, 5}), clusters) == "5@c1 5@c1 5@c2");
  CHECK(placed("cm", non_fixed({5, 5, 5, 5}), clusters) == "-");
  CHECK(placed("cm", non_fixed({5, 5, 5, 4}), clusters) == "5@c1 5@c1 5@c2 4@c2");
  CHECK(placed("fcm", flexible(27), clusters) == "16@c1 11@c2");
}

TEST_CASE("placement: clusters are ordered by what their quota leaves") {
  auto clusters = clusters_with({20, 15});
  clusters[0].quota = 0.5;
  CHECK(placed("fcm", flexible(20), clusters) == "15@c2 5@c1");
  CHECK(placed("cm", non_fixed({9, 6}), clusters) == "9@c2 6@c2");
  clusters[1].meets_constraints = false;
  CHECK(placed("fcm", flexible(20), clusters) == "-");
  CHECK(placed("wf", non_fixed({9}), clusters) == "9@c1");
}

// ---- Random needs against slow searches

namespace {

/// Draws small cases; std::mt19937 gives the same numbers everywhere, the distributions of the library do
/// not.
struct Draw {
  std::mt19937 engine;
  explicit Draw(std::uint32_t seed) : engine(seed) {}
  std::uint32_t from(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine() % (high - low + 1));
  }

  std::vector<ClusterView> clusters() {
    auto views = clusters_with({});
    for (std::uint32_t i = from(1, 4); i > 0; --i) {
      ClusterView view;
      view.name = ClusterName("c" + std::to_string(views.size() + 1));
      view.processors_per_node = from(0, 2) == 0 ? from(2, 3) : 1;
      view.total_processors = from(0, 9);
      view.idle_processors = from(0, view.total_processors);
      view.quota = from(0, 2) == 0 ? from(0, 10) / 10.0 : 1.0;
      view.meets_constraints = from(0, 7) != 0;
      views.push_back(view);
    }
    return views;
  }
  std::vector<std::uint32_t> sizes() {
    std::vector<std::uint32_t> result(from(1, 4));
    for (auto& size : result) size = from(1, 6);
    return result;
  }
};

/// Processors of the whole nodes that hold this many processors.
std::uint32_t in_nodes(const ClusterView& view, std::uint32_t processors) {
  std::uint32_t taken = 0;
  while (taken < processors) taken += view.processors_per_node;
  return taken;
}

/// Whether this many more processors may be taken, by the literal definition (quotas here are tenths).
bool may_take(const ClusterView& view, std::uint32_t taken) {
  if (taken == 0) return true;
  const std::uint32_t tenths = static_cast<std::uint32_t>(view.quota * 10 + 0.5);
  const std::uint32_t in_use = view.total_processors - view.idle_processors;
  return view.meets_constraints && taken <= view.idle_processors &&
         10 * (in_use + taken) <= tenths * view.total_processors;
}

bool any_assignment(const std::vector<ClusterView>& clusters, const std::vector<std::uint32_t>& sizes,
                    std::vector<std::uint32_t>& taken, std::size_t next) {
  if (next == sizes.size()) return true;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const std::uint32_t more = in_nodes(clusters[i], sizes[next]);
    if (!may_take(clusters[i], taken[i] + more)) continue;
    taken[i] += more;
    if (any_assignment(clusters, sizes, taken, next + 1)) return true;
    taken[i] -= more;
  }
  return false;
}

/// Whether components of these sizes can be placed at all: tries every assignment.
bool can_place(const std::vector<ClusterView>& clusters, const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> taken(clusters.size());
  return any_assignment(clusters, sizes, taken, 0);
}

/// The fewest components that the flexible need can be cut into, with at most one in each cluster; 0 for none. Tries
/// every cut.
std::uint32_t fewest_pieces(const std::vector<ClusterView>& clusters, std::uint32_t left, std::uint32_t least,
                            std::uint32_t most, std::size_t next = 0) {
  if (next == clusters.size() || most == 0) return 0;
  std::uint32_t best = fewest_pieces(clusters, left, least, most, next + 1);
  for (std::uint32_t size = least; size <= left; ++size) {
    if (!may_take(clusters[next], in_nodes(clusters[next], size))) break;
    const std::uint32_t rest = size == left ? 0 : fewest_pieces(clusters, left - size, least, most - 1, next + 1);
    if (size == left || rest > 0) best = best == 0 ? rest + 1 : std::min(best, rest + 1);
  }
  return best;
}

/// What holds for every answer: components in order and of the right sizes, no cluster overfilled.
void check_sound(const Placement& placement, const std::vector<std::uint32_t>& sizes,
                 const std::vector<ClusterView>& clusters) {
  std::vector<std::uint32_t> taken(clusters.size());
  REQUIRE(placement.size() == sizes.size());
  for (std::uint32_t i = 0; i < placement.size(); ++i) {
    REQUIRE(placement[i].component == i);
    REQUIRE(placement[i].processors == sizes[i]);
    taken[placement[i].cluster] += in_nodes(clusters[placement[i].cluster], sizes[i]);
  }
  for (std::size_t i = 0; i < clusters.size(); ++i) REQUIRE(may_take(clusters[i], taken[i]));
}

}  // namespace

TEST_CASE(
    "placement: what is placed of random non-fixed needs fits, and equal components are placed if possible") {
  for (std::uint32_t seed = 1; seed <= 20000; ++seed) {
    Draw draw(seed);
    const auto clusters = draw.clusters();
    auto sizes = draw.sizes();
    if (seed % 2 == 0) std::fill(sizes.begin(), sizes.end(), sizes[0]);
    const bool uniform = std::count(sizes.begin(), sizes.end(), sizes[0]) == std::ssize(sizes);
    const bool possible = can_place(clusters, sizes);
    CAPTURE(seed);
    for (const auto policy : all_policies) {
      CAPTURE(name_of(policy));
      const auto placement = policy(non_fixed(sizes), clusters);
      if (placement) check_sound(*placement, sizes, clusters);
      // None of the papers' policies searches all packings of unequal components. With equal components there is
      // nothing to search.
      if (uniform) REQUIRE(placement.has_value() == possible);
    }
  }
}

TEST_CASE("placement: what the policies miss is found by going back, whenever it can be placed at all") {
  const auto clusters = clusters_with({7, 5});
  CHECK(placed("wf", non_fixed({3, 5, 4}), clusters) == "-");
  CHECK(shown(any_fit(non_fixed({3, 5, 4}), clusters), clusters) == "3@c1 5@c2 4@c1");
  std::uint32_t missed = 0;
  for (std::uint32_t seed = 1; seed <= 5000; ++seed) {
    Draw draw(seed);
    const auto some = draw.clusters();
    const auto sizes = draw.sizes();
    if (sizes.size() < 2) continue;
    CAPTURE(seed);
    const auto placement = any_fit(non_fixed(sizes), some);
    REQUIRE(placement.has_value() == can_place(some, sizes));
    if (placement) check_sound(*placement, sizes, some);
    missed += placement && !cluster_minimization(non_fixed(sizes), some);
  }
  CHECK(missed > 0);
  // Large and impossible: the policy gives up in time.
  std::vector<std::uint32_t> odd;
  for (std::uint32_t i = 0; i < 64; ++i) odd.push_back(50 + i);
  CHECK_FALSE(any_fit(non_fixed(odd), clusters_with(std::vector<std::uint32_t>(40, 99))));
}

TEST_CASE("placement: for random flexible needs FCM finds a cut if there is one, and the fewest components") {
  for (std::uint32_t seed = 1; seed <= 20000; ++seed) {
    Draw draw(seed);
    const auto clusters = draw.clusters();
    const std::uint32_t total = draw.from(1, 24);
    const std::uint32_t least = draw.from(0, 1) == 0 ? 1 : draw.from(2, 5);
    const std::uint32_t most = draw.from(0, 1) == 0 ? 0 : draw.from(1, 4);
    const auto placement = flexible_cluster_minimization(flexible(total, least, most), clusters);
    const std::uint32_t fewest =
        fewest_pieces(clusters, total, std::min(least, total), most == 0 ? UINT32_MAX : most);
    CAPTURE(seed);
    REQUIRE(placement.has_value() == (fewest > 0));
    if (!placement) continue;
    std::vector<std::uint32_t> sizes;
    for (const auto& each : *placement) sizes.push_back(each.processors);
    check_sound(*placement, sizes, clusters);
    REQUIRE(sizes.size() == fewest);
    REQUIRE(std::accumulate(sizes.begin(), sizes.end(), 0U) == total);
    REQUIRE(*std::min_element(sizes.begin(), sizes.end()) >= std::min(least, total));
  }
}

TEST_CASE("placement: without bounds FCM places random flexible needs up to all usable processors") {
  for (std::uint32_t seed = 1; seed <= 5000; ++seed) {
    Draw draw(seed);
    const auto clusters = draw.clusters();
    const std::uint32_t total = draw.from(1, 30);
    std::uint32_t usable = 0;
    for (const auto& view : clusters) usable += usable_processors(view);
    CAPTURE(seed);
    REQUIRE(flexible_cluster_minimization(flexible(total), clusters).has_value() == (total <= usable));
    const auto tight = bfff(flexible(total), clusters);
    REQUIRE(tight.has_value() == (total <= usable));
    if (tight) REQUIRE(tight->size() == flexible_cluster_minimization(flexible(total), clusters)->size());
    // The other policies place the request whole, so only if one cluster holds it.
    for (const auto policy : {worst_fit, cluster_minimization, best_fit})
      REQUIRE(policy(flexible(total), clusters).has_value() == can_place(clusters, {total}));
  }
}

}  // namespace placement_test
