// Conditions of waiting jobs and their indices; see eligibility.hpp.
#include "jobmgr/eligibility.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

bool is_met(DependencyKind kind, JobState state) {
  DMM_ASSERT(state == JobState::running || is_over(state));
  switch (kind) {
    case DependencyKind::after:
    case DependencyKind::after_any: return true;
    case DependencyKind::after_ok: return state == JobState::finished;
    case DependencyKind::after_not_ok: return state != JobState::finished;
  }
  return false;
}

void Eligibility::add(std::uint64_t job, Conditions conditions) {
  DMM_ASSERT(conditions.any() && !kept_.contains(job));
  std::erase_if(conditions.awaits, [&](const Dependency& one) {
    return !dependents_.insert({one.job, one.kind, job}).second;  // said twice
  });
  begins_.restore(conditions.begin_at, job);
  kept_.put(job, std::move(conditions));
}

bool Eligibility::is_held(std::uint64_t job) const {
  const Conditions* found = kept_.find(job);
  return found != nullptr && found->held;
}

void Eligibility::drop(std::uint64_t job) {
  Conditions* found = kept_.find(job);
  if (found == nullptr) return;
  begins_.set(found->begin_at, job, never);
  for (const Dependency& one : found->awaits) {
    const bool was_there = dependents_.erase({one.job, one.kind, job}) == 1;
    DMM_ASSERT(was_there);
  }
  kept_.erase(job);
}

void Eligibility::hold(Instant now, std::uint64_t job) {
  Conditions& conditions = kept_[job];
  DMM_ASSERT(!conditions.held);
  if (!conditions.any()) conditions.since = now;
  conditions.held = true;
}

void Eligibility::release(std::uint64_t job) {
  Conditions& conditions = kept_.at(job);
  DMM_ASSERT(conditions.held);
  conditions.held = false;
}

void Eligibility::end_begin(std::uint64_t job) {
  Conditions& conditions = kept_.at(job);
  DMM_ASSERT(conditions.begin_at != never);
  begins_.set(conditions.begin_at, job, never);
}

std::set<Eligibility::Dependent>::const_iterator Eligibility::first_dependent(std::uint64_t awaited) const {
  const auto first = dependents_.lower_bound({awaited, DependencyKind::after, 0});
  return first != dependents_.end() && first->awaited == awaited ? first : dependents_.end();
}

bool Eligibility::is_awaited(std::uint64_t job) const { return first_dependent(job) != dependents_.end(); }

std::vector<std::uint64_t> Eligibility::awaited(std::uint64_t first, std::uint64_t count) const {
  std::vector<std::uint64_t> jobs;
  for (auto it = dependents_.lower_bound({first, DependencyKind::after, 0});
       it != dependents_.end() && it->awaited - first < count; ++it)
    if (jobs.empty() || jobs.back() != it->awaited) jobs.push_back(it->awaited);
  return jobs;
}

void Eligibility::note(std::uint64_t job, JobState state) {
  DMM_ASSERT(state == JobState::running || is_over(state));
  if (is_awaited(job)) news_[job] = state;
}

std::optional<Eligibility::Told> Eligibility::take_told() {
  while (!news_.empty()) {
    const auto [awaited, state] = *news_.begin();
    const auto first = first_dependent(awaited);
    const bool concerns = first != dependents_.end() && (is_over(state) || first->kind == DependencyKind::after);
    if (!concerns) {
      news_.erase(news_.begin());
      continue;
    }
    const Told told{first->job, {first->kind, awaited}, state};
    dependents_.erase(first);
    const std::size_t erased = std::erase(kept_.at(told.job).awaits, told.dependency);
    DMM_ASSERT(erased == 1);
    return told;
  }
  return std::nullopt;
}

std::optional<Duration> Eligibility::take_freed(Instant now, std::uint64_t job) {
  const Conditions* found = kept_.find(job);
  if (found == nullptr || found->any()) return std::nullopt;
  const Duration length = std::max(now - found->since, Duration{});
  kept_.erase(job);
  DMM_ASSERT(is_eligible(job));
  return length;
}

std::string Eligibility::broken_invariant() const {
  std::size_t begins = 0, dependents = 0;
  for (const std::uint64_t job : kept_.keys()) {
    const Conditions& conditions = kept_.at(job);
    const std::string name = "job " + std::to_string(job) + ": ";
    if (!conditions.any()) return name + "kept back by nothing";
    begins += conditions.begin_at != never;
    if (conditions.begin_at != never && !begins_.contains(conditions.begin_at, job))
      return name + "its begin time is missing";
    dependents += conditions.awaits.size();
    for (const Dependency& one : conditions.awaits)
      if (!dependents_.contains({one.job, one.kind, job}))
        return name + "it would not hear of a job that it awaits";
  }
  if (begins != begins_.size()) return "a begin time is left over";
  if (dependents != dependents_.size()) return "a dependency is left over";
  return {};
}

}  // namespace dmm
