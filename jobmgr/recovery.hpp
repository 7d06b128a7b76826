// The job manager's memory: what it writes into the ledger, how it takes that up after a restart, and how it and
// its site put right what a restart of either left behind. Silence or a restart deletes nothing: the resource
// manager knows what runs, the owner what is leased, and both are asked.
#pragma once

#include "jobmgr/job_step.hpp"
#include "protocol/or_fault.hpp"

namespace dmm::job_steps {

bool forget(JobParts& parts, std::uint64_t number);
void write_changes(JobStep& s);
std::vector<JobManagerRecord> records(const JobParts& parts);
WhyNot restore(JobParts& parts, Instant now, std::vector<JobManagerRecord> rows);
/// Everything that resource managers were told and may not have heard, or not answered.
void resume(JobStep& s);
/// What a resource manager that restarted, or heard nothing of us since we did, must hear of a component. It
/// starts none twice: a Start that it knows it answers with the outcome, and its fence refuses one under a lease that
/// is over.
void say_again(JobStep& s, Job& job, std::uint32_t component);
void offer_inventory(JobStep& s);
std::vector<Holding> holdings(const JobParts& parts);
/// What the site lent us and we don't hold needs no answer: our own inventory says so, and the site takes it back.
/// Giving it back once more could hit nodes of the same lease that it grants us meanwhile.
void on(JobStep& s, FromSite, Inventory& part);

}  // namespace dmm::job_steps
