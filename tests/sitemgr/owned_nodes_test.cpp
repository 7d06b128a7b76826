// The nodes that a site owns, alone: which offers are accepted, their totals, and nodes taken and put back.
#include "sitemgr/owned_nodes.hpp"

#include <doctest/doctest.h>

namespace dmm::owned_nodes_test {
namespace {

const Party fs0 = resource_manager_of(SiteName("home"), "fs0"), fs1 = resource_manager_of(SiteName("home"), "fs1"),
            gpus = resource_manager_of(SiteName("home"), "gpus");
const Constraints gpu{0, {{"gpu", "yes"}}};
/// The attributes of configured nodes that weren't offered yet.
const Attributes perhaps{{"connectable", "yes"}, {"stages_files", "yes"}, {"users_apart", "yes"}};

ClusterSettings cluster(const char* name, std::uint32_t nodes = 0, double quota = 1.0) {
  return {ClusterName(name), quota, nodes, 2};
}

/// Cluster a with 4 configured nodes of 2 processors, and cluster b without any configuration.
/// Nodes of one cluster, as the site tells of them.
NodeClass sized(Attributes attributes, std::uint32_t processors, Duration longest = {}) {
  std::vector<ReachSite> sites{{SiteName("home"), processors, false}};
  return {0, std::move(attributes), processors, processors, longest, false, processors, std::move(sites)};
}

OwnedNodes site(double quota = 1.0) { return {SiteName("home"), {cluster("a", 4, quota), cluster("b")}}; }

NodeOffer offer(const Party& manager, const char* in, std::uint32_t nodes, std::uint32_t width = 2,
                NodeSet absent = {}, Attributes attributes = {}) {
  return {manager, ClusterName(in), nodes, width, {0, std::move(attributes)}, std::move(absent)};
}

std::string text_of(const std::vector<NodeGroup>& groups) {
  std::string text;
  for (const NodeGroup& group : groups)
    text += std::string(text.empty() ? "" : " ") + group.resource_manager.name + ":" + to_text(group.nodes);
  return text;
}

}  // namespace

TEST_CASE("owned nodes: an offer is refused for what the site or a resource manager can't have") {
  struct Row {
    NodeOffer offered;
    std::string fault;  ///< a part of the text; empty: none
  };
  const Row rows[] = {
      {offer(fs1, "x", 1), "no cluster x"},
      {offer(fs1, "b", 0), "at least one node"},
      {offer(fs1, "b", 2, 2, {{0, 1}}), "at least one node"},
      {offer(fs1, "b", 1, 0), "at least one processor"},
      {offer(fs1, "b", nodes_per_manager_max, 1), ""},
      {offer(fs1, "b", nodes_per_manager_max + 1, 1), "at most 100000 nodes"},
      {offer(fs1, "b", 1, processors_per_node_max), ""},
      {offer(fs1, "b", 1, processors_per_node_max + 1), "at most 4096 processors"},
      {offer(fs1, "b", 1, 2, {}, {{std::string(attribute_bytes_max + 1, 'x'), ""}}), "attribute"},
      {offer(fs1, "a", 1, 3), "have 2 processors each"},
      {offer(fs0, "a", 1, 3), ""},  // no other manager has nodes in the cluster
      {offer(fs1, "a", 4), ""},
      {offer(fs1, "a", 5), "9 nodes, more than twice the 4"},
      {offer(fs0, "a", 8), ""},  // replaces its earlier offer
      {offer(fs0, "a", 9), "9 nodes, more than twice the 4"},
      {offer(fs0, "b", nodes_per_manager_max, 100), ""},
      {offer(fs1, "b", nodes_per_manager_max, 100), "at most 10,000,000 processors"},
  };
  OwnedNodes owned = site();
  owned.take_offer(offer(fs0, "a", 4), "");
  for (const Row& row : rows) {
    const std::string fault = owned.fault_of(row.offered);
    INFO(row.offered.manager.name, " offers ", row.offered.nodes, " in ", row.offered.cluster.text, ": ", fault);
    CHECK(fault.empty() == row.fault.empty());
    CHECK(fault.find(row.fault) != std::string::npos);
  }
}

TEST_CASE("owned nodes: an offer removes the nodes that it has no longer, or has of another size or elsewhere") {
  struct Row {
    NodeOffer offered;
    NodeSet removed;
    std::uint64_t total, used;
  };
  const Row rows[] = {
      {offer(fs0, "a", 4), {}, 8, 2},           {offer(fs0, "a", 6), {}, 12, 2},
      {offer(fs0, "a", 3), {{3, 3}}, 6, 2},     {offer(fs0, "a", 4, 2, {{0, 1}}), {{0, 1}}, 4, 0},
      {offer(fs0, "a", 4, 3), {{0, 3}}, 12, 0}, {offer(fs0, "b", 2), {{0, 3}}, 4, 0},
      {offer(fs1, "a", 2), {}, 12, 2},
  };
  for (const Row& row : rows) {
    OwnedNodes owned = site();
    owned.take_offer(offer(fs0, "a", 4), "");
    std::vector<NodeGroup> taken;
    owned.take(0, 1, {}, 0, taken);  // node 0
    CAPTURE(to_text(row.removed));
    REQUIRE(owned.removed_by(row.offered) == row.removed);
    CHECK(owned.withhold(row.offered.manager, row.removed) == subtract(row.removed, {{0, 0}}));
    owned.take_offer(row.offered, "");
    CHECK(owned.total() == row.total);
    CHECK(owned.used() == row.used);
    CHECK(owned.within(row.offered.manager, {{0, 9}}) == nodes_of(row.offered));
  }
}

TEST_CASE("owned nodes: nodes are taken whole, of few managers, and those with fewest attributes first") {
  struct Row {
    std::uint32_t processors;
    Constraints constraints;
    std::string taken;
  };
  const Row rows[] = {
      {1, {}, "fs0:0"},          {5, {}, "fs0:0-2"}, {9, {}, "fs1:0-4"},
      {13, {}, "fs1:0-5 fs0:0"}, {2, gpu, "gpus:0"}, {28, {}, "fs1:0-5 gpus:0-4 fs0:0-2"},
  };
  for (const Row& row : rows) {
    OwnedNodes owned(SiteName("home"), {cluster("a")});
    owned.take_offer(offer(fs0, "a", 3), "tcp://x:1");
    owned.take_offer(offer(fs1, "a", 6), "");
    owned.take_offer(offer(gpus, "a", 5, 2, {}, gpu.attributes), "");
    const std::uint64_t freed = owned.freed(), total = owned.total();
    std::vector<NodeGroup> taken;
    owned.take(0, row.processors, row.constraints, 7, taken);
    CHECK(text_of(taken) == row.taken);
    CHECK(taken[0].component == 7);
    CHECK(owned.used() == processors_of(taken));
    CHECK(owned.freed() == freed);
    for (const NodeGroup& group : taken) {
      NodeGroup same = owned.group_of(group.resource_manager, group.nodes);
      same.component = 7;
      CHECK(same == group);
      owned.put(group.resource_manager, group.nodes);
    }
    CHECK(owned.used() == 0);
    CHECK(owned.freed() > freed);
    CHECK(owned.free_by_cluster() == std::vector{static_cast<std::uint32_t>(total)});
  }
}

TEST_CASE("owned nodes: nodes are taken that are expected to be spared for the time, and no longer than needed") {
  struct Row {
    std::int64_t until, at_fs0, at_fs1, at_gpus;  // seconds; 0: not known
    std::string taken;
  };
  const Row rows[] = {
      {20, 0, 0, 0, "fs0:0"},   {20, 10, 30, 50, "fs1:0"}, {20, 50, 30, 10, "fs1:0"},
      {20, 50, 0, 10, "fs0:0"}, {20, 10, 0, 12, "fs1:0"},  {20, 10, 15, 12, "fs1:0"},
      {0, 10, 15, 12, "fs1:0"}, {0, 10, 15, 0, "gpus:0"},  {30, 10, 30, 30, "fs1:0"},
  };
  const auto at = [](std::int64_t count) { return count == 0 ? never : Instant{seconds(count).microseconds}; };
  for (const Row& row : rows) {
    OwnedNodes owned(SiteName("home"), {cluster("a")});
    CHECK_FALSE(owned.expect(fs0, at(1)));
    for (const Party& manager : {fs0, fs1, gpus}) owned.take_offer(offer(manager, "a", 1), "");
    owned.set_up(fs1, false);
    CHECK(owned.expect(fs0, at(row.at_fs0)));
    CHECK(owned.expect(fs1, at(row.at_fs1)));  // also while it is down
    CHECK(owned.expect(gpus, at(row.at_gpus)));
    owned.set_up(fs1, true);
    std::vector<NodeGroup> taken;
    owned.take(0, 1, {}, 0, taken, at(row.until));
    CHECK(text_of(taken) == row.taken);
    CHECK(owned.expected_until(taken) == at(row.taken[0] == 'g'   ? row.at_gpus
                                            : row.taken[2] == '0' ? row.at_fs0
                                                                  : row.at_fs1));
    owned.put(taken[0].resource_manager, taken[0].nodes);
    taken.clear();
    owned.take(0, 3 * 2, {}, 0, taken, at(row.until));
    CHECK(processors_of(taken) == 3 * 2);
  }
}

TEST_CASE("owned nodes: a quota is filled in whole nodes") {
  struct Row {
    double quota;
    std::uint32_t taken, idle, cluster;
  };
  const Row rows[] = {{1.0, 0, 8, 8}, {1.0, 6, 2, 8}, {1.0, 8, 0, 8}, {0.5, 0, 4, 4},
                      {0.5, 2, 2, 4}, {0.5, 4, 0, 4}, {0.7, 0, 4, 4}, {0.2, 0, 0, 0}};
  for (const Row& row : rows) {
    OwnedNodes owned = site(row.quota);
    CHECK(owned.largest_idle() == 0);
    owned.take_offer(offer(fs0, "a", 4), "");
    std::vector<NodeGroup> taken;
    owned.take(0, row.taken, {}, 0, taken);
    CAPTURE(row.quota);
    CHECK(owned.largest_idle() == row.idle);
    CHECK(owned.largest_cluster() == row.cluster);
  }
}

TEST_CASE("owned nodes: nodes of a manager that is down and nodes set aside are there, but not free") {
  OwnedNodes owned = site();
  owned.take_offer(offer(fs0, "a", 4), "");
  CHECK(owned.all_up());
  const auto idle = [&] { return owned.views({}).at(0).idle_processors; };
  const auto standing = [&] { return owned.standing({}).at(0).idle_processors; };
  std::vector<NodeGroup> taken;
  owned.take(0, 2, {}, 0, taken);  // node 0
  owned.set_aside(fs0, {{0, 1}, {9, 9}}, "lost jobs");
  CHECK(idle() == 4);
  CHECK(standing() == 4);
  CHECK(owned.managers().at(0).why_aside == "lost jobs");
  CHECK(owned.managers().at(0).aside == NodeSet{{0, 1}});
  owned.put(fs0, {{0, 0}, {9, 9}});
  CHECK(idle() == 4);
  CHECK(owned.managers().at(0).aside_free == 2);
  CHECK(owned.withhold(fs0, {{1, 2}}) == NodeSet{{1, 2}});
  owned.bring_back(fs0, {{0, 1}});
  CHECK(owned.managers().at(0).why_aside == "");
  CHECK(idle() == 4);  // nodes 0 and 3
  CHECK(standing() == 8);
  std::uint64_t freed = owned.freed();
  owned.set_up(fs0, false);
  owned.put(fs0, {{1, 2}});
  CHECK(idle() == 0);
  CHECK(standing() == 0);
  CHECK(owned.used() == 8);
  CHECK_FALSE(owned.all_up());
  CHECK(owned.freed() == freed);
  owned.set_up(fs0, true);
  CHECK(idle() == 8);
  CHECK(owned.freed() == ++freed);
  owned.set_up(fs0, true);
  CHECK(owned.freed() == freed);
}

TEST_CASE("owned nodes: of a manager that is not there nothing is taken, put or known") {
  for (const bool before : {false, true}) {
    OwnedNodes owned = site();
    if (before) owned.remember(offer(fs0, "b", 3));  // before a restart
    owned.remember(offer(fs1, "gone", 3));
    const std::uint64_t changes = owned.changes();
    owned.put(fs0, {{0, 0}});
    owned.set_aside(fs0, {{0, 0}}, "x");
    owned.bring_back(fs0, {{0, 0}});
    owned.set_up(fs0, true);
    CHECK(owned.changes() == changes);
    CHECK(owned.withhold(fs0, {{0, 0}}).empty());
    CHECK(owned.within(fs0, {{0, 9}}) == NodeSet{{0, 9}});
    CHECK_FALSE(owned.knows(fs0));
    CHECK((owned.find_offer(fs0) != nullptr) == before);
    CHECK(owned.offers().size() == (before ? 1 : 0));
    CHECK(owned.managers().size() == owned.offers().size());
    CHECK(owned.total() == 0);
    CHECK(owned.sizes({}).at(1).total_processors == (before ? 6 : 0));
    CHECK(owned.unknown_clusters().size() == (before ? 0 : 1));
    CHECK(owned.all_known() == before);
    owned.forget(fs0);
    CHECK(owned.sizes({}).at(1).total_processors == 0);
  }
}

TEST_CASE("owned nodes: what can be is what is configured or offered, and counts while it is not there") {
  OwnedNodes owned = site();
  CHECK(owned.largest_cluster() == 8);
  CHECK_FALSE(owned.all_up());
  const std::uint64_t sizes = owned.size_changes();
  owned.take_offer(offer(gpus, "b", 5, 4, {}, gpu.attributes), "tcp://x:2");
  owned.take_offer(offer(fs0, "a", 2), "");
  CHECK(owned.size_changes() == sizes + 2);
  owned.take_offer(offer(fs0, "a", 2), "");
  CHECK(owned.size_changes() == sizes + 2);
  owned.set_up(gpus, false);
  CHECK(owned.sizes({}).at(0).total_processors == 8);
  CHECK(owned.sizes(gpu).at(0).total_processors == 0);
  CHECK_FALSE(owned.sizes(gpu).at(0).meets_constraints);
  CHECK(owned.sizes(gpu).at(1).idle_processors == 20);
  CHECK(owned.views(gpu).at(1).idle_processors == 0);
  CHECK(owned.views(gpu).at(1).total_processors == 20);
  CHECK(owned.classes(seconds(9)) == std::vector{sized({}, 4, seconds(9)), sized(perhaps, 4, seconds(9)),
                                                 sized(gpu.attributes, 20, seconds(9))});
  CHECK(owned.largest_cluster() == 20);
  CHECK(owned.withhold(gpus, {{0, 4}}) == NodeSet{{0, 4}});
  owned.forget(gpus);
  CHECK_FALSE(owned.knows(gpus));
  CHECK(owned.total() == 4);
  CHECK(owned.classes({}).size() == 2);
}

TEST_CASE("owned nodes: nodes that have more than is configured don't count twice") {
  OwnedNodes owned = site();
  owned.take_offer(offer(gpus, "a", 3, 2, {}, gpu.attributes), "");
  CHECK(owned.classes({}) == std::vector{sized(perhaps, 2), sized(gpu.attributes, 6)});
  owned.take_offer(offer(gpus, "a", 4, 2, {}, gpu.attributes), "");
  CHECK(owned.classes({}) == std::vector{sized(gpu.attributes, 8)});
}

TEST_CASE("owned nodes: clusters are configured again and added while nodes are in use") {
  OwnedNodes owned = site();
  owned.take_offer(offer(fs0, "a", 4), "");
  std::vector<NodeGroup> taken;
  owned.take(0, 2, {}, 0, taken);
  CHECK_FALSE(owned.find_cluster(ClusterName("c")));
  const std::uint64_t freed = owned.freed();
  owned.configure({cluster("a", 4, 0.5), cluster("b"), cluster("c", 9)});
  CHECK(owned.freed() > freed);
  CHECK(owned.find_cluster(ClusterName("c")) == 2);
  CHECK(owned.settings().size() == 3);
  CHECK(owned.largest_idle() == 2);
  const std::vector<OwnedClusterView> views = owned.clusters();
  REQUIRE(views.size() == 3);
  CHECK(views[0].free == 6);
  CHECK(views[0].processors == 8);
  CHECK(views[0].quota == 0.5);
  CHECK(views[2].processors == 0);
  CHECK(views[2].size == 18);
}

TEST_CASE("owned nodes: nodes not offered yet may have what resource managers find out by themselves") {
  const Constraints staging{0, {{"stages_files", "yes"}}};
  const auto of_a = [&](const OwnedNodes& owned, const Constraints& constraints) {
    return owned.sizes(constraints)[0].total_processors;
  };
  OwnedNodes owned = site();
  CHECK(of_a(owned, {}) == 8);
  CHECK(of_a(owned, staging) == 8);
  CHECK(of_a(owned, gpu) == 0);
  REQUIRE(owned.classes({}).size() == 1);
  CHECK(owned.classes({})[0].largest == 8);
  CHECK(owned.classes({})[0].attributes.contains("stages_files"));
  owned.take_offer(offer(fs0, "a", 3), "");
  CHECK(of_a(owned, {}) == 8);
  CHECK(of_a(owned, staging) == 2);
  owned.take_offer(offer(fs1, "a", 1, 2, {}, {{"stages_files", "yes"}}), "");
  CHECK(of_a(owned, {}) == 8);
  CHECK(of_a(owned, staging) == 2);
  owned.take_offer(offer(fs1, "a", 1), "");
  CHECK(of_a(owned, staging) == 0);
  CHECK(owned.classes({}).size() == 1);
}

}  // namespace dmm::owned_nodes_test
