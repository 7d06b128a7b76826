// Orders of the user to a job manager: "cancel", "hold", "release" and "alter" (docs/protocol.md section 9).
#pragma once

#include <optional>

#include "daemons/answers/view_time.hpp"
#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// The answer to one of these orders; nothing for any other verb. Its effects are added to `effects`; call settle next.
std::optional<Answer> answer_job_orders(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                        JobManagerEffects& effects);

}  // namespace dmm
