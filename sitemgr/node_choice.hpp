// Which resource manager's nodes a lease gets first.
#pragma once

#include <vector>

#include "sitemgr/node_stock.hpp"

namespace dmm {

/// The resource manager that gives nodes next; null if none has free nodes that meet the constraints. One that has
/// `nodes` or more comes first, with the fewest attributes and then as few free nodes as will do. Of these, nodes come
/// first that are expected to be spared until `until`. If no resource manager has as many, the one with the most.
const Party* manager_to_take(const std::vector<node_stock::Kind>& kinds, std::size_t cluster, std::uint32_t nodes,
                             const Constraints& constraints, Instant until);

}  // namespace dmm
