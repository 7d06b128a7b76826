// The job manager, from submission to grant: accepting jobs, asking the home site for nodes, taking what it
// grants, giving back what can't be used, and losing nodes again.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

void on(JobStep step, FromClient from, Submit& submit);
/// What was submitted, and in a new session everything that waits, is asked for in order, a piece of it in each
/// step.
void ask_waiting(JobStep step);
/// It waits once more, as another attempt, and is asked for after the pause.
void ask_again(JobStep step, Job& job, Duration pause = {});
void end_pauses(JobStep step);
void on(JobStep step, FromSite, const Refuse& refuse);
void on(JobStep step, FromSite, Grant& grant);
std::string cancel(JobStep step, std::uint64_t number, Duration grace);
void on(JobStep step, FromSite, const LeaseEnded& ended);
/// The owner takes nodes back, or no job can use them any more. A component that loses nodes is interrupted,
/// unless the end is soft and it has started: then it runs on without them.
void lose_nodes(JobStep step, Job& job, const LeaseEnded& ended);
void on(JobStep step, FromSite, const Renewed& renewed);
/// The site is told, unless it knows.
void release(JobStep step, Job& job, Returned how = Returned::used);

}  // namespace dmm::job_steps
