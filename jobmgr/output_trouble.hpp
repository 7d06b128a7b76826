// Output that doesn't come, or can't be written. Pieces are asked for again. What a silent resource manager has is
// fetched when it is heard again; what could not be written is fetched once more when its user says so.
// Until then it stays where the job ran, for as long as it is kept there.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

void look_later(JobStep step, Job& job, std::uint32_t component);
void look(JobStep step, ComponentKey key);
/// The resource manager is heard, perhaps again: what was asked for, or given up for its silence, it can send now.
void fetch_pending(JobStep step, Job& job, std::uint32_t component);
/// It was kept for long enough; by now its resource manager has forgotten it too.
void give_up_output(JobStep step, Job& job);
std::string fetch_again(JobStep step, std::uint64_t number);

}  // namespace dmm::job_steps
