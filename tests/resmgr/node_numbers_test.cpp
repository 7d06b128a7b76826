// Which node has which number, over configurations and restarts.
#include "resmgr/node_numbers.hpp"

#include <doctest/doctest.h>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace node_numbers_test {

using namespace dmm;

namespace {

using Numbered = std::vector<std::pair<std::uint32_t, std::string>>;

NodeNumbers numbers_of(const std::vector<std::string>& names) {
  NodeNumbers numbers;
  numbers.configure(0, names);
  return numbers;
}

/// A resource manager with named nodes, and its answers to leases on them.
struct NamedNodes {
  ResourceManagerSettings settings = resmgr_stage::settings_of_8_nodes();
  ResourceManager manager;
  ResourceManagerEffects effects;
  Instant now{};

  explicit NamedNodes(const std::vector<std::string>& names) : manager(settings) {
    hear_owner();
    rename(names);
  }
  void put(ResourceManager::Input input) {
    manager.receive(now, std::move(input), effects);
    manager.settle(now, effects);
    manager.check_invariants();
  }
  void hear_owner() { put(LinkUp{resmgr_stage::owner, true, {}, {}}); }
  void rename(const std::vector<std::string>& names) {
    settings.nodes = static_cast<std::uint32_t>(names.size());
    settings.node_names = names;
    CHECK(manager.reconfigure(now, settings, effects) == "");
    manager.settle(now, effects);
    manager.check_invariants();
  }
  void restart() {
    const auto rows = manager.records();
    manager = ResourceManager(settings);
    manager.restore(now, rows, {});
    manager.settle(now, effects);
    hear_owner();
  }
  /// Whether the lease can be assigned on a node.
  bool obeys(std::uint64_t lease, std::uint32_t node) {
    effects.messages.clear();
    put(Received{resmgr_stage::owner,
                 Assign{resmgr_stage::lease(lease), {{node, node}}, resmgr_stage::alice.site, true},
                 {},
                 {}});
    return std::ranges::none_of(effects.messages, [](const Outgoing& outgoing) {
      return std::holds_alternative<LeaseEnded>(outgoing.message);
    });
  }
};

}  // namespace

TEST_CASE("node numbers: nodes without names are called by their numbers") {
  NodeNumbers numbers;
  numbers.configure(3, {});
  CHECK_FALSE(numbers.is_named());
  CHECK(numbers.size() == 3);
  CHECK(numbers.present() == NodeSet{{0, 2}});
  CHECK(numbers.absent().empty());
  CHECK(numbers.name_of(2) == "2");
  numbers.configure(1, {});
  CHECK(numbers.all() == Numbered{{0, "0"}});
  numbers.configure(0, {});
  CHECK(numbers.size() == 0);
  CHECK(numbers.present().empty());
  CHECK(numbers.absent().empty());
}

TEST_CASE("node numbers: named nodes are numbered in the order in which they are first named") {
  const NodeNumbers numbers = numbers_of({"b", "a", "c"});
  CHECK(numbers.is_named());
  CHECK(numbers.all() == Numbered{{0, "b"}, {1, "a"}, {2, "c"}});
  CHECK(numbers.present() == NodeSet{{0, 2}});
  CHECK(numbers.name_of(7) == "");
}

TEST_CASE("node numbers: names keep their numbers in any order of the list, and when others come [S124a]") {
  NodeNumbers numbers = numbers_of({"a", "b", "c"});
  numbers.configure(0, {"c", "d", "b", "a"});
  CHECK(numbers.all() == Numbered{{0, "a"}, {1, "b"}, {2, "c"}, {3, "d"}});
}

TEST_CASE("node numbers: a node that isn't listed is absent, and gets its number back next time [S124a]") {
  NodeNumbers numbers = numbers_of({"a", "b", "c"});
  numbers.configure(0, {"c", "a"});
  CHECK(numbers.size() == 3);
  CHECK(numbers.present() == NodeSet{{0, 0}, {2, 2}});
  CHECK(numbers.absent() == NodeSet{{1, 1}});
  CHECK(numbers.name_of(1) == "b");
  SUBCASE("alone") { numbers.configure(0, {"a", "b", "c"}); }
  SUBCASE("beside a new one, which gets another number") {
    numbers.configure(0, {"d", "c", "b", "a"});
    CHECK(numbers.name_of(3) == "d");
  }
  CHECK(numbers.name_of(1) == "b");
  CHECK(numbers.absent().empty());
}

