// Largest first: the load falls below the threshold after the fewest delegations.
#include "matchmaking/delegation.hpp"

namespace dmm {
namespace {

OrderKey delegation_largest_first_key(const RequestView& request) {
  return {-std::int64_t{request.processors}, -std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DelegationPolicy delegation_largest_first{.name = "largest_first", .key = delegation_largest_first_key};

}  // namespace dmm
