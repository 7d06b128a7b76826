// The job manager's attempts at running a job: components that run, end, are stopped or lost, and what follows from
// all their ends together.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

Subject subject_of(JobParts& parts, const Party& from, const RequestId& request, std::uint32_t component);
void on(JobStep& s, FromProvider from, const Started& started);
void on(JobStep& s, FromProvider from, Ended& ended);
/// The component lost its nodes or its resource manager. `confirmed`: nothing of it runs any more; else it has the
/// grace to end, and its resource manager some time to say so. `awaited`: how much of that time is over.
void interrupt(JobStep& s, Job& job, std::uint32_t component, bool confirmed, Duration grace = stop_grace,
               Duration awaited = {});
void component_over(JobParts& parts, Job& job, std::uint32_t component);
/// The attempt is given up: what wasn't started won't be, what runs is stopped and waited for.
void wind_down(JobStep& s, Job& job, Duration grace = stop_grace);
/// Nothing of the attempt runs any more: the nodes go back first, then it is decided what the job has come to.
void attempt_over(JobStep& s, Job& job);
/// Lets resource managers remove what they keep for the attempt. A resource manager that has yet to send Ended is told
/// when its Ended comes.
void leave_attempt(JobStep& s, Job& job);
void drop_attempt(JobParts& parts, Job& job);

}  // namespace dmm::job_steps
