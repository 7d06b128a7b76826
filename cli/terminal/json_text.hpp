// Reads managers' answers, in which any member may be missing or have another type. Such a member counts as nothing, so
// that one odd answer never hides the others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal/figures.hpp"

namespace dmm {

/// Keeps members in the order in which they were written.
using Json = nlohmann::ordered_json;

/// A member that is a text; empty if it is missing or something else.
inline std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A member that is a number; 0 if it is missing or something else.
template <class T>
T number_in(const Json& json, const char* key, T otherwise = {}) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<T>() : otherwise;
}

inline bool has_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number();
}

/// A member that is a number of seconds, as a length of time; empty if it isn't a number.
inline std::string seconds_in(const Json& json, const char* key) {
  return has_number(json, key) ? length_text(number_in<double>(json, key)) : std::string();
}

inline bool flag_in(const Json& json, const char* key, bool otherwise = false) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

/// The objects of a member that is a list.
inline std::vector<Json> rows_in(const Json& json, const char* key) {
  std::vector<Json> rows;
  if (const auto found = json.find(key); found != json.end() && found->is_array())
    for (const auto& row : *found)
      if (row.is_object()) rows.push_back(row);
  return rows;
}

/// The texts of a member that is a list.
inline std::vector<std::string> texts_in(const Json& json, const char* key) {
  std::vector<std::string> texts;
  if (const auto found = json.find(key); found != json.end() && found->is_array())
    for (const auto& text : *found)
      if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

/// The texts joined; safe to show on a terminal.
inline std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts)
    all += (all.empty() ? std::string() : std::string(between)) + harmless(text);
  return all;
}

/// A text, safe to show on a terminal.
inline std::string shown(const Json& json, const char* key) { return harmless(text_in(json, key)); }
inline std::string count_in(const Json& json, const char* key) {
  return grouped(number_in<std::uint64_t>(json, key));
}

/// A member that is an object; an empty one if it is missing or something else.
inline Json object_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : Json::object();
}

}  // namespace dmm
