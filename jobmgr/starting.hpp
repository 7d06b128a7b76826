// Components that start: in their order, as far as there are start slots, under leases that may be used.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// Starts queued components, in order, while there are free start slots. Under a lease that wasn't renewed nothing
/// starts. The ledger is synced before a Start leaves. So a component that the ledger calls queued was never asked
/// for, and can be given up without a message.
void start_queued(JobStep& s);
/// Frees the start slots of Starts that were sent some time ago: only recent Starts keep others waiting.
void free_start_slots(JobParts& parts, Instant now);
void send_start(JobStep& s, const Job& job, std::uint32_t component);

}  // namespace dmm::job_steps
