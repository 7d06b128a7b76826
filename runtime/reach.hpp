// Why nobody can be reached at an endpoint. The transport tries again for ever and keeps the reason to itself, so a
// command that waits in vain asks the system: by one connect() on which nothing is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/time.hpp"

namespace dmm {

enum class ReachFault : std::uint8_t {
  nobody_listens,  ///< no such socket, or nobody behind it
  not_permitted,   ///< the file system forbids it
  no_such_host,    ///< the name of the host leads nowhere
};

struct Unreachable {
  ReachFault why = ReachFault::nobody_listens;
  std::string text;   ///< for people; names the endpoint
  std::string owner;  ///< not_permitted: whose file stands in the way
};

/// Nothing if somebody listens there, or if it can't be told within this time.
std::optional<Unreachable> why_unreachable(const std::string& endpoint, Duration at_most = milliseconds(200));

}  // namespace dmm
