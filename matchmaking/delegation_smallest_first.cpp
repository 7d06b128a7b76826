// Smallest first: a neighbour most likely has room for small requests, and wide ones keep their place at home.
#include "matchmaking/delegation.hpp"

namespace dmm {
namespace {

OrderKey delegation_smallest_first_key(const RequestView& request) {
  return {std::int64_t{request.processors}, std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DelegationPolicy delegation_smallest_first{.name = "smallest_first",
                                                     .key = delegation_smallest_first_key};

}  // namespace dmm
