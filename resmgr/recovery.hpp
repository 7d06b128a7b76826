// What the resource manager keeps in its ledger, and how it goes on from it after a restart. The backend says
// which tasks are still there: what runs goes on, what is gone is lost, and a stray is ended.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

std::vector<ResourceRecord> records(const ResourceParts& parts);
/// Each changed row once. A node's highest epoch is nowhere else: it must survive the host.
void record_changes(ResourceStep& s, const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks);
void restore(ResourceParts& parts, Instant now, std::vector<ResourceRecord> rows,
             const std::vector<LivingTask>& living, bool keeper_died);
/// The first settle after a restore: the ends that were ordered are ordered again, since the backend may not have
/// heard them.
void resume(ResourceStep& s);

}  // namespace dmm::resource_steps
