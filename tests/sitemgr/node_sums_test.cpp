// Sums over a site's own nodes, alone: counted in and out, by cluster and by kind of node, and what configured nodes
// that weren't offered add.
#include "sitemgr/node_sums.hpp"

#include <doctest/doctest.h>

namespace dmm::node_sums_test {
namespace {

using Counts = std::vector<std::uint32_t>;

const Attributes gpu{{"gpu", "yes"}};
const Constraints with_gpu{0, gpu};
/// The attributes of configured nodes that weren't offered yet.
const Attributes perhaps{{"connectable", "yes"}, {"stages_files", "yes"}, {"users_apart", "yes"}};

ClusterSettings cluster(const char* name, std::uint32_t nodes = 0, double quota = 1.0) {
  return {ClusterName(name), quota, nodes, 2};
}

Party party(const char* name) { return resource_manager_of(SiteName("home"), name); }

/// Cluster a with 4 configured nodes of 2 processors, and cluster b without any configuration.
struct Stage {
  NodeSums sums{SiteName("home")};

  explicit Stage(const std::vector<ClusterSettings>& clusters = {cluster("a", 4), cluster("b")}) {
    sums.configure(clusters);
  }

  /// A resource manager that offers nodes of 2 processors.
  node_stock::Manager manager(const char* name, const char* in, std::uint32_t nodes, Attributes attributes = {}) {
    node_stock::Manager made;
    made.offer = {party(name), ClusterName(in), nodes, 2, {0, std::move(attributes)}, {}};
    made.cluster = *sums.find_cluster(made.offer.cluster);
    made.kind = sums.kind_of(made.offer.properties);
    made.free = NodeMap(nodes);
    made.registered = made.up = true;
    return made;
  }
  /// A resource manager is known, with what it offers.
  void offered(const node_stock::Manager& manager, bool add = true) {
    sums.count_size(manager, add);
    sums.resize();
  }
  /// A resource manager that registered: its nodes are there, and free.
  void registered(const node_stock::Manager& manager) {
    offered(manager);
    sums.count_total(manager, true);
    sums.count_free(manager.offer.manager, manager, true);
  }
  void take(node_stock::Manager& manager, std::uint32_t nodes) {
    sums.count_free(manager.offer.manager, manager, false);
    manager.free.take(nodes);
    sums.count_free(manager.offer.manager, manager, true);
  }
};

/// Idle processors and all of them, cluster by cluster: "2/8 0/0"; "-" for one that doesn't meet the constraints.
std::string text_of(const std::vector<ClusterView>& views) {
  std::string text;
  for (const ClusterView& view : views)
    text += std::string(text.empty() ? "" : " ") +
            (view.meets_constraints
                 ? std::to_string(view.idle_processors) + '/' + std::to_string(view.total_processors)
                 : "-");
  return text;
}

}  // namespace

TEST_CASE("node sums: nodes are counted in and out, of their cluster and of their kind") {
  Stage stage;
  NodeSums& sums = stage.sums;
  node_stock::Manager plain = stage.manager("plain", "a", 3), gpus = stage.manager("gpus", "a", 1, gpu),
                      other = stage.manager("other", "b", 5);
  CHECK(plain.kind == other.kind);
  CHECK(plain.kind != gpus.kind);
  for (const node_stock::Manager* one : {&plain, &gpus, &other}) stage.registered(*one);
  CHECK(text_of(sums.views({})) == "8/8 10/10");
  CHECK(text_of(sums.views(with_gpu)) == "2/2 -");
  stage.take(plain, 2);
  CHECK(text_of(sums.views({})) == "4/8 10/10");
  CHECK(text_of(sums.views(with_gpu)) == "2/2 -");
  CHECK(sums.free_by_cluster() == Counts{4, 10});
  CHECK(sums.total() == 18);
  CHECK(sums.used() == 4);
  sums.count_free(plain.offer.manager, plain, false);  // it is down
  CHECK(text_of(sums.views({})) == "2/8 10/10");
  CHECK(sums.used() == 6);
  sums.count_total(plain, false);
  stage.offered(plain, false);
  CHECK(text_of(sums.views({})) == "2/2 10/10");
  CHECK(sums.total() == 12);
  CHECK(sums.used() == 0);
}

TEST_CASE("node sums: what is free changes the counters, and being away for a change is no news") {
  Stage stage;
  NodeSums& sums = stage.sums;
  node_stock::Manager plain = stage.manager("plain", "a", 4);
  const std::uint64_t sizes = sums.size_changes(), before = sums.changes();
  stage.registered(plain);
  CHECK(sums.size_changes() == sizes + 1);
  CHECK(sums.changes() > before);
  const std::uint64_t freed = sums.freed(), changes = sums.changes();
  stage.take(plain, 1);
  CHECK(sums.freed() == freed + 1);
  CHECK(sums.changes() > changes);
  CHECK(sums.size_changes() == sizes + 1);
  sums.set_freed(freed);
  CHECK(sums.freed() == freed);
  sums.configure({cluster("a", 4), cluster("b", 0, 0.5)});
  CHECK(sums.freed() == freed + 1);
  CHECK(sums.size_changes() == sizes + 2);
}

TEST_CASE("node sums: a quota limits what requests may fill, in whole nodes") {
  struct Row {
    double quota;
    std::uint32_t taken;  ///< nodes of 5
    std::uint32_t idle, largest;
  };
  const Row rows[] = {{1.0, 0, 10, 10}, {1.0, 2, 6, 10}, {0.7, 0, 6, 6}, {0.7, 2, 2, 6},
                      {0.7, 3, 0, 6},   {0.7, 4, 0, 6},  {0.1, 0, 0, 0}, {0.6, 0, 6, 6}};
  for (const Row& row : rows) {
    CAPTURE(row.quota);
    CAPTURE(row.taken);
    Stage stage({cluster("b", 0, row.quota)});
    node_stock::Manager manager = stage.manager("fs", "b", 5);
    stage.registered(manager);
    stage.take(manager, row.taken);
    CHECK(stage.sums.largest_idle() == row.idle);
    CHECK(stage.sums.largest_cluster() == row.largest);
  }
  const Stage many({cluster("b", 50, 0.58)});
  CHECK(many.sums.largest_cluster() == 58);  // the product is a little less
}

TEST_CASE("node sums: configured nodes that weren't offered count, with what they may find out") {
  struct Row {
    std::vector<std::pair<std::uint32_t, Attributes>> offered;  ///< in cluster a, of 4 configured nodes
    Constraints constraints;
    std::string sizes;
  };
  const Row rows[] = {
      {{}, {}, "8/8 -"},
      {{}, {0, perhaps}, "8/8 -"},
      {{}, with_gpu, "- -"},
      {{{1, {}}}, {}, "8/8 -"},
      {{{1, {}}}, {0, perhaps}, "6/6 -"},
      {{{1, gpu}}, with_gpu, "2/2 -"},
      {{{4, {}}}, {0, perhaps}, "- -"},
      {{{6, {}}}, {}, "12/12 -"},
      {{{1, gpu}, {2, {}}}, {}, "8/8 -"},
  };
  for (const Row& row : rows) {
    Stage stage;
    for (const auto& [nodes, attributes] : row.offered)
      stage.offered(stage.manager("some", "a", nodes, attributes));
    CAPTURE(row.offered.size());
    CAPTURE(row.constraints.attributes.size());
    CHECK(text_of(stage.sums.sizes(row.constraints)) == row.sizes);
    CHECK(text_of(stage.sums.views({})) == "0/0 0/0");  // none of them is there
  }
}

TEST_CASE("node sums: a node class for each kind of node, those that weren't offered included") {
  Stage stage;
  stage.offered(stage.manager("plain", "a", 1));
  stage.offered(stage.manager("gpus", "a", 1, gpu));
  stage.offered(stage.manager("more", "b", 3, gpu));
  const auto one = [](Attributes attributes, std::uint32_t largest, std::uint32_t together) {
    std::vector<ReachSite> sites{{SiteName("home"), together, false}};
    return NodeClass{0, std::move(attributes), largest, together, seconds(60), false, together, std::move(sites)};
  };
  CHECK(stage.sums.classes(seconds(60)) == std::vector{one({}, 2, 2), one(perhaps, 4, 4), one(gpu, 6, 8)});
  const std::vector<OwnedClusterView> clusters = stage.sums.clusters();
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].size == 8);
  CHECK(clusters[0].processors == 0);
  CHECK(clusters[1].size == 6);
}

