// Where the input files of tasks come from, and which go ahead of a job (Planned, Prefetch); how long they were
// under way, as the home site hears of it (Staged).
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// In the order in which a task at this owner tries them: a copy at the owner is the nearest. A path of another
/// site's hosts is none here, or names something else.
void order_replicas(InputFile& file, const SiteName& owner);

/// The home site has placed the job: of its input files, those that clusters can keep are fetched there meanwhile.
void on(JobStep& s, FromSite, const Planned& planned);

/// The task has just said that it is ready, for the first time. Where its files came from one other site, and
/// their sizes are known, the home site is told how long that took; and of those with a checksum, that they were
/// brought there.
void tell_staged(JobStep& s, const Job& job, const ComponentRun& ready);

}  // namespace dmm::job_steps
