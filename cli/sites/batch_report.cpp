// The table of a batch system's nodes; see batch_report.hpp.
#include "cli/sites/batch_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {

using Json = nlohmann::ordered_json;

std::string offering_manager(const Json& node) {
  const std::string manager = text_in(node, "resource_manager");
  return manager.empty() ? text_in(node, "node") : manager;
}

/// The resource managers of nodes that a pilot holds.
static std::set<std::string> held_in(const Json& batch) {
  std::set<std::string> held;
  for (const Json& node : rows_in(batch, "nodes"))
    if (text_in(node, "state") == "held") held.insert(offering_manager(node));
  return held;
}

static std::map<std::string, const Json*> by_manager(const std::vector<Json>& rows) {
  std::map<std::string, const Json*> found;
  for (const Json& row : rows) found.emplace(text_in(row, "resource_manager"), &row);
  return found;
}

std::vector<Json> without_returned(const std::vector<Json>& rows, const Json& batch) {
  std::set<std::string> returned;
  const std::set<std::string> held = held_in(batch);
  for (const Json& node : rows_in(batch, "nodes"))
    if (const std::string name = offering_manager(node); !held.contains(name)) returned.insert(name);
  std::vector<Json> left = rows;
  std::erase_if(left, [&](const Json& row) {
    const std::string state = text_in(row, "state");
    return (state == "down" || state == "set_aside") && returned.contains(text_in(row, "resource_manager"));
  });
  return left;
}

/// "2 have local jobs", "1 is idle, and isn't held: idle for 3 of 60 s".
static std::vector<std::string> uses_of(const Json& batch) {
  std::map<std::string, std::uint64_t> counts;  // nodes by their description
  for (const Json& node : rows_in(batch, "nodes")) {
    const std::string state = text_in(node, "state"), why = shown(node, "why");
    const std::string reason = why.empty() ? std::string() : " (" + why + ")";
    if (state == "local job")
      ++counts["used by local jobs"];
    else if (state == "held")
      ++counts["held for DMM"];
    else
      ++counts[harmless(state) + reason];
  }
  std::vector<std::string> uses;
  for (const auto& [what, count] : counts) uses.push_back(grouped(count) + " " + what);
  return uses;
}

std::vector<std::string> batch_sentences(const Json& batch) {
  const std::string system = shown(batch, "system"), site = shown(batch, "site");
  if (const std::string fault = shown(batch, "fault"); !fault.empty())
    return {"Nodes of " + site + " come from " + system + ", which can't be looked at: " + fault + "."};
  std::vector<std::string> lines{"Nodes of " + site + " come from " + system + ": " +
                                 joined(uses_of(batch), ", ") + "."};
  constexpr std::size_t named_max = 3;
  const std::vector<Json> waiting = rows_in(batch, "waiting");
  std::vector<std::string> jobs;
  for (const Json& job : waiting)
    if (jobs.size() < named_max) jobs.push_back(text_in(job, "job") + " (" + text_in(job, "reason") + ")");
  if (!jobs.empty())
    lines.push_back(count_text(waiting.size(), "local job") + (waiting.size() == 1 ? " waits" : " wait") +
                    " there: " + joined(jobs, ", ") + (waiting.size() > named_max ? ", ..." : "."));
  return lines;
}

std::vector<std::string> trusted_by(const Json& batch) {
  std::vector<std::string> lines;
  for (const std::string& owner : texts_in(batch, "trusts"))
    lines.push_back(shown(batch, "site") + " trusts " + harmless(owner) +
                    " in full: root there has this cluster's key, and can act as root here");
  return lines;
}

std::string render_batch(const Json& batch, const std::vector<Json>& rows, const Style& style) {
  Table table({{"node"},
               {"state"},
               {"processors", true},
               {"likely free for", true},
               {"pilot"},
               {"lent to"},
               {"used by", false, true},
               {"not held, because", false, true}});
  const auto managers = by_manager(rows);
  const auto ink_of = [](const std::string& state) {
    if (state == "down" || state == "drained") return Ink::red;
    return state == "held" || state == "lent" ? Ink::green : Ink::plain;
  };
  for (const Json& node : rows_in(batch, "nodes")) {
    std::string state = text_in(node, "state");
    const auto manager = state == "held" ? managers.find(offering_manager(node)) : managers.end();
    const Json row = manager == managers.end() ? Json::object() : *manager->second;
    if (text_in(row, "state") == "leased") state = "lent";
    table.add({shown(node, "node"), style.paint(ink_of(state), harmless(state)), count_in(node, "processors"),
               seconds_in(node, "likely_seconds"), shown(node, "pilot"), shown(row, "to"),
               joined(texts_in(row, "requests"), ", "), shown(node, "why")});
  }
  std::string text = "\n" + shown(batch, "system") + " of " + shown(batch, "site") + ", partition " +
                     shown(batch, "partition") + "\n" + table.text(style);
  if (const std::string fault = text_in(batch, "fault"); !fault.empty())
    text += style.paint(Ink::red, "It can't be looked at: ") + harmless(fault) + "\n";
  if (const std::string fault = text_in(batch, "borrow_fault"); !fault.empty())
    text += style.paint(Ink::red, "Nothing is borrowed: ") + harmless(fault) + "\n";
  Table borrowed({{"borrowed node"}, {"state"}, {"job of DMM", true}});
  for (const Json& node : rows_in(batch, "borrowed"))
    borrowed.add({shown(node, "node"), shown(node, "state"), shown(node, "job")});
  if (!borrowed.empty()) text += "\n" + borrowed.text(style);
  if (const std::size_t waiting = rows_in(batch, "waiting").size(); waiting > 0)
    text += grouped(waiting) + (waiting == 1 ? " local job waits" : " local jobs wait") + " for nodes\n";
  return text;
}

}  // namespace dmm