TEST_CASE("node sums: under a quota the classes of a cluster with several kinds have at least what it may fill") {
  for (const double quota : {0.3, 0.5, 0.75, 0.9, 1.0})
    for (std::uint32_t plain = 0; plain <= 4; ++plain)
      for (std::uint32_t gpus = 0; gpus <= 4; ++gpus) {
        CAPTURE(quota);
        CAPTURE(plain);
        CAPTURE(gpus);
        Stage stage({cluster("a", 0, quota)});
        if (plain > 0) stage.offered(stage.manager("plain", "a", plain));
        if (gpus > 0) stage.offered(stage.manager("gpus", "a", gpus, gpu));
        std::uint64_t told = 0;
        for (const NodeClass& one : stage.sums.classes({})) told += one.together;
        CHECK(told >= stage.sums.largest_cluster());
        if (plain == 0 || gpus == 0) CHECK(told == stage.sums.largest_cluster());
      }
}

TEST_CASE("node sums: all are up when every manager is, and no configured node is missing") {
  Stage stage;
  NodeSums& sums = stage.sums;
  CHECK_FALSE(sums.all_up());
  node_stock::Manager some = stage.manager("some", "a", 3), rest = stage.manager("rest", "a", 1),
                      beyond = stage.manager("beyond", "b", 1);
  stage.registered(some);
  CHECK_FALSE(sums.all_up());
  stage.registered(rest);
  CHECK(sums.all_up());
  stage.offered(beyond);
  CHECK_FALSE(sums.all_up());
  sums.count_total(beyond, true);
  sums.count_free(beyond.offer.manager, beyond, true);
  CHECK(sums.all_up());
}

