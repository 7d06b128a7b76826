// The job manager's steps about jobs that wait and may not be asked for yet (docs/protocol.md section 8.28). They
// take the conditions of a submission, what the user changes of a job, begin times that come, and news of jobs
// that others depend on.
#pragma once

#include <optional>

#include "jobmgr/job_step.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What a user changes of a job that waits; what isn't given stays.
struct Alteration {
  std::optional<bool> held = {};
  std::optional<std::int32_t> priority = {};
  std::optional<std::uint64_t> wall_seconds = {};
};

struct Altered {
  bool changed = false;  ///< false: refused, or it was so already
  WhyNot fault;
};

namespace job_steps {

/// Dependencies on elements become dependencies on these elements' own jobs. Returns which of all dependencies is
/// on a job that this job manager doesn't know; empty if there is none.
WhyNot resolve_dependencies(const JobParts& parts, Submit& submit);
/// As its user knows it: "job 5", or "element 1_3".
std::string name_of(const Job& job);
/// As its user named it: an element by its array and its index.
Dependency as_named(const JobParts& parts, const Dependency& dependency);
/// Moves the conditions of a new job from its description to Eligibility.
void take_conditions(JobStep& s, Job& job);
/// Eligibility hears how far the job that is depended on has come already. One that isn't known any more counts as
/// lost.
void note_dependency(JobParts& parts, const Dependency& dependency);
/// Changes a waiting job. The home site hears it as the end of one request and the beginning of another, which
/// ranks by the same wait.
Altered alter(JobStep& s, std::uint64_t number, const Alteration& wanted);
/// Jobs with a begin time that has come are asked for, if nothing else keeps them back.
void end_begins(JobStep& s);
/// Elements without a job that come to an end so: their dependents will hear of it.
void note_left_over(JobParts& parts, std::uint64_t array, JobState outcome);
/// Jobs that depend on one that has begun or is over hear it, a thousand in each step.
void tell_dependents(JobStep& s);
/// All that depend on this job or its elements, which are over, hear it: its record is about to go.
void tell_all_dependents(JobStep& s, std::uint64_t number);

}  // namespace job_steps
}  // namespace dmm
