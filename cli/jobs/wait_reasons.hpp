// Why a job waits, as sentences: one for each of the reasons that a site can give (protocol/reasons.hpp), who has what
// the job waits for, and what would start it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dmm {

/// What a rejecting site meant: "das-3: has too few free nodes, and so had each site beyond it". `most`: what the
/// limit allows that is the reason; 0 if it isn't said.
std::string reject_sentence(const std::string& site, const std::string& reason, std::uint64_t most = 0);

/// The answers to "site" of sites that could be asked directly, by name: of whom a hint says no more than that they
/// have no room.
using KnownSites = std::map<std::string, nlohmann::ordered_json>;

/// Lines for the answer of a site manager to "why". `waited_seconds`: the wait for the present attempt, as the job
/// manager counts it. The site counts from the first submission, runs of earlier attempts included; without
/// `waited_seconds` its count is told.
std::vector<std::string> wait_sentences(const nlohmann::ordered_json& answer, const KnownSites& others = {},
                                        std::optional<double> waited_seconds = {});

}  // namespace dmm
