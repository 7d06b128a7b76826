// How many processors are within reach together.
#include "sitemgr/reach_total.hpp"

#include <doctest/doctest.h>

#include "sitemgr/reach_board.hpp"

namespace reach_total_test {

using namespace dmm;

namespace {

NodeClass nodes(std::vector<ReachSite> sites, const Attributes& attributes = {}) {
  NodeClass one{0, attributes, 0, 0, {}, false, 0, {}};
  for (const ReachSite& site : sites) {
    one.largest = one.together = std::max(one.together, site.processors);
    one.limited |= site.limited;
    one.in_all += site.processors;
  }
  one.sites = std::move(sites);
  return one;
}

ReachSite site(const std::string& name, std::uint32_t processors, bool limited = false) {
  return {SiteName(name), processors, limited};
}

std::uint64_t total(const std::vector<NodeClass>& classes, const Constraints& constraints = {}) {
  ReachTotal sum;
  for (const NodeClass& one : classes) sum.add({true, {one}}, constraints, {});
  return sum.processors();
}

}  // namespace

TEST_CASE("reach total: a site counts once, on however many ways it is told of") {
  CHECK(total({nodes({site("a", 8), site("b", 4)}), nodes({site("b", 4), site("c", 2)})}) == 14);
  CHECK(total({nodes({site("a", 8)}), nodes({site("a", 6)})}) == 8);
}

TEST_CASE("reach total: what limits of links leave of a site adds up, unless a way has no limit") {
  CHECK(total({nodes({site("a", 3, true)}), nodes({site("a", 5, true)})}) == 8);
  CHECK(total({nodes({site("a", 3, true)}), nodes({site("a", 9)}), nodes({site("a", 5, true)})}) == 9);
}

TEST_CASE("reach total: kinds of nodes of one site add up, those that don't meet the constraints don't count") {
  const Attributes gpu{{"gpu", "1"}};
  CHECK(total({nodes({site("a", 8)}), nodes({site("a", 4)}, gpu)}) == 12);
  CHECK(total({nodes({site("a", 8)}), nodes({site("a", 4)}, gpu)}, {0, gpu}) == 4);
}

TEST_CASE("reach total: unnamed sites count on each way, and without a number as without bound") {
  NodeClass unnamed = nodes({site("a", 8)});
  unnamed.sites.clear();
  CHECK(total({unnamed, nodes({site("a", 8)})}) == 16);
  unnamed.in_all = 0;
  CHECK(total({unnamed}) == processors_unbounded);
}

TEST_CASE("reach total: neighbours are told the sites by name, each once, as long as they are few [S74a]") {
  ReachBoard board(3);
  const auto hear = [&](std::size_t n, std::vector<ReachSite> sites) {
    board.hear(n, {{ReachEntry{true, {nodes(std::move(sites))}}}});
  };
  hear(1, {site("a", 8), site("b", 4)});
  hear(2, {site("b", 4), site("c", 2)});
  const auto told = [&] { return board.sums(2).without(0, {}).entries[1].classes.at(0); };
  CHECK(told().sites == std::vector{site("a", 8), site("b", 4), site("c", 2)});
  CHECK(told().in_all == 32);  // rounded up, each on every way: for those that read no names
  NodeClass unnamed = nodes({site("d", 1)});
  unnamed.sites.clear();
  board.hear(2, {{ReachEntry{true, {unnamed}}}});
  CHECK(told().sites.empty());
  CHECK(told().in_all == 16);
  std::vector<ReachSite> many;
  for (std::size_t i = 0; i < sites_named_max; ++i) many.push_back(site("s" + std::to_string(i), 1));
  hear(1, many);
  hear(2, {site("s1", 1)});
  CHECK(told().sites.size() == sites_named_max);
  hear(2, {site("another", 1)});
  CHECK(told().sites.empty());
  CHECK(told().in_all == 64);
  many.push_back(site("more", 1));
  hear(1, many);
  CHECK(board.heard(1).entries[0].classes[0].sites.empty());
}

}  // namespace reach_total_test
