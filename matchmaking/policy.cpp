// Four tables, and the same search in each.
#include "matchmaking/policy.hpp"

#include <algorithm>
#include <array>

namespace dmm {
namespace {

/// A policy that is a bare function, under its name and perhaps an alias.
template <class Function>
struct Named {
  std::string_view name;
  std::string_view alias;
  Function function;
};

constexpr std::array<Named<PlacementPolicy>, 6> placements{{
    {"worst_fit", "wf", worst_fit},
    {"cm", "cluster_minimization", cluster_minimization},
    {"fcm", "flexible_cluster_minimization", flexible_cluster_minimization},
    {"best_fit", "bf", best_fit},
    {"bfff", "", bfff},
    {"close_to_files", "cf", close_to_files},
}};

constexpr std::array<const DispatchPolicy*, 5> dispatches{
    &dispatch_fcfs_scan, &dispatch_fcfs, &dispatch_smallest_first, &dispatch_largest_first, &dispatch_priority,
};

constexpr std::array<const DelegationPolicy*, 4> delegations{
    &delegation_fcfs,
    &delegation_largest_first,
    &delegation_smallest_first,
    &delegation_latest_first,
};

constexpr std::array<Named<TargetPolicy>, 4> targets{{
    {"hints", "", targets_hints},
    {"best_fit", "bf", targets_best_fit},
    {"round_robin", "", targets_round_robin},
    {"configured", "fcfs", targets_configured},
}};

template <class Table>
auto function_named(const Table& table, std::string_view name) {
  for (const auto& entry : table)
    if (!name.empty() && (entry.name == name || entry.alias == name)) return entry.function;
  return decltype(table[0].function){nullptr};
}

template <class Table, class Function>
std::string_view name_in(const Table& table, Function function) {
  for (const auto& entry : table)
    if (entry.function == function) return entry.name;
  return {};
}

template <class Table>
auto policy_named(const Table& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [name](const auto* entry) { return entry->name == name; });
  return found == table.end() ? nullptr : *found;
}

void append(std::string& list, std::string_view name, std::string_view alias) {
  if (!list.empty()) list += ", ";
  list += name;
  if (!alias.empty()) list.append(" (").append(alias).append(")");
}

template <class Function, std::size_t size>
std::string list_of(const std::array<Named<Function>, size>& table) {
  std::string list;
  for (const auto& entry : table) append(list, entry.name, entry.alias);
  return list;
}

template <class Policy, std::size_t size>
std::string list_of(const std::array<const Policy*, size>& table) {
  std::string list;
  for (const auto* entry : table) append(list, entry->name, {});
  return list;
}

}  // namespace

PlacementPolicy find_placement(std::string_view name) { return function_named(placements, name); }
const DispatchPolicy* find_dispatch(std::string_view name) { return policy_named(dispatches, name); }
const DelegationPolicy* find_delegation(std::string_view name) { return policy_named(delegations, name); }
TargetPolicy find_targets(std::string_view name) { return function_named(targets, name); }

std::string_view name_of(PlacementPolicy policy) { return name_in(placements, policy); }
std::string_view name_of(TargetPolicy policy) { return name_in(targets, policy); }

std::vector<PlacementPolicy> placement_policies() {
  std::vector<PlacementPolicy> all;
  for (const auto& entry : placements) all.push_back(entry.function);
  return all;
}

std::string placement_names() { return list_of(placements); }
std::string dispatch_names() { return list_of(dispatches); }
std::string delegation_names() { return list_of(delegations); }
std::string target_names() { return list_of(targets); }

}  // namespace dmm
