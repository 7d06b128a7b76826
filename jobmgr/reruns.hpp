// Whether a job that was interrupted runs again, and how long it waits before that. Pure functions of what is known of
// the job.
//
// A keeper that dies takes all jobs of its resource manager with it. One of them may be the cause, and the others did
// nothing: none of them pays for it with a rerun, and each is suspected a little more. A job that was there at
// `keeper_deaths_max` deaths is failed. So that the others don't meet the cause again each time, who had run for long
// waits longer than who had just started, and no two jobs wait equally long.
#pragma once

#include "jobmgr/job.hpp"
#include "jobmgr/settings.hpp"

namespace dmm {

/// What the present interruption means for a job of which a Start was sent. The death of a keeper is counted in the job
/// already, any other interruption isn't.
Rerun rerun_after(const Job& job, bool keeper_died, const JobManagerSettings& settings);

/// How long the job, which had its nodes for `ran`, waits before it is asked for again as `request`. Counted is as
/// above.
Duration pause_before_rerun(const Job& job, const RequestId& request, bool keeper_died, Duration ran,
                            const JobManagerSettings& settings);

/// What people are told of a job that is suspected.
std::string text_of_suspicion(std::uint32_t keeper_deaths);

}  // namespace dmm
