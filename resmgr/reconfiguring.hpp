// Other nodes and other limits while the resource manager runs, or since it ran the last time. What is no node any
// more is left by its lease at once, and what runs there is ended; its owner hears of it when the nodes are
// offered again.
#pragma once

#include "protocol/or_fault.hpp"
#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

/// Gives each configured node its number, and what it has seen.
void number_nodes(ResourceParts& parts);
WhyNot reconfigure(ResourceStep& s, const ResourceManagerSettings& settings);

}  // namespace dmm::resource_steps
