// "HOST:PORT", as configurations and endpoints name the place of a server.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dmm {

struct HostAndPort {
  std::string_view host;  ///< not empty; an IPv6 address keeps its brackets
  std::uint16_t port = 0;
};

/// What is before the last colon and behind it; nothing if there is no host or no number from 0 to 65535. The host is
/// a part of `text`.
std::optional<HostAndPort> parse_host_and_port(std::string_view text);

}  // namespace dmm
