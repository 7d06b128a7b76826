// Why a job waits, as sentences: one for each reason that a site can give (protocol/reasons.hpp), which requests and
// borrowers have the nodes that it waits for, and what would start it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dmm {

/// What a site's reject means: "das-3: has too few free nodes, and so had each site beyond it". `most`: the value of
/// the limit behind the reason; 0 if it isn't given.
std::string reject_sentence(const std::string& site, const std::string& reason, std::uint64_t most = 0);

/// Answers to "site", by site, of sites that could be asked directly: a hint only says that they have no room.
using KnownSites = std::map<std::string, nlohmann::ordered_json>;

/// Lines for a site manager's answer to "why". `waited_seconds`: the wait for the present attempt, as counted by the
/// job manager. Without it the site's count is shown, which begins at the first submission and includes the runs of
/// earlier attempts.
std::vector<std::string> wait_sentences(const nlohmann::ordered_json& answer, const KnownSites& others = {},
                                        std::optional<double> waited_seconds = {});

}  // namespace dmm
