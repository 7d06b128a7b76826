// What `dmm sites` shows, made from site managers' answers to "site" and "links". Pure: answers in, text out. An answer
// with missing or odd members shows less, but never hides another answer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// One object for the site: its answer to "site", with "up" true. Its links also have what its sessions know (the
/// answer to "links").
nlohmann::ordered_json site_with_sessions(nlohmann::ordered_json site, const nlohmann::ordered_json& links);

/// The session with another site in a manager's answer to "links"; an empty object if there is none.
nlohmann::ordered_json session_with(const nlohmann::ordered_json& links, const std::string& site);

/// A site that gave no answer.
nlohmann::ordered_json site_without_answer(const std::string& site, const std::string& fault);

/// Whether a site manager, a resource manager or a link is down.
bool is_anything_down(const std::vector<nlohmann::ordered_json>& sites);

/// Tables of sites, links and borrowers, then a line for each thing that keeps nodes from being used.
std::string render_sites(const std::vector<nlohmann::ordered_json>& sites, const Style& style);

}  // namespace dmm
