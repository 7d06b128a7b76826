#include "jobmgr/reruns.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// No pause is doubled more often.
constexpr std::uint32_t doublings_max = 6;
/// A job that had run for long waits longer by that time, but by no more than this number of pauses.
constexpr std::int64_t pauses_for_running = 6;
/// Other interruptions end with the lost node: the second one in the life of a job is the first that makes it wait.
constexpr std::int64_t parts_of_pause = 10;

Duration doubled(Duration pause, std::uint32_t times) {
  return pause * (std::int64_t{1} << std::min(times, doublings_max));
}

/// From 0 to the length, by the name of the attempt.
Duration share_of(Duration length, const RequestId& request) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;  // else the upper bits know nothing of the attempt
  const auto parts = static_cast<std::int64_t>((stable_hash(request) * odd) >> 54U);  // of 1024
  DMM_ASSERT(parts < 1024);
  return length * parts / 1024;
}

/// The first interruption in the life of a job makes it wait for nothing.
Duration pause_after(std::uint32_t earlier, Duration pause) {
  return earlier == 0 ? Duration{} : doubled(pause / parts_of_pause, earlier - 1);
}

/// By the word of its resource manager or its owner, or since no Start was sent.
bool never_ran(const ComponentRun& component_run) {
  if (component_run.reached == ComponentPhase::queued) return true;
  if (component_run.reached == ComponentPhase::asked && component_run.clean && !component_run.end.known)
    return true;
  if (component_run.reached == ComponentPhase::started || !component_run.end.known ||
      component_run.wall > Duration{})
    return false;
  return component_run.end.kind == EndKind::stopped || component_run.end.kind == EndKind::lease_ended ||
         component_run.end.kind == EndKind::start_failed;
}

/// How often the job was asked for again, but for deaths of a keeper.
std::uint32_t interrupted(const Job& job) {
  return job.reruns + job.false_starts + interruptions_of(*job.past, job.past_causes);
}

void note_interruption(Interruptions& past, const SiteName& owner, Duration ran) {
  ++past.times;
  past.ran = std::max(past.ran, ran);
  const auto known = std::ranges::find(past.owners, owner);
  if (known != past.owners.end()) past.owners.erase(known);
  if (past.owners.size() == interrupting_owners_max) past.owners.erase(past.owners.begin());
  past.owners.push_back(owner);
}

}  // namespace

bool is_owners_right(LeaseEnd cause) {
  return cause == LeaseEnd::reclaimed || cause == LeaseEnd::at_longest || cause == LeaseEnd::node_removed ||
         cause == LeaseEnd::link_removed || cause == LeaseEnd::preempted;
}

bool explains_more(const std::optional<LeaseEnd>& known, LeaseEnd reason) {
  return !known || (!is_owners_right(*known) && is_owners_right(reason));
}

Interruption interruption_of(const Attempt& run, const ComponentRun& deciding) {
  DMM_ASSERT(run.open == 0 && run.unstarted == 0);
  DMM_ASSERT(!run.components.empty());
  if (deciding.end.keeper_died) return Interruption::keeper;
  if (!run.went || std::ranges::all_of(run.components, never_ran)) return Interruption::nothing_ran;
  // A lease is idle until a Start comes to a resource manager that may be far away.
  const bool by_owner = deciding.cause && (is_owners_right(*deciding.cause) || deciding.cause == LeaseEnd::idle);
  if (by_owner) return Interruption::owner;
  return Interruption::nodes_lost;
}