TEST_CASE("node numbers: a number is free once its node wasn't listed the last time either [S124a]") {
  NodeNumbers numbers = numbers_of({"a", "b", "c"});
  numbers.configure(0, {"a", "c", "d"});
  CHECK(numbers.name_of(1) == "b");
  CHECK(numbers.name_of(3) == "d");
  numbers.configure(0, {"a", "c", "d", "e"});
  CHECK(numbers.all() == Numbered{{0, "a"}, {1, "e"}, {2, "c"}, {3, "d"}});
  numbers.configure(0, {"a", "b", "c", "d", "e"});
  CHECK(numbers.name_of(4) == "b");
}

TEST_CASE("node numbers: the greatest numbers are forgotten when their nodes have been gone for long") {
  NodeNumbers numbers = numbers_of({"a", "b", "c"});
  numbers.configure(0, {"a"});
  CHECK(numbers.size() == 3);
  CHECK(numbers.absent() == NodeSet{{1, 2}});
  numbers.configure(0, {"a"});
  CHECK(numbers.size() == 1);
  CHECK(numbers.absent().empty());
}

TEST_CASE("node numbers: numbers that an earlier start gave are kept over a restart [S124a]") {
  NodeNumbers before = numbers_of({"a", "b", "c"});
  before.configure(0, {"c"});
  NodeNumbers numbers;
  for (auto& [number, name] : before.all()) numbers.restore(number, name);
  SUBCASE("the same nodes") {
    numbers.configure(0, {"c"});
    CHECK(numbers.present() == NodeSet{{2, 2}});
    CHECK(numbers.absent() == NodeSet{{0, 1}});
  }
  SUBCASE("others too") {
    numbers.configure(0, {"d", "b", "c"});
    CHECK(numbers.all() == Numbered{{0, "a"}, {1, "b"}, {2, "c"}, {3, "d"}});
  }
}

TEST_CASE("node numbers: a restored number beyond what a resource manager may have is not believed") {
  NodeNumbers numbers;
  numbers.restore(nodes_per_manager_max, "far");
  numbers.restore(1, "b");
  numbers.configure(0, {"b", "a"});
  CHECK(numbers.all() == Numbered{{0, "a"}, {1, "b"}});
}

// The highest epoch that a node has seen is kept by the resource manager under the node's name.
TEST_CASE("node numbers: a node that comes back obeys no older lease, whatever its number [S124a] [S126]") {
  NamedNodes nodes({"a", "b", "c"});
  REQUIRE(nodes.obeys(5, 1));
  nodes.rename({"a", "c"});
  std::uint32_t number = 1;
  SUBCASE("at once, with its number") { nodes.rename({"a", "b", "c"}); }
  SUBCASE("when another got its number meanwhile") {
    nodes.rename({"a", "c"});
    nodes.rename({"a", "c", "d"});
    CHECK(nodes.obeys(4, 1));  // d has seen nothing
    nodes.rename({"a", "b", "c", "d"});
    number = 3;
  }
  SUBCASE("after a restart") {
    nodes.restart();
    nodes.rename({"a", "b", "c"});
  }
  CHECK_FALSE(nodes.obeys(4, number));
  CHECK_FALSE(nodes.obeys(5, number));
  CHECK(nodes.obeys(6, number));
}

TEST_CASE("node numbers: a node with a reused number obeys by what it has seen itself alone [S126]") {
  NamedNodes nodes({"a", "b"});
  REQUIRE(nodes.obeys(5, 1));
  nodes.rename({"a"});
  nodes.rename({"a"});
  nodes.rename({"a", "x"});
  CHECK(nodes.obeys(4, 1));
}

}  // namespace node_numbers_test
