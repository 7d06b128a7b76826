// What resource managers register: in pages, and checked as a whole [S129].
#include "sitemgr/providers.hpp"

#include <doctest/doctest.h>

#include "protocol/inventory.hpp"
#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::providers_test {
namespace {

const Party provider = resource_manager_of(SiteName("home"), "fs0");

Register offer_of_nodes(std::uint32_t nodes) {
  Register offer;
  offer.cluster = ClusterName("c");
  offer.nodes = nodes;
  offer.last = true;
  return offer;
}
void add_lease(Register& offer, std::uint64_t counter, NodeSet nodes) {
  offer.leases.push_back({SiteName("home"), {1, counter}});
  offer.leased.push_back(std::move(nodes));
}

TEST_CASE("providers: a whole Register is taken, a malformed one refused with the reason") {
  struct Row {
    const char* name;
    Register offer;
    bool is_taken;
  };
  std::vector<Row> rows;
  rows.push_back({"no lease", offer_of_nodes(4), true});
  rows.push_back({"two leases", offer_of_nodes(4), true});
  add_lease(rows.back().offer, 1, {{0, 1}});
  add_lease(rows.back().offer, 2, {{2, 2}});
  rows.push_back({"a node under two leases", offer_of_nodes(4), false});
  add_lease(rows.back().offer, 1, {{0, 1}});
  add_lease(rows.back().offer, 2, {{1, 2}});
  rows.push_back({"a lease without nodes", offer_of_nodes(4), false});
  add_lease(rows.back().offer, 1, {});
  rows.push_back({"a node beyond the last", offer_of_nodes(4), false});
  add_lease(rows.back().offer, 1, {{3, 4}});
  rows.push_back({"dirty nodes that are leased", offer_of_nodes(4), false});
  add_lease(rows.back().offer, 1, {{0, 0}});
  rows.back().offer.dirty = {{0, 1}};
  rows.push_back({"more leases than nodes", offer_of_nodes(1), false});
  add_lease(rows.back().offer, 1, {{0, 0}});
  add_lease(rows.back().offer, 2, {{0, 0}});
  for (Row& row : rows) {
    CAPTURE(row.name);
    Providers part;
    const Providers::Heard heard = part.hear(provider, row.offer);
    CHECK(std::holds_alternative<Register>(heard) == row.is_taken);
    if (!row.is_taken) CHECK_FALSE(std::get<std::string>(heard).empty());
  }
}

TEST_CASE("providers: parts are put together, and start over with a session") {
  Providers part;
  Register first = offer_of_nodes(4), last = offer_of_nodes(4);
  first.last = false;
  add_lease(first, 1, {{0, 0}});
  add_lease(last, 2, {{1, 1}});
  SUBCASE("of one session") {
    CHECK(std::holds_alternative<std::monostate>(part.hear(provider, first)));
    const Providers::Heard heard = part.hear(provider, last);
    REQUIRE(std::holds_alternative<Register>(heard));
    CHECK(std::get<Register>(heard).leases.size() == 2);
  }
  SUBCASE("of two sessions") {
    CHECK(std::holds_alternative<std::monostate>(part.hear(provider, first)));
    part.restarted(provider);
    const Providers::Heard heard = part.hear(provider, last);
    REQUIRE(std::holds_alternative<Register>(heard));
    CHECK(std::get<Register>(heard).leases.size() == 1);
  }
}

TEST_CASE("providers: a Register that names a lease of the future is refused") {
  PartsStage stage;
  Register offer = offer_of_nodes(4);
  add_lease(offer, 5, {{0, 0}});
  const auto fault = [&](Epoch latest) {
    return Providers::fault_of(offer, offer_of(provider, offer), stage.parts.owned, SiteName("home"), latest);
  };
  CHECK(fault({1, 5}).empty());
  CHECK(fault({2, 0}).empty());
  CHECK_FALSE(fault({1, 4}).empty());
  offer.leases[0].owner = SiteName("north");
  CHECK_FALSE(fault({1, 5}).empty());
}

TEST_CASE("providers: a silent resource manager is lost in time, unless it is heard") {
  Providers part;
  part.silent(provider, parts_start + seconds(30));
  CHECK(part.next_deadline() == parts_start + seconds(30));
  CHECK_FALSE(part.take_lost(parts_start + seconds(29)));
  SUBCASE("lost") {
    CHECK(part.take_lost(parts_start + seconds(30)) == provider);
    CHECK_FALSE(part.take_lost(parts_start + seconds(30)));
  }
  SUBCASE("heard") { part.heard(provider); }
  CHECK(part.next_deadline() == never);
}

}  // namespace
}  // namespace dmm::providers_test
