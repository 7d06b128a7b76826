// The question of people to a resource manager: "resource". Values of the manager as JSON (docs/protocol.md section 9).
#pragma once

#include <optional>
#include <string_view>

#include "daemons/answers/view_time.hpp"
#include "protocol/messages.hpp"
#include "resmgr/backend_state.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {

/// The answer to a question of people to a resource manager (protocol/questions.hpp); nothing for any other verb.
std::optional<Answer> answer_resource(const ResourceManager& manager, const BackendState& backend,
                                      const ViewTime& time, const Ask& ask);

}  // namespace dmm
