// Text of any bytes within JSON; see record_json.hpp.
#include "runtime/record_json.hpp"

#include "runtime/log.hpp"

namespace dmm::record_json {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";

bool read_hex(std::string_view digits, std::string& text) {
  if (digits.size() % 2 != 0) return false;
  text.clear();
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::size_t high = hexadecimal.find(digits[i]), low = hexadecimal.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    text += static_cast<char>(high << 4 | low);
  }
  return true;
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  if (is_utf8(text)) return append_json_string(out, text);
  out += "{\"hex\":\"";
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    (out += hexadecimal[byte >> 4]) += hexadecimal[byte & 15];
  }
  out += "\"}";
}

bool read_text(const Json& in, std::string& text) {
  if (const auto* plain = in.get_ptr<const std::string*>()) return text = *plain, true;
  if (!in.is_object() || in.size() != 1) return false;
  const auto hex = in.find("hex");
  const auto* digits = hex == in.end() ? nullptr : hex->get_ptr<const std::string*>();
  return digits != nullptr && read_hex(*digits, text);
}

}  // namespace dmm::record_json
