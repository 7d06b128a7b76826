// What must hold in every state of a resource manager. After each step only what the step changed is looked at;
// the whole is recounted by tests and by the simulator's checkers, now and then.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

void check_changes(const ResourceParts& parts, const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks);
void check_invariants(const ResourceParts& parts);

}  // namespace dmm::resource_steps
