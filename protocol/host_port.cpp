#include "protocol/host_port.hpp"

#include "protocol/numbers.hpp"

namespace dmm {

std::optional<HostAndPort> parse_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  HostAndPort place{text.substr(0, colon)};
  if (!parse_number(text.substr(colon + 1), place.port)) return std::nullopt;
  return place;
}

}  // namespace dmm
