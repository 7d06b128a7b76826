#include "sitemgr/node_choice.hpp"

#include <iterator>
#include <tuple>
#include <utility>

namespace dmm {
namespace {

/// Of managers with `nodes` free ones or more, as few as will do: the one with nodes that are spared until
/// `until`, and for the least time beyond. If there is none, the one with nodes that are spared for the longest.
const std::tuple<std::uint32_t, Instant, Party>* fitting(const node_stock::ByFree& by_free, std::uint32_t nodes,
                                                         Instant until) {
  constexpr int counts_looked_at_max = 16;
  const std::tuple<std::uint32_t, Instant, Party>* longest = nullptr;
  auto least = by_free.lower_bound({nodes, Instant{INT64_MIN}, Party{}});
  for (int counts = 0; least != by_free.end() && counts < counts_looked_at_max; ++counts) {
    const std::uint32_t free = std::get<std::uint32_t>(*least);
    const auto spared = by_free.lower_bound({free, until, Party{}});
    if (spared != by_free.end() && std::get<std::uint32_t>(*spared) == free) return &*spared;
    const auto last = std::prev(spared);
    if (!longest || std::get<Instant>(*longest) < std::get<Instant>(*last)) longest = &*last;
    least = spared;
  }
  return longest;
}

}  // namespace

const Party* manager_to_take(const std::vector<node_stock::Kind>& kinds, std::size_t cluster, std::uint32_t nodes,
                             const Constraints& constraints, Instant until) {
  const Party* holds_all = nullptr;
  const Party* holds_most = nullptr;
  std::pair<std::size_t, std::uint32_t> best_all{};
  std::uint32_t most = 0;
  for (const node_stock::Kind& kind : kinds) {
    if (!meets(kind.properties, constraints)) continue;
    const auto& by_free = kind.stocks[cluster].by_free;
    if (by_free.empty()) continue;
    if (const auto* fits = fitting(by_free, nodes, until)) {
      const std::pair<std::size_t, std::uint32_t> rank{kind.properties.attributes.size(),
                                                       std::get<std::uint32_t>(*fits)};
      if (!holds_all || rank < best_all) holds_all = &std::get<Party>(*fits), best_all = rank;
      continue;
    }
    const std::uint32_t greatest = std::get<std::uint32_t>(*by_free.rbegin());
    if (greatest > most) holds_most = &std::get<Party>(*fitting(by_free, greatest, until)), most = greatest;
  }
  return holds_all ? holds_all : holds_most;
}

}  // namespace dmm
