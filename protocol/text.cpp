// Writing and reading the text forms of identifiers.
#include "protocol/text.hpp"

#include <algorithm>

#include "protocol/messages.hpp"
#include "protocol/numbers.hpp"

namespace dmm {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool continues_name(char c) { return starts_name(c) || c == '_' || c == '.' || c == '-'; }

}  // namespace

bool is_name(std::string_view text, std::size_t length_max) {
  return !text.empty() && text.size() <= length_max && starts_name(text.front()) &&
         std::ranges::all_of(text, continues_name);
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view more = "...";
  if (text.size() <= bytes_max || bytes_max < more.size()) return std::string(text.substr(0, bytes_max));
  std::size_t length = bytes_max - more.size();
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  for (int left = 3; left > 0 && length > 0 && continues(length); --left) --length;
  return std::string(text.substr(0, length)).append(more);
}

std::string to_text(const RequestId& id) {
  std::string text = id.site.text + '/' + id.user + '/' + std::to_string(id.job);
  if (id.attempt != 1) text += '.' + std::to_string(id.attempt);
  return text;
}

std::optional<RequestId> parse_request_id(std::string_view text) {
  const auto first = text.find('/');
  const auto second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos || first == 0 || second == first + 1) return std::nullopt;
  RequestId id;
  id.site = SiteName(std::string(text.substr(0, first)));
  id.user = std::string(text.substr(first + 1, second - first - 1));
  std::string_view number = text.substr(second + 1);
  if (const auto dot = number.find('.'); dot != std::string_view::npos) {
    if (!parse_number(number.substr(dot + 1), id.attempt) || id.attempt == 0) return std::nullopt;
    number = number.substr(0, dot);
  }
  if (!parse_number(number, id.job) || id.job == 0) return std::nullopt;
  return id;
}

std::string to_text(const LeaseId& id) { return id.owner.text + '#' + std::to_string(id.epoch.counter); }

std::string to_text(const Party& party) {
  std::string text(to_text(party.role));
  text += ' ' + party.site.text;
  if (!party.name.empty()) text += '/' + party.name;
  return text;
}

}  // namespace dmm
