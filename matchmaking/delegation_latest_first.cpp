// Latest first. If the queue is served in order of arrival, its tail waits longest. Its head could start at home before
// a distant answer comes back.
#include "matchmaking/delegation.hpp"

namespace dmm {
namespace {

// Arrivals are counted from 0 or 1, so the change of sign loses nothing.
OrderKey delegation_latest_first_key(const RequestView& request) {
  return {-static_cast<std::int64_t>(request.arrival), 0, request.arrival};
}

}  // namespace

constexpr DelegationPolicy delegation_latest_first{.name = "latest_first", .key = delegation_latest_first_key};

}  // namespace dmm
