// Delegation policies: the order in which waiting requests are offered to neighbours at a delegation cycle, until the
// load is below the threshold again (Iosup et al. 2007, section 4.4).
#pragma once

#include <string_view>

#include "matchmaking/dispatch.hpp"

namespace dmm {

/// A named order of delegating.
struct DelegationPolicy {
  std::string_view name;
  OrderKey (*key)(const RequestView&);
};

extern const DelegationPolicy delegation_fcfs;            ///< in order of arrival: the paper's own
extern const DelegationPolicy delegation_largest_first;   ///< most processors first: few delegations
extern const DelegationPolicy delegation_smallest_first;  ///< fewest first: most easily fitted
extern const DelegationPolicy delegation_latest_first;    ///< last come first: the longest wait at home

}  // namespace dmm
