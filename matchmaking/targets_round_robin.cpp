// Round robin without a counter: a policy has no state, so the request's id decides the turn.
#include "matchmaking/targets.hpp"

namespace dmm {

void targets_round_robin(const TargetQuery& query, std::span<const TargetView> targets,
                         std::vector<std::size_t>& order) {
  order.clear();
  if (targets.empty()) return;
  const std::size_t first = query.rotation % targets.size();
  for (std::size_t i = 0; i < targets.size(); ++i) order.push_back((first + i) % targets.size());
}

}  // namespace dmm
