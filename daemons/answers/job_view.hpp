// What people may ask a job manager: "queue", "job" and "counts", and what its user may order (job_orders.hpp).
// Values of the manager as JSON (docs/protocol.md section 9).
#pragma once

#include <optional>
#include <string_view>

#include "daemons/answers/view_time.hpp"
#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// The answer to a question that people ask a job manager (protocol/questions.hpp); nothing for any other verb.
/// What an order calls for comes out in `effects`, and is to be followed by settle.
std::optional<Answer> answer_jobs(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                  JobManagerEffects& effects);

}  // namespace dmm
