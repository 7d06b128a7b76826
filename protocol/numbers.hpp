// Numbers from texts of people and of other programs.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace dmm {

/// Whether the whole text is a number of this type. If so, `number` has it; else `number` may have anything.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

}  // namespace dmm
