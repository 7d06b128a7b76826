// Latest first: where the queue is served in order of arrival its tail would wait longest, and its head would
// start at home before an answer from afar came back.
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
