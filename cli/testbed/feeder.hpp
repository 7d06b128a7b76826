// Submits the jobs of a plan in batches when they are due. It never waits for an answer, so that the display goes on.
// Remembers the number that a job manager gave to each job of the plan.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/testbed/workload_plan.hpp"
#include "runtime/client.hpp"

namespace dmm {

class Feeder {
 public:
  /// `numbers`: for each of the plan's managers its number in the pool.
  Feeder(ClientPool& pool, const WorkloadPlan& plan, std::vector<std::size_t> numbers, std::uint32_t dttl)
      : pool_(pool), plan_(plan), numbers_(std::move(numbers)), dttl_(dttl) {}

  /// Sets the moment from which the plan counts.
  void start(Instant now) { start_ = now; }
  /// Submits the jobs that are due.
  void submit_due(Instant now);
  /// When the next job is due; `never` if none is left.
  Instant next_due() const;
  /// Takes an answer; false if it doesn't answer a submission.
  bool take(const Reply& reply);

  std::size_t submitted() const { return next_; }
  std::size_t accepted() const { return accepted_; }
  std::size_t refused() const { return refused_; }
  /// Whether everything was submitted and answered.
  bool done() const { return next_ == plan_.jobs.size() && all_answered(); }
  /// Whether everything that was submitted was answered.
  bool all_answered() const { return open_.empty(); }
  const std::vector<std::string>& faults() const { return faults_; }

  /// The job of the plan that a job manager (by index in the plan) knows under this number.
  const PlannedJob* find(std::size_t manager, std::uint64_t number) const;

 private:
  void hand_over(std::size_t manager, std::vector<std::size_t>& jobs);

  ClientPool& pool_;
  const WorkloadPlan& plan_;
  std::vector<std::size_t> numbers_;
  std::uint32_t dttl_;
  Instant start_{};
  std::size_t next_ = 0;
  std::size_t accepted_ = 0;
  std::size_t refused_ = 0;
  struct Batch {
    std::size_t manager = 0;
    std::vector<std::size_t> jobs;
  };
  std::map<std::uint64_t, Batch> open_;                                ///< by token
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> jobs_;  ///< manager and number -> job of the plan
  std::vector<std::string> faults_;
};

}  // namespace dmm
