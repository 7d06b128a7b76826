// The question of people to a batch manager: "batch". Its nodes and its knowledge of the batch system, as JSON
// (docs/protocol.md section 9).
#pragma once

#include <optional>

#include "batchmgr/batch_manager.hpp"
#include "daemons/answers/view_time.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// Nothing for any other verb.
std::optional<Answer> answer_batch(const BatchManager& manager, const ViewTime& time, const Ask& ask);

}  // namespace dmm
