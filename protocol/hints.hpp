// Capacity hints: a neighbour tells what can be had beyond it, by distance. They are soft state: a stale hint costs a
// hop, never correctness (docs/protocol.md section 6).
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

namespace dmm {

/// The offers of sites at one distance. Maxima over sites, never sums, so no node is counted twice.
struct HintEntry {
  std::uint32_t lendable = 0;  ///< the most processors lendable now in one cluster of one site at this distance
  std::uint32_t largest = 0;   ///< processors of the largest cluster at this distance, idle or not
  bool complete = false;       ///< the size of every site at this distance is known: there is no larger one
  std::uint32_t queued = 0;    ///< the most processors that users of one site at this distance wait for in vain
  std::uint32_t width = 0;     ///< processors that the first request in that queue needs in one cluster
  std::uint32_t round_trip_ms = 0;  ///< the longest way from the sender to a site at this distance and back

  auto operator<=>(const HintEntry&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lendable, self.largest, self.complete, self.queued, self.width, self.round_trip_ms);
  }
};

/// Entry d speaks of sites d hops beyond the sender; entry 0 of the sender itself. At most 16 entries.
using CapacityHint = std::vector<HintEntry>;

/// The longest chain that any configuration may allow, in hops.
constexpr std::uint32_t dttl_max = 16;

}  // namespace dmm
