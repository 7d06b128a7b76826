// What the three views share: reading a question's argument, and writing an answer. Internal to views/.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "protocol/messages.hpp"
#include "views/view_time.hpp"

namespace dmm::views {

using Json = nlohmann::ordered_json;

inline Answer fault(const Ask& ask, std::string text) { return {ask.token, std::move(text), {}}; }

/// Bytes that are no UTF-8 (a user's job name, say) are replaced rather than refused.
inline Answer answer(const Ask& ask, const Json& json) {
  return {ask.token, {}, json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

/// The argument of a question: an object, empty if there is none; nothing if it is anything else.
inline std::optional<Json> argument_of(const Ask& ask) {
  if (ask.argument.empty()) return Json::object();
  Json argument = Json::parse(ask.argument, nullptr, false);
  if (!argument.is_object()) return std::nullopt;
  return argument;
}

/// A whole number of the argument; `otherwise` if it is missing or is none.
inline std::uint64_t number_in(const Json& argument, const char* key, std::uint64_t otherwise) {
  const auto found = argument.find(key);
  return found != argument.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : otherwise;
}

/// A text of the argument; empty if it is missing or is none.
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
