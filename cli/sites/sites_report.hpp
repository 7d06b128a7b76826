// What `dmm sites` shows, made of the answers of site managers to "site" and "links". Pure: answers in, text out; an
// answer that lacks something or has it in another form shows less, and hides no other one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// One object a site: its answer to "site", its links completed with what its sessions know (the answer to "links"),
/// and "up" true.
nlohmann::ordered_json site_with_sessions(nlohmann::ordered_json site, const nlohmann::ordered_json& links);

/// The session with another site of a manager's answer to "links"; an empty object if there is none.
nlohmann::ordered_json session_with(const nlohmann::ordered_json& links, const std::string& site);

/// A site that gave no answer.
nlohmann::ordered_json site_without_answer(const std::string& site, const std::string& fault);

/// Whether a site manager, a resource manager or a link is down.
bool is_anything_down(const std::vector<nlohmann::ordered_json>& sites);

/// Tables of sites, links and borrowers, then a line for whatever keeps nodes from being used.
std::string render_sites(const std::vector<nlohmann::ordered_json>& sites, const Style& style);

}  // namespace dmm
