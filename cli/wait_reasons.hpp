// Why a job waits, as sentences: one for each of the reasons that a site can give (protocol/reasons.hpp). Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dmm {

/// What a rejecting site meant: "das-3: has too few free nodes, and nobody beyond it had them".
std::string reject_sentence(const std::string& site, const std::string& reason);

/// Lines for the answer of a site manager to "why".
std::vector<std::string> wait_sentences(const nlohmann::ordered_json& answer);

}  // namespace dmm
