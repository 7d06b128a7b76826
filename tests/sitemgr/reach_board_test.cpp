// What is beyond each neighbour by configuration, as the neighbours told it and as it is told on.
#include "sitemgr/reach_board.hpp"

#include <doctest/doctest.h>

namespace reach_board_test {

using namespace dmm;

namespace {

constexpr std::size_t north = 0, south = 1;

NodeClass nodes(std::uint32_t largest, const Attributes& attributes = {}, Duration longest = {}) {
  return {0, attributes, largest, largest, longest};
}

ReachEntry entry(std::vector<NodeClass> classes, bool complete = true) { return {complete, std::move(classes)}; }

ResourceNeed need_of(std::vector<std::uint32_t> components, Attributes attributes = {}) {
  ResourceNeed need;
  for (const std::uint32_t processors : components) need.components.push_back({processors, {}, {}});
  need.constraints.edit().attributes = std::move(attributes);
  return need;
}

}  // namespace

TEST_CASE("reach board: a neighbour is told of us, and of what all others told, one hop further [S74a]") {
  ReachBoard board(2);
  board.hear(north, {{entry({nodes(64)}), entry({nodes(128)})}});
  board.hear(south, {{entry({nodes(8)}), entry({nodes(16)}, false)}});
  const Reach to_north = board.sums(3).without(north, entry({nodes(4)}));
  const Reach to_south = board.sums(3).without(south, entry({nodes(4)}));
  CHECK(to_north.entries ==
        std::vector<ReachEntry>{entry({nodes(4)}), entry({nodes(8)}), entry({nodes(16)}, false)});
  CHECK(to_south.entries == std::vector<ReachEntry>{entry({nodes(4)}), entry({nodes(64)}), entry({nodes(128)})});
}

TEST_CASE("reach board: a distance that another neighbour hasn't told of is incomplete [S74a]") {
  ReachBoard board(2);
  board.hear(south, {{entry({nodes(8)})}});
  const Reach to_north = board.sums(3).without(north, entry({nodes(4)}));
  REQUIRE(to_north.entries.size() == 3);
  CHECK(to_north.entries[1].complete);
  CHECK(to_north.entries[2] == entry({}, false));
  const Reach to_south = board.sums(3).without(south, entry({nodes(4)}));
  CHECK_FALSE(to_south.entries[1].complete);
}

TEST_CASE("reach board: a removed neighbour leads nowhere, and all beyond it is unknown once it is back") {
  ReachBoard board(2);
  board.hear(south, {{entry({nodes(8)}), entry({nodes(16)})}});
  board.set_gone(south, true);
  CHECK(board.sums(3).without(north, entry({nodes(4)})).entries ==
        std::vector<ReachEntry>{entry({nodes(4)}), entry({}), entry({})});
  board.set_gone(south, false);
  CHECK_FALSE(board.sums(2).without(north, entry({nodes(4)})).entries[1].complete);
}

TEST_CASE("reach board: a site with one neighbour tells it of its own nodes alone, and that this is all") {
  ReachBoard board(1);
  board.hear(north, {{entry({nodes(64)})}});
  const Reach to_north = board.sums(2).without(north, entry({nodes(4)}));
  CHECK(to_north.entries == std::vector<ReachEntry>{entry({nodes(4)}), entry({})});
}

TEST_CASE("reach board: nodes of one kind at several sites are told as the most that one site has") {
  ReachBoard board(3);
  board.hear(1, {{entry({{0, {}, 8, 32, seconds(60)}})}});
  board.hear(2, {{entry({{0, {}, 16, 16, seconds(90)}, {1024, {}, 2, 2, {}}})}});
  const Reach told = board.sums(2).without(0, {});
  const NodeClass both{0, {}, 16, 32, seconds(90)}, large_memory{1024, {}, 2, 2, {}};
  CHECK(told.entries[1] == entry({both, large_memory}));
  board.hear(1, {{entry({{0, {}, 8, 32, {}}})}});
  CHECK(board.sums(2).without(0, {}).entries[1].classes[0].longest == Duration{});
}

TEST_CASE(
    "reach board: a link's limit is told on with the nodes, and found for a request that it keeps from them") {
  ReachBoard board(2);
  NodeClass limited = nodes(3, {{"gpu", "1"}});
  limited.limited = true;
  board.hear(south, {{entry({nodes(4)}), entry({limited})}});
  CHECK(board.sums(4).without(north, {}).entries[2].classes[0].limited);
  CHECK_FALSE(board.sums(4).without(north, {}).entries[1].classes[0].limited);
  CHECK(board.beyond(south, need_of({8}), 2, {}).limit == 3);
  CHECK(board.beyond(south, need_of({8}), 2, {}).limit_hops == 2);
  CHECK(board.beyond(south, need_of({8}), 1, {}).limit == 0);                  // too far away
  CHECK(board.beyond(south, need_of({8}, {{"gpu", "2"}}), 2, {}).limit == 0);  // another value of the attribute
  CHECK(board.beyond(south, need_of({3}), 2, {}).limit == 0);                  // wide enough
  CHECK(board.beyond(south, need_of({2, 2}), 2, {}).limit == 3);
  CHECK(board.limit_of(south, {}) == 0);  // not a limit of the neighbour for this site
  board.hear(south, {{entry({limited, nodes(2)})}});
  CHECK(board.limit_of(south, {}) == 3);
  CHECK(board.limit_of(south, {0, {{"gpu", "2"}}}) == 0);
}

TEST_CASE("reach board: of many neighbours each is told what all others told, and nothing of its own") {
  ReachBoard board(5);
  for (std::uint32_t i = 0; i < 5; ++i)
    board.hear(i, {{entry({nodes(10 + i), {std::uint64_t{i % 2} << 30, {}, 20 + i, 40 - i, {}}}, i != 3)}});
  for (std::size_t n = 0; n < 5; ++n) {
    const Reach told = board.sums(2).without(n, {});
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> wanted, found;
    for (std::size_t i = 0; i < 5; ++i) {
      if (i == n) continue;
      for (const NodeClass& one : board.heard(i).entries[0].classes) {
        auto& [largest, together] = wanted[one.memory_bytes];
        largest = std::max(largest, one.largest);
        together = std::max(together, one.together);
      }
    }
    for (const NodeClass& one : told.entries[1].classes) found[one.memory_bytes] = {one.largest, one.together};
    CHECK(found == wanted);
    CHECK(found.size() == told.entries[1].classes.size());
    CHECK(told.entries[1].complete == (n == 3));
  }
}

TEST_CASE("reach board: what was told before is no news") {
  ReachBoard board(2);
  CHECK(board.hear(north, {{entry({nodes(8)})}}));
  CHECK(board.changes() == 1);
  CHECK_FALSE(board.hear(north, {{entry({nodes(8)})}}));
  CHECK(board.changes() == 1);
  CHECK(board.hear(north, {{entry({nodes(4)})}}));
  CHECK(board.heard(north).entries == std::vector<ReachEntry>{entry({nodes(4)})});
  CHECK(board.hear(north, {}));
  CHECK(board.changes() == 3);
}

TEST_CASE("reach board: a 17th entry is ignored, and a 65th kind leaves its entry incomplete [S98a]") {
  ReachBoard board(2);
  board.hear(north, {std::vector<ReachEntry>(20, entry({nodes(8)}))});
  CHECK(board.heard(north).entries.size() == 16);
  std::vector<NodeClass> many;
  for (std::uint64_t i = 0; i < 65; ++i) many.push_back({i, {}, 1, 1, {}});
  board.hear(north, {{entry(many)}});
  CHECK(board.heard(north).entries[0].classes.size() == 64);
  CHECK_FALSE(board.heard(north).entries[0].complete);
}

TEST_CASE("reach board: only what lies within the DTTL is looked at [S74b]") {
  ReachBoard board(1);
  board.hear(north, {{entry({nodes(8)}), entry({nodes(64)})}});
  const ResourceNeed need = need_of({32});
  const Prospect near = board.beyond(north, need, 1, {});
  CHECK_FALSE(near.possible);
  CHECK_FALSE(near.wide_enough);
  CHECK(near.complete);
  CHECK(near.largest == 8);
  const Prospect far = board.beyond(north, need, 2, {});
  CHECK(far.possible);
  CHECK(far.complete);
  CHECK(far.largest == 64);
}

TEST_CASE("reach board: nodes that no neighbour told of, or told of in part, may yet be there [S74]") {
  ReachBoard board(1);
  const ResourceNeed need = need_of({32});
  CHECK_FALSE(board.beyond(north, need, 1, {}).complete);
  board.hear(north, {{entry({nodes(8)}), entry({nodes(16)}, false)}});
  CHECK(board.beyond(north, need, 1, {}).complete);
  CHECK_FALSE(board.beyond(north, need, 2, {}).complete);
  CHECK_FALSE(board.beyond(north, need, 3, {}).complete);
  CHECK_FALSE(board.beyond(north, need, 3, {}).possible);
}

TEST_CASE("reach board: nodes without the wanted attributes or memory don't count [S74]") {
  ReachBoard board(1);
  const Attributes arm{{"arch", "arm"}}, intel{{"arch", "x86_64"}};
  board.hear(north, {{entry({{1000, arm, 64, 64, {}}, {1000, intel, 8, 8, {}}})}});
  ResourceNeed need = need_of({32}, intel);
  const Prospect prospect = board.beyond(north, need, 1, {});
  CHECK(prospect.wide_enough);
  CHECK_FALSE(prospect.has_nodes);
  CHECK_FALSE(prospect.possible);
  CHECK(prospect.largest == 64);
  need.constraints.edit().attributes = arm;
  CHECK(board.beyond(north, need, 1, {}).possible);
  need.constraints.edit().memory_bytes = 2000;
  CHECK_FALSE(board.beyond(north, need, 1, {}).has_nodes);
}

TEST_CASE("reach board: nodes that aren't lent for the request's declared time don't count [S74]") {
  ReachBoard board(1);
  board.hear(north, {{entry({nodes(8, {}, seconds(100))})}});
  const ResourceNeed need = need_of({8});
  CHECK(board.beyond(north, need, 1, {}).possible);
  CHECK(board.beyond(north, need, 1, seconds(100)).possible);
  const Prospect longer = board.beyond(north, need, 1, seconds(101));
  CHECK_FALSE(longer.possible);
  CHECK(longer.has_nodes);
  CHECK(longer.wide_enough);
  board.hear(north, {{entry({nodes(8)})}});  // of any length
  CHECK(board.beyond(north, need, 1, duration_max).possible);
}

TEST_CASE("reach board: several components need enough in one cluster and enough together") {
  ReachBoard board(1);
  board.hear(north, {{entry({{0, {}, 8, 12, {}}})}});
  CHECK(board.beyond(north, need_of({8, 4}), 1, {}).possible);
  CHECK_FALSE(board.beyond(north, need_of({8, 5}), 1, {}).possible);
  CHECK_FALSE(board.beyond(north, need_of({9}), 1, {}).possible);
}

TEST_CASE(
    "reach board: kinds at one distance are added up, since one site may have them; at two distances never") {
  ReachBoard board(1);
  const NodeClass large_memory{1024, {}, 8, 8, {}};
  board.hear(north, {{entry({nodes(8), large_memory})}});
  CHECK(board.beyond(north, need_of({16}), 2, {}).possible);
  board.hear(north, {{entry({nodes(8)}), entry({large_memory})}});
  CHECK_FALSE(board.beyond(north, need_of({16}), 2, {}).possible);
}

}  // namespace reach_board_test
