// What the resource manager does for its owner: nodes come under leases and leave them, and the owner hears that
// they are clean. A node is never handed from one lease to the next before everything on it has ended.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

void on(ResourceStep& s, FromSite, const Assign& assign);
/// The nodes, as far as they are under the lease, leave it; a lease without nodes is forgotten.
void take_from_lease(ResourceParts& parts, Epoch lease, const NodeSet& nodes);
/// A lease that is for one component ends with the task that has just left its nodes, before its owner asks:
/// whether it did.
bool end_with_task(ResourceStep& s, const TaskRecord& task);
/// Looks again at the leases that changed, whether they have a job now.
void watch_idle(ResourceParts& parts, Instant now);
/// Nothing used the lease for too long: no Start is obeyed any more, and the owner takes the nodes back. Where the
/// outcome of a job under it is still kept, its job manager may not have heard that: then nothing is confirmed.
/// Where others have nodes of it too, a job of theirs may need ours: the owner is told, and knows of all parts.
void end_idle(ResourceStep& s, Epoch epoch);
/// Whether the lease was ended so, and the owner hasn't taken the nodes back yet.
bool went_idle(const ResourceParts& parts, Epoch epoch);
NodeGroup group_of(const ResourceParts& parts, const NodeSet& nodes);
void on(ResourceStep& s, FromSite, const Unassign& unassign);
/// One of what a Clean waits for has ended.
void count_down(ResourceStep& s, std::uint64_t number);

}  // namespace dmm::resource_steps
