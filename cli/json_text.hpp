// Reading answers of managers, which may lack anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dmm {

/// A member that is a text; empty if it is missing or something else.
inline std::string text_in(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace dmm
