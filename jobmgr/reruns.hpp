// Whether a job that was interrupted runs again, and how long it waits before that. Pure functions of what is
// known of the job.
//
// An attempt under which nothing ran costs none of a job's reruns, and neither does one that an owner ended by its
// right. The pause before the next one grows with each of them.
//
// A keeper that dies takes all jobs of its resource manager with it. One of them may be the cause, and the others
// did nothing: none of them pays for it with a rerun, and each is suspected a little more. A job that was there at
// `keeper_deaths_max` deaths is failed, if at one of them no job of another user was there. So that the others
// don't meet the cause again each time, a job that had run for long waits longer than one that had just started,
// and no two jobs wait equally long.
#pragma once

#include "jobmgr/job.hpp"
#include "jobmgr/settings.hpp"

namespace dmm {

/// What ended an attempt before its program did.
enum class Interruption : std::uint8_t {
  nodes_lost,   ///< its nodes, links or resource managers were lost
  owner,        ///< an owner or a site of the chain ended its lease by its right, or as idle: its Start came late
  keeper,       ///< its keeper died
  nothing_ran,  ///< no component ever ran
};

/// Whether it is what an owner, or a site between, may do at any time, and no fault: no job is charged for it.
bool is_owners_right(LeaseEnd cause);
/// Whether this reason tells more of why nodes went than what is known: an owner's right does, beside anything
/// else.
bool explains_more(const std::optional<LeaseEnd>& known, LeaseEnd reason);

/// `deciding`: the component that had trouble first. A Start was sent, and all components are over.
Interruption interruption_of(const Attempt& run, const ComponentRun& deciding);

/// For people: "reclaimed by its owner, beta", "its nodes were lost".
std::string text_of_interruption(const ComponentRun& deciding, const SiteName& owner);

/// Counts the end of an attempt with a Start that had its nodes for `ran`, of this owner, in the job. An owner's right
/// counts as one of `past` also if nothing ran, so that the next attempt prefers other owners; a preemption by the home
/// site doesn't. The death of a keeper is counted in the job already.
void count_interruption(Job& job, Interruption interruption, const std::optional<LeaseEnd>& cause,
                        const SiteName& owner, const SiteName& home, Duration ran);

/// An attempt was interrupted for this cause; for people. The actor of a preemption is the home site.
void note_cause(std::vector<InterruptionCause>& causes, const SiteName& owner, LeaseEnd cause);

/// How often owners ended attempts by their right, or the home site preempted them.
std::uint32_t interruptions_of(const Interruptions& past, const std::vector<InterruptionCause>& causes);

/// What the interruption means for a job after a Start was sent. The death of a keeper is counted in the job
/// already, any other interruption isn't.
Rerun rerun_after(const Job& job, Interruption interruption, const JobManagerSettings& settings);

/// How long the job, which had its nodes for `ran`, waits before it is asked for again as `request`. Counted is as
/// above.
Duration pause_before_rerun(const Job& job, const RequestId& request, Interruption interruption, Duration ran,
                            const JobManagerSettings& settings);

/// What people are told of a job that is suspected.
std::string text_of_suspicion(std::uint32_t keeper_deaths);

}  // namespace dmm
