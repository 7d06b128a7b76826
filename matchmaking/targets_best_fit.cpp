// Best fit among direct neighbours, the paper's example (Iosup et al. 2007, section 4.4): neighbours with much room are
// left to the requests that need it.
#include <algorithm>
#include <numeric>
#include <utility>

#include "matchmaking/targets.hpp"

namespace dmm {
namespace {

enum Group : std::uint32_t { fits, unknown, too_small };

/// The rank that targets are sorted by, least first.
std::pair<Group, std::uint32_t> rank(const TargetQuery& query, const TargetView& target) {
  if (!target.known) return {unknown, 0};
  const std::uint32_t lendable = target.hint.empty() ? 0 : lendable_at(target, 0);
  return lendable >= query.widest ? std::pair{fits, lendable} : std::pair{too_small, 0U};
}

}  // namespace

void targets_best_fit(const TargetQuery& query, std::span<const TargetView> targets,
                      std::vector<std::size_t>& order) {
  order.resize(targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto rank_a = rank(query, targets[a]);
    const auto rank_b = rank(query, targets[b]);
    return rank_a != rank_b ? rank_a < rank_b : a < b;
  });
}

}  // namespace dmm
