// First come, first delegated: the policy of the paper's experiments (Iosup et al. 2007, section 5.2.3).
#include "matchmaking/delegation.hpp"

namespace dmm {
namespace {

OrderKey delegation_fcfs_key(const RequestView& request) { return {0, 0, request.arrival}; }

}  // namespace

constexpr DelegationPolicy delegation_fcfs{.name = "fcfs", .key = delegation_fcfs_key};

}  // namespace dmm