TEST_CASE("node sums: nodes are as wide as the last offer, and as configured while there is none") {
  Stage stage;
  node_stock::Manager wide = stage.manager("wide", "a", 2);
  wide.offer.processors_per_node = 4;
  CHECK(stage.sums.width(0) == 2);
  stage.offered(wide);
  CHECK(stage.sums.width(0) == 4);
  CHECK(stage.sums.width(1) == 2);
  stage.offered(wide, false);
  CHECK(stage.sums.width(0) == 2);
}

TEST_CASE("node sums: an offer has a fault beside others, and none in place of the manager's own") {
  Stage stage;
  NodeSums& sums = stage.sums;
  const node_stock::Manager own = stage.manager("own", "a", 5);
  stage.offered(own);
  const auto offer = [](const char* in, std::uint32_t nodes, std::uint32_t width = 2) {
    return NodeOffer{party("any"), ClusterName(in), nodes, width, {}, {}};
  };
  struct Row {
    NodeOffer offered;
    const char *beside, *in_place;  ///< parts of the fault; empty: none
  };
  const Row rows[] = {
      {offer("x", 1), "home has no cluster x", "home has no cluster x"},
      {offer("a", 0), "at least one node", "at least one node"},
      {offer("a", 3), "", ""},
      {offer("a", 4), "would have 9 nodes", ""},
      {offer("a", 9), "would have 14 nodes", "would have 9 nodes"},
      {offer("a", 1, 3), "have 2 processors each", ""},
      {offer("b", 1, 3), "", ""},
      {offer("b", 2'500, 4'000), "10,000,000", ""},
  };
  for (const Row& row : rows) {
    const std::string beside = sums.fault_of(row.offered, nullptr), in_place = sums.fault_of(row.offered, &own);
    CAPTURE(beside);
    CAPTURE(in_place);
    CHECK(beside.empty() == (*row.beside == 0));
    CHECK(beside.find(row.beside) != std::string::npos);
    CHECK(in_place.empty() == (*row.in_place == 0));
    CHECK(in_place.find(row.in_place) != std::string::npos);
  }
}

TEST_CASE("node sums: a manager that expects another time keeps its free nodes") {
  Stage stage;
  node_stock::Manager manager = stage.manager("fs", "a", 4);
  stage.registered(manager);
  const Instant until{5'000};
  stage.sums.expect(manager.offer.manager, manager, until);
  const node_stock::ByFree& by_free = stage.sums.kinds()[manager.kind].stocks[0].by_free;
  REQUIRE(by_free.size() == 1);
  CHECK(*by_free.begin() == std::tuple{4U, until, manager.offer.manager});
  manager.expected_until = until;
  stage.take(manager, 4);
  CHECK(stage.sums.free_by_cluster() == Counts{0, 0});
}

}  // namespace dmm::node_sums_test
