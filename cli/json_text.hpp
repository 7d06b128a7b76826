// Reading answers of managers, which may lack anything and have any type anywhere: what isn't there, or is something
// else, counts as nothing, so that one odd answer never hides the others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dmm {

/// A member that is a text; empty if it is missing or something else.
inline std::string text_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A member that is a number; 0 if it is missing or something else.
template <class T>
T number_in(const nlohmann::ordered_json& json, const char* key, T otherwise = {}) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<T>() : otherwise;
}

inline bool has_number(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number();
}

inline bool flag_in(const nlohmann::ordered_json& json, const char* key, bool otherwise = false) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

/// The objects of a member that is a list.
inline std::vector<nlohmann::ordered_json> rows_in(const nlohmann::ordered_json& json, const char* key) {
  std::vector<nlohmann::ordered_json> rows;
  if (const auto found = json.find(key); found != json.end() && found->is_array())
    for (const auto& row : *found)
      if (row.is_object()) rows.push_back(row);
  return rows;
}

/// The texts of a member that is a list.
inline std::vector<std::string> texts_in(const nlohmann::ordered_json& json, const char* key) {
  std::vector<std::string> texts;
  if (const auto found = json.find(key); found != json.end() && found->is_array())
    for (const auto& text : *found)
      if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

/// A member that is an object; an empty one if it is missing or something else.
inline nlohmann::ordered_json object_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : nlohmann::ordered_json::object();
}

}  // namespace dmm
