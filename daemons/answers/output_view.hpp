// The questions of people about a job's output: "output", and the order "fetch_output". Values of the manager as JSON
// (docs/protocol.md section 9).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "daemons/answers/view_time.hpp"
#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// How a job's output came home: {"state", "reason", "at_lender", "waits_seconds"}.
nlohmann::ordered_json output_json(const JobView& job, const ViewTime& time);

/// The answer to one of the two verbs; nothing for any other verb. `folder` is the manager's own. The effects of
/// fetching are added to `effects`; call settle next.
std::optional<Answer> answer_output(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                    const std::string& folder, JobManagerEffects& effects);

}  // namespace dmm
