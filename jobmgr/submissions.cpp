// The checks before acceptance, and the answers that were given.
#include "jobmgr/submissions.hpp"

#include "manager/assert.hpp"
#include "protocol/programs.hpp"

namespace dmm {
namespace {

template <class Entry>
SubmissionRecord record_of(const Entry& entry) {
  const auto& [question, answer] = entry;
  return {question.second, question.first, answer.first_job, answer.jobs};
}

}  // namespace

WhyNot fault_of(const Submit& submit) {
  if (submit.jobs.empty()) return "no jobs were submitted";
  for (std::size_t i = 0; i < submit.jobs.size(); ++i)
    if (std::string fault = fault_of(submit.jobs[i]); !fault.empty())
      return submit.jobs.size() == 1 ? fault : "job " + std::to_string(i + 1) + " of the submission: " + fault;
  return {};
}

std::size_t jobs_of(const Submit& submit) {
  std::size_t jobs = submit.jobs.size();
  for (const JobDescription& job : submit.jobs) jobs += job.array.size();
  return jobs;
}

const Submitted* Submissions::find(const Party& client, std::uint64_t token) const {
  const auto it = answers_.find({token, client});
  DMM_ASSERT(it == answers_.end() || it->second.token == token);
  return it == answers_.end() ? nullptr : &it->second;
}

std::optional<SubmissionRecord> Submissions::remember(const Party& client, const Submitted& answer) {
  DMM_ASSERT(order_.size() <= remembered_max_);
  const auto [it, is_new] = answers_.emplace(Question{answer.token, client}, answer);
  if (!is_new) return std::nullopt;
  order_.push_back(it);
  DMM_ASSERT(order_.size() == answers_.size());
  if (order_.size() <= remembered_max_) return std::nullopt;
  SubmissionRecord dropped = record_of(*order_.front());
  answers_.erase(order_.front());
  order_.pop_front();
  DMM_ASSERT(order_.size() == answers_.size() && answers_.size() == remembered_max_);
  return dropped;
}

std::vector<SubmissionRecord> Submissions::records() const {
  DMM_ASSERT(order_.size() == answers_.size());
  std::vector<SubmissionRecord> rows;
  for (const auto& entry : answers_) rows.push_back(record_of(entry));
  return rows;
}

}  // namespace dmm
