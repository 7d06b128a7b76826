// What people may ask a job manager: "queue", "job" and "counts", and what its user may order (job_orders.hpp).
// Values of the manager as JSON (docs/protocol.md section 9).
#pragma once

#include <optional>
#include <string_view>

#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"
#include "views/view_time.hpp"

namespace dmm {

constexpr std::string_view job_verbs =
    "queue, job, counts, cancel, hold, release, alter, output, fetch_output, holdings";

/// The answer to one of job_verbs; nothing for any other verb. What an order calls for comes out in `effects`, and
/// is to be followed by settle.
std::optional<Answer> answer_jobs(JobManager& jobs, const ViewTime& time, const Ask& ask, JobManagerEffects& effects);

}  // namespace dmm
