// Reads the fields of log events, for the watchers of a world.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "manager/effects.hpp"

namespace dmm {

/// The value of a field; an empty one if the event has no such field, or one of another type.
template <class T>
T field_of(const LogEvent& event, std::string_view key) {
  for (const LogField& field : event.fields)
    if (field.key == key)
      if (const T* value = std::get_if<T>(&field.value)) return *value;
  return {};
}
inline std::string text_field(const LogEvent& event, std::string_view key) {
  return field_of<std::string>(event, key);
}
inline std::int64_t number_field(const LogEvent& event, std::string_view key) {
  return field_of<std::int64_t>(event, key);
}

}  // namespace dmm
