// See reruns.hpp.
#include "jobmgr/reruns.hpp"

#include <algorithm>

namespace dmm {
namespace {

/// No pause is doubled more often.
constexpr std::uint32_t doublings_max = 6;
/// Who had run for long waits longer by that time, but by no more than this number of pauses.
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
  return length * parts / 1024;
}

}  // namespace

Rerun rerun_after(const Job& job, bool keeper_died, const JobManagerSettings& settings) {
  const std::uint32_t most = job.description.reruns_max;
  if (!keeper_died) return job.reruns < most ? Rerun::allowed : Rerun::used_up;
  if (job.keeper_deaths >= settings.keeper_deaths_max) return Rerun::suspected;
  return most > 0 ? Rerun::allowed : Rerun::used_up;  // 0: its user wants it to run once at most
}

Duration pause_before_rerun(const Job& job, const RequestId& request, bool keeper_died, Duration ran,
                            const JobManagerSettings& settings) {
  const Duration pause = settings.rerun_pause;
  if (!keeper_died) return job.reruns == 0 ? Duration{} : doubled(pause / parts_of_pause, job.reruns - 1);
  const Duration length = doubled(pause, job.keeper_deaths - 1);
  return length + share_of(length, request) + std::clamp(ran, Duration{}, pause * pauses_for_running);
}

std::string text_of_suspicion(std::uint32_t keeper_deaths) {
  return "it ran, or was being started, at " + std::to_string(keeper_deaths) +
         (keeper_deaths == 1 ? " death of a keeper" : " deaths of keepers") +
         " of jobs: it may be the cause, and isn't run again";
}

}  // namespace dmm
