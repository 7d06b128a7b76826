// Endpoints that name the link key of their far end: "tcp://host:port#KEY".
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "keys/key.hpp"

namespace dmm {

constexpr char key_mark = '#';

/// The endpoint as ZeroMQ takes it, and the key that it names; none if there is none, or what stands there is no
/// key.
inline std::pair<std::string, std::optional<LinkKey>> place_and_key(const std::string& endpoint) {
  const std::size_t mark = endpoint.find(key_mark);
  if (!endpoint.starts_with("tcp://") || mark == std::string::npos) return {endpoint, std::nullopt};
  return {endpoint.substr(0, mark), parse_key<LinkKey>(std::string_view(endpoint).substr(mark + 1))};
}

}  // namespace dmm
