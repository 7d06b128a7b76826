// The names of policies in a configuration, and their functions. A new policy is a file of its own and a line in a
// table of policy.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matchmaking/delegation.hpp"
#include "matchmaking/dispatch.hpp"
#include "matchmaking/placement/placement.hpp"
#include "matchmaking/targets.hpp"

namespace dmm {

/// The policy of that name or alias; null if there is none.
PlacementPolicy find_placement(std::string_view name);
const DispatchPolicy* find_dispatch(std::string_view name);
const DelegationPolicy* find_delegation(std::string_view name);
TargetPolicy find_targets(std::string_view name);

/// All placement policies, in the order of their table.
std::vector<PlacementPolicy> placement_policies();

/// The canonical name; empty for a function that is in no table. Dispatch and delegation policies carry their
/// own.
std::string_view name_of(PlacementPolicy policy);
std::string_view name_of(TargetPolicy policy);

/// All names of one kind for a message to people, aliases in parentheses: "worst_fit (wf), best_fit (bf)".
std::string placement_names();
std::string dispatch_names();
std::string delegation_names();
std::string target_names();

}  // namespace dmm
