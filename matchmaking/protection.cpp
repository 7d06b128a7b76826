#include "matchmaking/protection.hpp"

#include <algorithm>

namespace dmm {

Duration protected_time(const Interruptions& past, Duration first, Duration most) {
  if (past.times == 0) return {};
  const Duration had = std::clamp(past.ran, Duration{}, most);
  return std::min(std::max(had * 2, first), most);
}

}  // namespace dmm
