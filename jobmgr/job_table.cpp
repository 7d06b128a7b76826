// Keeps the sets by state in step with the jobs; next() decides which steps there are.
#include "jobmgr/job_table.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::array outcomes{JobState::finished, JobState::failed, JobState::cancelled, JobState::lost};

}  // namespace

Job& JobTable::add(Job job) {
  DMM_ASSERT(!job.run && !job.ended);
  job.state = JobState::waiting;
  note_ever(job, JobState::waiting);
  return insert(std::move(job));
}

Job& JobTable::restore(Job job) {
  DMM_ASSERT(static_cast<std::size_t>(job.state) < job_state_count);
  DMM_ASSERT(is_over(job.state) || has_attempt(job.state) == (job.run != nullptr));
  // The states that it certainly came to, so that counts go on over a restart.
  note_ever(job, JobState::waiting);
  if (job.granted) note_ever(job, JobState::starting);
  if (job.started) note_ever(job, JobState::running);
  if (job.state > JobState::running) note_ever(job, job.state);
  return insert(std::move(job));
}

Job& JobTable::insert(Job job) {
  const std::uint64_t number = job.number;
  const auto [it, is_new] = jobs_.emplace(number, std::make_unique<Job>(std::move(job)));
  DMM_ASSERT(is_new);
  ++counts_[static_cast<std::size_t>(it->second->state)];
  DMM_ASSERT(count(it->second->state) <= jobs_.size());
  enter(*it->second);
  return *it->second;
}

Job* JobTable::find(std::uint64_t number) {
  const auto it = jobs_.find(number);
  return it == jobs_.end() ? nullptr : it->second.get();
}

const Job* JobTable::find(std::uint64_t number) const {
  const auto it = jobs_.find(number);
  return it == jobs_.end() ? nullptr : it->second.get();
}

void JobTable::change(Job& job, JobEvent event) {
  const auto state = next(job.state, event);
  DMM_ASSERT(state.has_value());
  DMM_ASSERT(count(job.state) > 0);
  const bool stays = has_attempt(job.state) && has_attempt(*state);
  DMM_ASSERT(!stays || with_attempt_.contains(job.number));
  if (!stays) leave(job);
  --counts_[static_cast<std::size_t>(job.state)];
  job.state = *state;
  ++counts_[static_cast<std::size_t>(*state)];
  DMM_ASSERT(count(*state) <= jobs_.size());
  if (!stays) enter(job);
  note_ever(job, *state);
}

void JobTable::note_ever(const Job& job, JobState state) {
  if (!job.is_array()) ++ever_[static_cast<std::size_t>(state)];
}

void JobTable::enter(const Job& job) {
  const bool is_new = has_attempt(job.state)
                          ? with_attempt_.insert(job.number)
                          : by_state_[static_cast<std::size_t>(job.state)].insert(job.number).second;
  DMM_ASSERT(is_new);
}

void JobTable::leave(const Job& job) {
  const bool was_there = has_attempt(job.state)
                             ? with_attempt_.erase(job.number)
                             : by_state_[static_cast<std::size_t>(job.state)].erase(job.number) == 1;
  DMM_ASSERT(was_there);
}

std::vector<std::uint64_t> JobTable::in(JobState state, std::uint64_t from, std::size_t most) const {
  std::vector<std::uint64_t> numbers;
  if (has_attempt(state)) {
    DMM_ASSERT(with_attempt_.size() >= count(state));
    const std::vector<std::uint64_t> all = with_attempt_.sorted();
    for (auto it = std::lower_bound(all.begin(), all.end(), from); it != all.end() && numbers.size() < most; ++it)
      if (find(*it)->state == state) numbers.push_back(*it);
    return numbers;
  }
  const auto& all = by_state_[static_cast<std::size_t>(state)];
  DMM_ASSERT(all.size() == count(state));
  for (auto it = all.lower_bound(from); it != all.end() && numbers.size() < most; ++it) numbers.push_back(*it);
  return numbers;
}

std::size_t JobTable::open() const {
  std::size_t ended = 0;
  for (JobState state : outcomes) ended += count(state);
  DMM_ASSERT(ended <= jobs_.size());
  return jobs_.size() - ended;
}

Job* JobTable::oldest_ended() {
  std::uint64_t oldest = 0;
  for (JobState state : outcomes)
    if (const auto& numbers = by_state_[static_cast<std::size_t>(state)];
        !numbers.empty() && (oldest == 0 || *numbers.begin() < oldest))
      oldest = *numbers.begin();
  Job* job = find(oldest);
  DMM_ASSERT(!job || is_over(job->state));
  return job;
}

bool JobTable::forget(std::uint64_t number) {
  const auto it = jobs_.find(number);
  if (it == jobs_.end()) return false;
  const JobState state = it->second->state;
  if (std::find(outcomes.begin(), outcomes.end(), state) == outcomes.end()) return false;
  DMM_ASSERT(!it->second->run && count(state) > 0);
  leave(*it->second);
  --counts_[static_cast<std::size_t>(state)];
  jobs_.erase(it);
  DMM_ASSERT(count(state) <= jobs_.size());
  return true;
}

}  // namespace dmm
