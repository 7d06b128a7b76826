// Largest first: the load falls below the threshold after the fewest delegations.
#include "matchmaking/delegation.hpp"

namespace dmm {
namespace {

OrderKey key(const RequestView& request) {
  return {-std::int64_t{request.processors}, -std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DelegationPolicy delegation_largest_first{.name = "largest_first", .key = key};

}  // namespace dmm
