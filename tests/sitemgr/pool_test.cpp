// Nodes of a lease that its user's next job gets.
#include "sitemgr/pool.hpp"

#include <doctest/doctest.h>

namespace dmm::pool_test {

TEST_CASE("pool: nodes of one resource manager are one group for the next job, whatever components had them") {
  const auto group = [](const char* manager, std::uint32_t component, NodeSet nodes) {
    NodeGroup made;
    made.resource_manager = resource_manager_of(SiteName("beta"), manager);
    made.cluster = ClusterName("c");
    made.processors_per_node = 4;
    made.component = component;
    made.nodes = std::move(nodes);
    return made;
  };
  std::vector<NodeGroup> idle{group("one", 0, {{0, 0}}), group("other", 1, {{0, 0}}), group("one", 2, {{3, 5}})};
  const std::vector<NodeGroup> taken = site_steps::take_in_cluster(idle, ClusterName("c"), 11);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].resource_manager.name == "one");
  CHECK(taken[0].nodes == NodeSet{{0, 0}, {3, 3}});
  CHECK(taken[0].component == 0);
  CHECK(taken[1].nodes == NodeSet{{0, 0}});
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].nodes == NodeSet{{4, 5}});
}

}  // namespace dmm::pool_test
