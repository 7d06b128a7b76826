// Values of a JSON object that a site signed, of exactly the type that is expected.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dmm::keys {

/// The text of a key; nothing if it is missing or of another type.
inline std::optional<std::string> text_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

/// The same of an integer.
inline std::optional<std::int64_t> integer_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

}  // namespace dmm::keys
