#include "cli/testbed/feeder.hpp"

#include <utility>

namespace dmm {
namespace {

/// Jobs in a message: about 100 KiB, half of the limit.
constexpr std::size_t feeder_batch_max = 300;

}  // namespace

Instant Feeder::next_due() const {
  if (next_ == plan_.jobs.size()) return never;
  return start_ + from_seconds(plan_.jobs[next_].at_seconds);
}

void Feeder::submit_due(Instant now) {
  std::map<std::size_t, std::vector<std::size_t>> batches;  // by manager
  for (; next_ < plan_.jobs.size() && next_due() <= now; ++next_) {
    auto& batch = batches[plan_.jobs[next_].manager];
    batch.push_back(next_);
    if (batch.size() == feeder_batch_max) hand_over(plan_.jobs[next_].manager, batch);
  }
  for (auto& [manager, batch] : batches) hand_over(manager, batch);
}

void Feeder::hand_over(std::size_t manager, std::vector<std::size_t>& jobs) {
  if (jobs.empty()) return;
  std::vector<JobDescription> descriptions;
  for (const std::size_t job : jobs) descriptions.push_back(description_of(plan_.jobs[job], dttl_));
  const std::uint64_t token = pool_.submit(numbers_[manager], std::move(descriptions));
  open_[token] = {manager, std::exchange(jobs, {})};
}

bool Feeder::take(const Reply& reply) {
  const auto batch = open_.find(reply.token);
  if (batch == open_.end()) return false;
  const std::vector<std::size_t>& jobs = batch->second.jobs;
  if (reply.fault.empty() && reply.submitted.jobs == jobs.size()) {
    for (std::size_t i = 0; i < jobs.size(); ++i)
      jobs_[{batch->second.manager, reply.submitted.first_job + i}] = jobs[i];
    accepted_ += jobs.size();
  } else {
    refused_ += jobs.size();
    faults_.push_back(std::to_string(jobs.size()) + " jobs were not accepted: " + reply.fault);
  }
  open_.erase(batch);
  return true;
}

const PlannedJob* Feeder::find(std::size_t manager, std::uint64_t number) const {
  const auto found = jobs_.find({manager, number});
  return found == jobs_.end() ? nullptr : &plan_.jobs[found->second];
}

}  // namespace dmm
