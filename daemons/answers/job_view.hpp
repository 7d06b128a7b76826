// The questions of people to a job manager: "queue", "job" and "counts", and the orders of its user (job_orders.hpp).
// Values of the manager as JSON (docs/protocol.md section 9).
#pragma once

#include <optional>
#include <string_view>

#include "daemons/answers/view_time.hpp"
#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// The answer to a question of people to a job manager (protocol/questions.hpp); nothing for any other verb. The
/// effects of an order are added to `effects`; call settle next.
std::optional<Answer> answer_jobs(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                  JobManagerEffects& effects);

}  // namespace dmm
