// The job manager, from submission to grant: accepting jobs, asking the home site for nodes, taking what it
// grants, and giving back what can't be used.
#pragma once

#include "jobmgr/job_step.hpp"
#include "protocol/or_fault.hpp"

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

}  // namespace dmm::job_steps
