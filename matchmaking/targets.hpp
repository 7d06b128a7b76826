// Target site ordering policies: which neighbour is asked first for one request (Iosup et al. 2007, section 4.4). A
// predicate says which neighbours not to ask at all. Both look at the hints that neighbours sent. A stale hint costs a
// hop and never more, so nothing here needs to be exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/hints.hpp"

namespace dmm {

/// A neighbour as the policies see it, in the order of the site's configuration.
struct TargetView {
  std::size_t neighbour = 0;        ///< its index in the site's configuration
  std::span<const HintEntry> hint;  ///< its latest CapacityHint, which the caller keeps
  bool known = false;               ///< whether it has ever sent a hint
  std::uint32_t debit = 0;          ///< processors asked of it since that hint
};

/// The request that looks for a target.
struct TargetQuery {
  std::uint32_t widest = 0;    ///< processors it must find in one cluster
  std::uint32_t dttl = 0;      ///< hops left here; a site d hops beyond a neighbour is in reach if d < dttl
  std::uint64_t rotation = 0;  ///< hash of the request's id: spreads requests over equally good targets
};

/// Replaces `order` by the indices of all `targets`, in order of preference. The caller keeps the vector, so that no
/// memory is allocated for each request.
using TargetPolicy = void (*)(const TargetQuery& query, std::span<const TargetView> targets,
                              std::vector<std::size_t>& order);

/// By hints: the smallest distance at which the request fits, then size in decreasing order; sizes within a quarter of
/// the largest are equal and rotated. Then neighbours that sent no hint yet. Last, neighbours with a hint that shows no
/// room within reach. Both groups are in the order of the configuration.
void targets_hints(const TargetQuery& query, std::span<const TargetView> targets, std::vector<std::size_t>& order);

/// Best fit among the neighbours themselves: the fewest lendable processors that still hold the request. Then
/// neighbours that sent no hint yet, then the rest. Equal ones are in the order of the configuration.
void targets_best_fit(const TargetQuery& query, std::span<const TargetView> targets,
                      std::vector<std::size_t>& order);

/// In the order of the configuration, starting at a place that the request's id decides.
void targets_round_robin(const TargetQuery& query, std::span<const TargetView> targets,
                         std::vector<std::size_t>& order);

/// In the order of the configuration.
void targets_configured(const TargetQuery& query, std::span<const TargetView> targets,
                        std::vector<std::size_t>& order);

/// Processors lendable in one cluster of a site at the distance, less those asked of the neighbour itself since its
/// hint.
std::uint32_t lendable_at(const TargetView& target, std::size_t distance);

/// Whether to ask the neighbour. A hint may be a little old: false only if it shows, at every distance within reach,
/// less than 7/8 of what the request needs. Sizes of clusters are exact: also false if no cluster is large enough.
bool may_fit(const TargetQuery& query, const TargetView& target);

/// Processors of the largest cluster in the hint, at any distance; 0 for an empty hint.
std::uint32_t largest_beyond(std::span<const HintEntry> hint);

}  // namespace dmm
