// The job manager, from submission to grant: accepting jobs, asking the home site for nodes, taking what it
// grants, giving back what can't be used, and losing nodes again.
#pragma once

#include "jobmgr/job_step.hpp"
#include "protocol/outcome.hpp"

namespace dmm::job_steps {

void on(JobStep& s, FromClient from, Submit& submit);
/// Asks the home site for nodes for new jobs and, in a new session, for all waiting jobs: in order, a thousand in each
/// step.
void ask_waiting(JobStep& s);
/// The job waits again, as its next attempt; the home site is asked for nodes after the pause.
void ask_again(JobStep& s, Job& job, Duration pause = {});
void end_pauses(JobStep& s);
/// Asks for a job that may be asked for at last, unless `ask_waiting` comes to it anyway.
void ask_if_wanted(JobStep& s, const Job& job);
void on(JobStep& s, FromSite, const Refuse& refuse);
void on(JobStep& s, FromSite, Grant& grant);
void on(JobStep& s, FromSite, GrantSet& set);
WhyNot cancel(JobStep& s, std::uint64_t number, Duration grace);
/// Ends a job that waits; its text says why, if its user didn't order it.
void cancel_waiting(JobStep& s, Job& job);
void on(JobStep& s, FromSite, const LeaseEnded& ended);
/// The owner takes nodes back, or no job can use them any more. A component that loses nodes is interrupted. But if the
/// end is soft (`is_soft` in asking.cpp), a component that has started runs on without the nodes.
void lose_nodes(JobStep& s, Job& job, const LeaseEnded& ended);
void on(JobStep& s, FromSite, const Renewed& renewed);
/// Releases the job's nodes. The home site is told, unless it knows (`Returned::known`).
void release(JobStep& s, Job& job, Returned how = Returned::used);
/// The same of the nodes of one of its leases.
void release_lease(JobStep& s, Job& job, std::size_t lease, Returned how);

}  // namespace dmm::job_steps
