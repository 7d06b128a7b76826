// Compares managers' beliefs about leases.
#include "cli/sites/beliefs.hpp"

#include <doctest/doctest.h>

namespace fsck_test {

using namespace dmm;

namespace {

Belief belief(const BelievedNodes& nodes) { return {"alpha#1@1", "", "", nodes, {}, "", {}}; }

std::vector<std::string> compared(const BelievedNodes& of_owner, const BelievedNodes& of_manager) {
  const SiteName alpha("alpha");
  return disagreements(
      {{site_manager_of(alpha), {belief(of_owner)}}, {resource_manager_of(alpha, "nodes"), {belief(of_manager)}}});
}

}  // namespace

TEST_CASE("fsck: nodes of a lease are compared with what their resource manager has of it, whatever that names") {
  CHECK(compared({{"alpha/nodes", "0-3"}}, {{"alpha/nodes", "0-3"}}).empty());
  const auto other = compared({{"alpha/nodes", "0-3"}}, {{"alpha/nodes", "0-2"}});
  REQUIRE(other.size() == 1);
  CHECK(other.front() == "alpha#1@1: sitemgr alpha leases out alpha/nodes 0-3, but resmgr alpha/nodes has 0-2");
  const auto none = compared({{"alpha/nodes", "0-3"}}, {});
  REQUIRE(none.size() == 1);
  CHECK(none.front() == "alpha#1@1: sitemgr alpha leases out alpha/nodes 0-3, but resmgr alpha/nodes has none");
}

}  // namespace fsck_test