std::string text_of_interruption(const ComponentRun& deciding, const SiteName& owner) {
  if (deciding.end.keeper_died) return "its keeper died";
  const std::string by_owner = " by its owner, " + owner.text;
  if (deciding.cause == LeaseEnd::reclaimed) return "reclaimed" + by_owner;
  if (deciding.cause == LeaseEnd::preempted) return "preempted by a job of high priority of its site";
  if (deciding.cause == LeaseEnd::at_longest) return "its lease was at the longest of its owner, " + owner.text;
  if (deciding.cause == LeaseEnd::node_removed) return "its node was taken out of service" + by_owner;
  if (deciding.cause == LeaseEnd::link_removed)
    return "a link on the way to its owner, " + owner.text + ", was removed";
  if (deciding.cause == LeaseEnd::idle)
    return "its lease was idle for too long for its owner, " + owner.text + ": the Start came late";
  if (deciding.end.known && deciding.end.kind == EndKind::lease_ended) return "its lease was ended" + by_owner;
  if (never_ran(deciding)) return "its nodes were gone before it ran";
  if (deciding.end.known && deciding.end.kind == EndKind::lost_contact) return "its resource manager lost contact";
  return "its nodes were lost";
}

void note_cause(std::vector<InterruptionCause>& causes, const SiteName& owner, LeaseEnd cause) {
  InterruptionCause noted{owner, cause, 1};
  const auto same = [&](const InterruptionCause& one) { return one.owner == owner && one.cause == cause; };
  if (const auto known = std::ranges::find_if(causes, same); known != causes.end()) {
    noted.times += known->times;
    causes.erase(known);
  }
  if (causes.size() == interruption_causes_max) causes.erase(causes.begin());
  causes.push_back(std::move(noted));
  DMM_ASSERT(causes.size() <= interruption_causes_max);
}

void count_interruption(Job& job, Interruption interruption, const std::optional<LeaseEnd>& cause,
                        const SiteName& owner, const SiteName& home, Duration ran) {
  DMM_ASSERT(cause || interruption != Interruption::owner);
  const bool by_right = interruption == Interruption::owner || (cause && is_owners_right(*cause));
  if (interruption == Interruption::nodes_lost) {
    ++job.reruns;
  } else if (interruption != Interruption::keeper && by_right) {
    // A preemption is the home site's decision: no owner is to be spared for it, or to protect the next lease.
    const bool is_preempted = cause == LeaseEnd::preempted;
    if (!is_preempted) note_interruption(job.past.edit(), owner, ran);
    note_cause(job.past_causes.edit(), is_preempted ? home : owner, *cause);
  } else if (interruption == Interruption::nothing_ran) {
    ++job.false_starts;
  }
}

std::uint32_t interruptions_of(const Interruptions& past, const std::vector<InterruptionCause>& causes) {
  std::uint32_t times = past.times;
  for (const InterruptionCause& one : causes)
    if (one.cause == LeaseEnd::preempted) times += one.times;
  return times;
}

Rerun rerun_after(const Job& job, Interruption interruption, const JobManagerSettings& settings) {
  if (interruption == Interruption::nothing_ran) return Rerun::allowed;
  const std::uint32_t most = job.description.reruns_max;
  if (interruption == Interruption::nodes_lost) return job.reruns < most ? Rerun::allowed : Rerun::used_up;
  const bool is_suspected = job.is_suspect && job.keeper_deaths >= settings.keeper_deaths_max;
  if (interruption == Interruption::keeper && is_suspected) return Rerun::suspected;
  return most > 0 ? Rerun::allowed : Rerun::used_up;  // 0: its user wants it to run once at most
}

Duration pause_before_rerun(const Job& job, const RequestId& request, Interruption interruption, Duration ran,
                            const JobManagerSettings& settings) {
  const Duration pause = settings.rerun_pause;
  if (interruption != Interruption::keeper) return pause_after(interrupted(job), pause);
  DMM_ASSERT(job.keeper_deaths > 0);  // this one is counted
  const Duration length = doubled(pause, job.keeper_deaths - 1);
  return length + share_of(length, request) + std::clamp(ran, Duration{}, pause * pauses_for_running);
}

std::string text_of_suspicion(std::uint32_t keeper_deaths) {
  DMM_ASSERT(keeper_deaths > 0);
  return "it ran, or was being started, at " + std::to_string(keeper_deaths) +
         (keeper_deaths == 1 ? " death of a keeper" : " deaths of keepers") +
         " of jobs: it may be the cause, and isn't run again";
}

}  // namespace dmm
