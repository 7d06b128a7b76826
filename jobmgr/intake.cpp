// Submissions, repeated ones, and the files of jobs; see intake.hpp.
#include "jobmgr/intake.hpp"

#include "manager/assert.hpp"

namespace dmm {

bool Intake::is_repeated(const Submit& submit, const Submitted& answer, const JobTable& jobs) {
  DMM_ASSERT(submit.token == answer.token);
  if (submit.jobs.size() != answer.jobs) return false;
  for (std::size_t i = 0; i < submit.jobs.size(); ++i) {
    const Job* job = jobs.find(answer.first_job + i);
    if (!job) continue;
    const JobDescription &is = submit.jobs[i], &was = job->description;
    if (is.array != was.array || is.name != was.name || is.output_path != was.output_path ||
        is.error_path != was.error_path)
      return false;
    if (is_over(job->state)) continue;  // its program and need are kept no longer
    const Program &now = is.program, &then = was.program;
    if (is.need != was.need || now.arguments != then.arguments) return false;
    if (now.script != then.script || now.input != then.input) return false;
  }
  return true;
}

WhyNot Intake::take_output_paths(const Submit& submit) {
  DMM_ASSERT(next_job_ > 0);  // 0 names no job
  for (std::size_t i = 0; i < submit.jobs.size(); ++i) {
    std::string fault = output_paths_.take(next_job_ + i, submit.jobs[i]);
    if (fault.empty()) continue;
    while (i-- > 0) output_paths_.give_back(next_job_ + i, submit.jobs[i]);
    return fault;
  }
  return {};
}

}  // namespace dmm
