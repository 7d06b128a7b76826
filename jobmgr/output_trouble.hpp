// Output that doesn't come, or can't be written. Pieces are asked for again. What a silent resource manager has is
// fetched when it is heard again; what could not be written is fetched once more when its user says so.
// Until then it stays where the job ran, for as long as it is kept there.
#pragma once

#include "jobmgr/job_step.hpp"
#include "protocol/or_fault.hpp"

namespace dmm::job_steps {

void look_later(JobStep& s, Job& job, std::uint32_t component);
void look(JobStep& s, ComponentKey key);
/// The resource manager is heard, perhaps again: what was asked for, or given up for its silence, it can send now.
void fetch_pending(JobStep& s, Job& job, std::uint32_t component);
/// It was kept for long enough; by now its resource manager has forgotten it too.
void give_up_output(JobStep& s, Job& job);
WhyNot fetch_again(JobStep& s, std::uint64_t number);

}  // namespace dmm::job_steps
