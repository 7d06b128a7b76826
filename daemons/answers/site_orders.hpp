// Orders of the owner to a site manager: "reclaim", "drain", "resume", "forget" and "expect" (docs/protocol.md section
// 9).
#pragma once

#include <optional>

#include "daemons/answers/view_time.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

/// Carries out an order and answers it; nothing for any other verb. The order's effects are added to `effects`; call
/// settle next.
std::optional<Answer> order_site(SiteManager& site, const ViewTime& time, const Ask& ask,
                                 SiteManagerEffects& effects);

}  // namespace dmm
