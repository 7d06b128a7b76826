#include "cli/sites/batch_beliefs.hpp"

#include <map>

#include "cli/sites/batch_report.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {
namespace {

/// By resource manager: the state of nodes that the site has free, leased or in cleaning.
std::map<std::string, std::string> offered_in(const std::vector<Json>& rows) {
  std::map<std::string, std::string> offered;
  for (const Json& row : rows)
    if (const std::string state = text_in(row, "state");
        state == "free" || state == "leased" || state == "cleaning")
      offered.emplace(text_in(row, "resource_manager"), state);
  return offered;
}

std::string node_disagreement(const Json& node, const std::map<std::string, std::string>& offered,
                              const std::string& system) {
  const std::string name = shown(node, "node"), state = shown(node, "state"), pilot = shown(node, "pilot");
  const auto found = offered.find(offering_manager(node));
  const bool is_offered = found != offered.end();
  if (state == "held" && !is_offered) return name + ": pilot " + pilot + " holds it, and the site doesn't have it";
  if (state != "held" && is_offered)
    return name + ": the site says " + found->second + ", and " + system + " says " + state + ", without a pilot";
  return {};
}

std::string guest_disagreement(const Json& guest, const std::string& system) {
  const std::string name = shown(guest, "node"), state = shown(guest, "state"), job = shown(guest, "job");
  if (state == "joining") return name + ": job " + job + " of DMM runs it, and " + system + " doesn't have it";
  const bool has_joined = state == "idle" || state == "local job" || state == "leaving";
  return has_joined && job.empty() ? name + ": " + system + " has it, and no job of DMM runs it" : std::string();
}

}  // namespace

std::vector<std::string> batch_disagreements(const std::vector<Json>& rows, const Json& batch) {
  const auto offered = offered_in(rows);
  const std::string system = shown(batch, "system");
  std::vector<std::string> found;
  const auto add = [&](const std::string& one) {
    if (!one.empty()) found.push_back(one);
  };
  if (const std::string fault = shown(batch, "fault"); !fault.empty())
    add(system + " can't be looked at: " + fault);
  for (const Json& node : rows_in(batch, "nodes")) add(node_disagreement(node, offered, system));
  for (const Json& guest : rows_in(batch, "borrowed")) add(guest_disagreement(guest, system));
  return found;
}

}  // namespace dmm
