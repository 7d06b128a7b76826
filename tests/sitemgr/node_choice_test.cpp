// Which resource manager's nodes are taken first, alone: by their number, their attributes, and how long they are
// expected to be spared.
#include "sitemgr/node_choice.hpp"

#include <doctest/doctest.h>

namespace dmm::node_choice_test {
namespace {

constexpr Instant soon{1'000}, later{2'000}, latest{3'000};
const Constraints gpu{0, {{"gpu", "yes"}}};

/// A resource manager with free nodes that are expected to be spared until then.
struct Free {
  const char* name;
  std::uint32_t nodes;
  Instant until = never;
};

/// Nodes of one kind, all in cluster 0 of two.
node_stock::Kind kind_of(std::vector<Free> managers, Attributes attributes = {}) {
  node_stock::Kind kind{{0, std::move(attributes)}, std::vector<node_stock::Stock>(2)};
  for (const Free& one : managers)
    kind.stocks[0].by_free.emplace(one.nodes, one.until, resource_manager_of(SiteName("home"), one.name));
  return kind;
}

/// The name of the manager that gives nodes next; "-" for none.
std::string chosen(const std::vector<node_stock::Kind>& kinds, std::uint32_t nodes,
                   const Constraints& constraints = {}, Instant until = soon, std::size_t cluster = 0) {
  const Party* const found = manager_to_take(kinds, cluster, nodes, constraints, until);
  return found ? std::string(std::string_view(found->name)) : "-";
}

}  // namespace

TEST_CASE("node choice: the manager with as few free nodes as will do, else the one with the most") {
  const std::vector<node_stock::Kind> kinds{kind_of({{"three", 3}, {"five", 5}, {"nine", 9}})};
  const std::pair<std::uint32_t, const char*> rows[] = {{1, "three"}, {3, "three"}, {4, "five"},
                                                        {6, "nine"},  {9, "nine"},  {10, "nine"}};
  for (const auto& [nodes, name] : rows) {
    CAPTURE(nodes);
    CHECK(chosen(kinds, nodes) == name);
  }
}

TEST_CASE("node choice: nodes that meet the constraints, and those with the fewest attributes first") {
  const Attributes more{{"gpu", "yes"}, {"fast", "yes"}};
  const std::vector<node_stock::Kind> kinds{kind_of({{"both", 2}}, more), kind_of({{"gpus", 4}}, gpu.attributes),
                                            kind_of({{"plain", 6}, {"full", 0}})};
  struct Row {
    std::uint32_t nodes;
    Constraints constraints;
    const char* name;
  };
  const Row rows[] = {
      {2, {}, "plain"},  {7, {}, "plain"},  // none has seven
      {2, gpu, "gpus"},  {5, gpu, "gpus"}, {2, {0, more}, "both"}, {2, {0, {{"gpu", "no"}}}, "-"},
      {2, {1, {}}, "-"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.nodes);
    CAPTURE(row.constraints.attributes.size());
    CHECK(chosen(kinds, row.nodes, row.constraints) == row.name);
  }
}

TEST_CASE("node choice: of managers without a free node none is chosen, nor of another cluster") {
  CHECK(chosen({}, 1) == "-");
  CHECK(chosen({kind_of({{"full", 0}})}, 1) == "-");
  CHECK(chosen({kind_of({{"three", 3}})}, 1, {}, soon, 1) == "-");
}

TEST_CASE(
    "node choice: nodes that are spared for long enough come first, and of these the ones wanted back first") {
  struct Row {
    const char* what;
    std::vector<Free> managers;
    Instant until;
    const char* name;
  };
  const Row rows[] = {
      {"the least time beyond", {{"a", 2, soon}, {"b", 2, later}, {"c", 2, latest}}, later, "b"},
      {"long enough, though there are more", {{"a", 2, soon}, {"b", 4, latest}}, later, "b"},
      {"few enough, though spared for longer", {{"a", 2, later}, {"b", 4, latest}}, later, "a"},
      {"none: the longest", {{"a", 2, soon}, {"b", 3, later}, {"c", 4, soon}}, latest, "b"},
      {"none has enough: the most", {{"a", 1, latest}, {"b", 1, soon}}, later, "a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(chosen({kind_of(row.managers)}, 2, {}, row.until) == row.name);
  }
}

TEST_CASE("node choice: the search for nodes that are spared is bounded") {
  for (const std::uint32_t short_lived : {15U, 16U}) {
    std::vector<Free> managers;
    for (std::uint32_t nodes = 1; nodes <= short_lived; ++nodes) managers.push_back({"brief", nodes, soon});
    managers.push_back({"spared", 100, latest});
    CAPTURE(short_lived);
    CHECK(chosen({kind_of(managers)}, 1, {}, later) == (short_lived == 15 ? "spared" : "brief"));
  }
}

}  // namespace dmm::node_choice_test
