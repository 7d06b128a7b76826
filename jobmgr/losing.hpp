// Nodes that a job has no longer: its leases end, or it releases them.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

void on(JobStep& s, FromSite, const LeaseEnded& ended);
/// The owner takes nodes back, or no job can use them any more. A component that loses nodes is interrupted. But if the
/// end is soft (`is_soft` in losing.cpp), a component that has started runs on without the nodes.
void lose_nodes(JobStep& s, Job& job, const LeaseEnded& ended);
void on(JobStep& s, FromSite, const Renewed& renewed);
/// Releases the job's nodes. The home site is told, unless it knows (`Returned::known`).
void release(JobStep& s, Job& job, Returned how = Returned::used);
/// The same of the nodes of one of its leases.
void release_lease(JobStep& s, Job& job, std::size_t lease, Returned how);

}  // namespace dmm::job_steps
