// The questions of people to a site manager: "site", "leases", "nodes", "usage", "queue", "why". Values of the manager
// as JSON (docs/protocol.md section 9).
#pragma once

#include <optional>
#include <string_view>

#include "daemons/answers/view_time.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

/// The answer to a question of people to a site manager (protocol/questions.hpp); nothing for any other verb.
std::optional<Answer> answer_site(const SiteManager& site, const ViewTime& time, const Ask& ask);

}  // namespace dmm
