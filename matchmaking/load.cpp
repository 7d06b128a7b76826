#include "matchmaking/load.hpp"

#include <algorithm>
#include <limits>

namespace dmm {
namespace {

constexpr std::uint64_t million = 1'000'000;

/// The threshold in millionths. A load of a thousand never occurs, so more than that means "never delegate".
std::uint64_t in_millionths(double threshold) {
  return static_cast<std::uint64_t>(std::clamp(threshold, 0.0, 1000.0) * 1e6 + 0.5);
}

}  // namespace

double value(const Load& load) {
  if (load.owned == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(load.used + load.queued) / static_cast<double>(load.owned);
}

bool over(const Load& load, double threshold) {
  if (load.owned == 0) return true;
  // An integer is over threshold * owned if it is over the whole part of it. Split so that no product
  // overflows.
  const std::uint64_t millionths = in_millionths(threshold);
  const std::uint64_t limit = load.owned / million * millionths + load.owned % million * millionths / million;
  return load.used + load.queued > limit;
}

std::vector<std::uint32_t> lendable(std::span<const std::uint32_t> free_processors,
                                    std::uint64_t queued_local_demand) {
  std::vector<std::uint32_t> result(free_processors.begin(), free_processors.end());
  // A cluster with all of its free processors wanted drops to 0 and is not the largest again. So no order need be kept.
  while (queued_local_demand > 0) {
    const auto most = std::max_element(result.begin(), result.end());
    if (most == result.end() || *most == 0) break;
    const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(*most, queued_local_demand));
    *most -= taken;
    queued_local_demand -= taken;
  }
  return result;
}

}  // namespace dmm
