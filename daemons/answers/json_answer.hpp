// Shared by the views: reading a question's argument, and writing an answer. Internal to daemons/answers/.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemons/answers/view_time.hpp"
#include "manager/answer_rows.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"

namespace dmm::views {

using Json = nlohmann::ordered_json;

inline Answer fault(const Ask& ask, std::string text) { return {ask.token, std::move(text), {}}; }

/// Replaces bytes that are no UTF-8 (in a user's job name, say).
inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

inline Answer answer(const Ask& ask, const Json& json) { return {ask.token, {}, text_of(json)}; }

/// The bytes of an answer with a single list that the list may take.
constexpr std::size_t list_bytes = 180 * 1024;

/// Adds a row if it fits. The first row is added in any case: otherwise a reader that goes on from it would never get
/// further.
inline bool add_row(Json& list, Json row, AnswerRows& rows) {
  if (!rows.take(text_of(row).size()) && !list.empty()) return false;
  list.push_back(std::move(row));
  return true;
}

/// A list of the rows that fit. `left_out` gets the number of the others, under the list's name.
template <class Values, class RowOf>
Json rows_of(const Values& values, AnswerRows rows, const char* name, Json& left_out, RowOf row_of) {
  Json list = Json::array();
  for (const auto& value : values) {
    if (rows.is_full()) break;
    Json row = row_of(value);
    if (!rows.take(text_of(row).size())) break;
    list.push_back(std::move(row));
  }
  if (list.size() < values.size()) left_out[name] = values.size() - list.size();
  return list;
}

/// The argument of a question: an object, empty if there is none; nothing if it is anything else.
inline std::optional<Json> argument_of(const Ask& ask) {
  if (ask.argument.empty()) return Json::object();
  Json argument = Json::parse(ask.argument, nullptr, false);
  if (!argument.is_object()) return std::nullopt;
  return argument;
}

/// A whole number of the argument; `otherwise` if it is missing or no whole number.
inline std::uint64_t number_in(const Json& argument, const char* key, std::uint64_t otherwise) {
  const auto found = argument.find(key);
  return found != argument.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : otherwise;
}

/// A text of the argument; empty if it is missing or no text.
inline std::string text_in(const Json& argument, const char* key) {
  const auto found = argument.find(key);
  return found != argument.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The argument's "limit", at most `most`.
inline std::size_t limit_in(const Json& argument, std::size_t otherwise, std::size_t most) {
  return std::min<std::size_t>(static_cast<std::size_t>(number_in(argument, "limit", otherwise)), most);
}

template <class Names>
Json texts(const Names& names) {
  Json list = Json::array();
  for (const auto& name : names) list.push_back(name.text);
  return list;
}

/// {"das-3/nodes": "0-3,7"}: by resource manager, whichever components the nodes serve.
inline Json nodes_by_manager(const std::vector<NodeGroup>& groups) {
  std::map<std::string, NodeSet> managers;
  for (const NodeGroup& group : groups) {
    NodeSet& nodes = managers[group.resource_manager.site.text + "/" + group.resource_manager.name];
    nodes = unite(nodes, group.nodes);
  }
  Json json = Json::object();
  for (const auto& [manager, nodes] : managers) json[manager] = to_text(nodes);
  return json;
}

/// A name, or null if it is empty.
inline Json name_or_null(const SiteName& site) { return site.empty() ? Json(nullptr) : Json(site.text); }

inline double in_seconds(std::uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

/// A date in seconds since 1970, or null.
inline Json date(const ViewTime& time, std::optional<Instant> instant) {
  if (!instant) return nullptr;
  return static_cast<double>(time.wall_microseconds + (*instant - time.now).microseconds) / 1e6;
}

/// Seconds from now to an instant, or null if that is never.
inline Json seconds_left(const ViewTime& time, Instant until) {
  return until == never ? Json(nullptr) : Json((until - time.now).in_seconds());
}

}  // namespace dmm::views
