// How long input files of tasks were under way, as the home site hears of it (Staged).
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// The task has just said that it is ready, for the first time. Where its files came from one other site, and
/// their sizes are known, the home site is told how long that took.
void tell_staged(JobStep& s, const Job& job, const ComponentRun& ready);

}  // namespace dmm::job_steps
