// The table of a batch system's nodes; see batch_report.hpp.
#include "cli/batch_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cli/figures.hpp"
#include "cli/json_text.hpp"

namespace dmm {

using Json = nlohmann::ordered_json;

/// Nodes that a pilot holds, by name.
static std::set<std::string> held_in(const Json& batch) {
  std::set<std::string> held;
  for (const Json& node : rows_in(batch, "nodes"))
    if (text_in(node, "state") == "held") held.insert(text_in(node, "node"));
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
    if (const std::string name = text_in(node, "node"); !held.contains(name)) returned.insert(name);
  std::vector<Json> left = rows;
  std::erase_if(left, [&](const Json& row) {
    const std::string state = text_in(row, "state");
    return (state == "down" || state == "set_aside") && returned.contains(text_in(row, "resource_manager"));
  });
  return left;
}

std::string render_batch(const Json& batch, const std::vector<Json>& rows, const Style& style) {
  Table table({{"node"},
               {"state"},
               {"processors", true},
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
    const auto manager = state == "held" ? managers.find(text_in(node, "node")) : managers.end();
    const Json row = manager == managers.end() ? Json::object() : *manager->second;
    if (text_in(row, "state") == "leased") state = "lent";
    table.add({shown(node, "node"), style.paint(ink_of(state), harmless(state)), count_in(node, "processors"),
               shown(node, "pilot"), shown(row, "to"), joined(texts_in(row, "requests"), ", "),
               shown(node, "why")});
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
