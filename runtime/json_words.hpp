// Texts in the JSON of files and questions. A missing text is read as an empty one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dmm {

/// The text of a key; empty if it is missing or no text.
inline std::string word_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The texts of an array; other elements are left out.
inline std::vector<std::string> words_of(const nlohmann::ordered_json& array) {
  std::vector<std::string> words;
  for (const auto& word : array)
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

/// The texts of a key's array; none if it is missing or is no array.
inline std::vector<std::string> words_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? words_of(*found) : std::vector<std::string>();
}

}  // namespace dmm
