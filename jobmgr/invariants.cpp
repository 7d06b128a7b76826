// What must hold of a job manager between any two events, recounted from nothing. For tests, the simulator's
// checkers and readers that want to know what the tables mean to one another.
#include <array>
#include <set>

#include "jobmgr/invariants.hpp"

namespace dmm {
namespace {

// What one job's attempt says by itself; empty if all is well.
WhyNot fault_of(const Attempt& run, JobState state) {
  std::uint32_t open = 0;
  std::uint32_t unstarted = 0;
  const bool ended = state == JobState::collecting || is_over(state);
  for (const ComponentRun& component_run : run.components) {
    open += component_run.phase != ComponentPhase::over;
    unstarted += component_run.phase == ComponentPhase::queued || component_run.phase == ComponentPhase::asked;
    if (component_run.counted && component_run.phase != ComponentPhase::asked)
      return "a start counts that isn't under way";
    if (component_run.stopping && state != JobState::ending && !ended) return "stopped while in use";
    if (state == JobState::ending && component_run.phase != ComponentPhase::over && component_run.due == never)
      return "an end is awaited for ever";
    if (component_run.lease >= run.leases.size()) return "a component under no lease";
  }
  if (open != run.open || unstarted != run.unstarted) return "components are miscounted";
  if (ended != (open == 0)) return "components run while output is collected";
  if (ended && run.holds()) return "nodes are held after the end";
  if (state == JobState::running && unstarted > 0) return "it runs before all components started";
  return {};
}

/// What jobs and their arrays say of one another.
WhyNot fault_of_arrays(const JobParts& parts) {
  std::size_t open = 0;
  for (const std::uint64_t number : parts.arrays.numbers()) {
    const Job* array = parts.jobs.find(number);
    const JobArray& elements = *parts.arrays.find(number);
    const std::string name = "array " + std::to_string(number) + ": ";
    if (!array || !array->is_array()) return name + "no job stands for it";
    if (is_over(array->state) != elements.is_over())
      return name + "it and its elements disagree whether it is over";
    for (const std::uint32_t position : elements.open)
      if (const Job* element = parts.jobs.find(elements.number_at(position));
          !element || element->array != number || is_over(element->state))
        return name + "an open element has no open job";
    open += elements.open.size();
  }
  for (const auto& [number, job] : parts.jobs.all()) open -= job->array != 0 && !is_over(job->state);
  if (open != 0) return "open elements are miscounted";
  return parts.arrays.broken_invariant();
}

/// What the jobs say, added up: each sum is compared with the part that counts the same.
struct Recount {
  std::uint32_t starts = 0;
  std::size_t dues = 0;
  std::size_t looks = 0;
  std::size_t uses = 0;
  std::size_t pauses = 0;
};

using NumbersByState = std::array<std::set<std::uint64_t>, job_state_count>;

/// Whether each job is in the set of one state; `in_state` gets these sets.
WhyNot fault_of_states(const JobParts& parts, NumbersByState& in_state) {
  std::size_t by_state = 0;
  for (std::size_t s = 0; s < job_state_count; ++s) {
    const auto state = static_cast<JobState>(s);
    const std::vector<std::uint64_t> numbers = parts.jobs.in(state);
    if (numbers.size() != parts.jobs.count(state)) return "the jobs by state are miscounted";
    in_state[s].insert(numbers.begin(), numbers.end());
    by_state += numbers.size();
  }
  if (by_state != parts.jobs.size()) return "the sets by state don't add up";
  return {};
}

/// What a job says of its leases, and what is known of them; empty if all is well.
WhyNot fault_of_leases(const JobParts& parts, const Job& job, Recount& sums) {
  if (job.places.size() != job.run->leases.size()) return "its leases and its places disagree";
  for (const LeaseUse& use : job.run->leases) {
    sums.uses += job.run->open > 0;
    if (job.run->open > 0 && !parts.leases.is_open(use.lease, job.number))
      return "no news of its lease would come";
    if (use.holds != parts.leases.holds(use.lease, job.number)) return "its lease disagrees";
  }
  return {};
}

/// What a job says of its components, and what is known of them; empty if all is well.
WhyNot fault_of_components(const JobParts& parts, const Job& job, Recount& sums) {
  for (std::uint32_t i = 0; i < job.run->components.size(); ++i) {
    const ComponentRun& component_run = job.run->components[i];
    sums.starts += component_run.counted;
    sums.dues += component_run.due != never;
    if (component_run.due != never && !parts.due.contains(component_run.due, {job.number, i}))
      return "a due time is missing";
    sums.looks += component_run.look_due != never;
    if (component_run.look_due != never && !parts.looks.contains(component_run.look_due, {job.number, i}))
      return "a look is missing";
    const bool runs =
        component_run.phase == ComponentPhase::asked || component_run.phase == ComponentPhase::started;
    if (runs && !parts.managers.has(component_run.manager, {job.number, i})) return "its manager doesn't know it";
  }
  return {};
}

/// What is wrong with one job; empty if all is well.
WhyNot fault_of_job(const JobParts& parts, const Job& job, const NumbersByState& in_state, Recount& sums) {
  if (!in_state[static_cast<std::size_t>(job.state)].contains(job.number)) return "not in the set of its state";
  if (job.run ? job.state == JobState::waiting : has_attempt(job.state)) return "an attempt in the wrong state";
  if (is_over(job.state) && !job.ended) return "over without an end";
  sums.pauses += job.again_at != never;
  if (job.again_at != never && (job.state != JobState::waiting || !parts.pauses.contains(job)))
    return "its pause is missing";
  if (!job.run) return {};
  if (std::string fault = fault_of(*job.run, job.state); !fault.empty()) return fault;
  if (std::string fault = fault_of_leases(parts, job, sums); !fault.empty()) return fault;
  return fault_of_components(parts, job, sums);
}

}  // namespace

WhyNot job_steps::broken_invariant(const JobParts& parts) {
  Recount sums;
  NumbersByState in_state;
  if (std::string fault = fault_of_states(parts, in_state); !fault.empty()) return fault;
  for (const auto& [number, job] : parts.jobs.all())
    if (std::string fault = fault_of_job(parts, *job, in_state, sums); !fault.empty())
      return "job " + std::to_string(number) + ": " + fault;
  if (sums.pauses != parts.pauses.size()) return "a pause is left over";
  for (const std::uint64_t number : parts.eligibility.jobs())
    if (const Job* job = parts.jobs.find(number); !job || job->state != JobState::waiting)
      return "job " + std::to_string(number) + ": kept back, and doesn't wait";
  if (std::string fault = fault_of_arrays(parts); !fault.empty()) return fault;
  if (std::string fault = parts.eligibility.broken_invariant(); !fault.empty()) return fault;
  if (sums.starts != parts.starts.under_way()) return "starts under way are miscounted";
  if (sums.uses != parts.leases.all_open().size()) return "an attempt is over but still listed";
  if (sums.dues != parts.due.size() || sums.looks != parts.looks.size()) return "a due time is left over";
  return {};
}

}  // namespace dmm
