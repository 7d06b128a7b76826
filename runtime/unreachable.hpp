// Why no manager can be reached at an endpoint. The transport tries again for ever and doesn't report the reason. So a
// command that waits in vain asks the system, by one connect() that sends nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/time.hpp"

namespace dmm {

enum class ReachFault : std::uint8_t {
  no_listener,    ///< no such socket, or no process listens at it
  not_permitted,  ///< the file system forbids it
  no_such_host,   ///< the name of the host leads nowhere
};

struct Unreachable {
  ReachFault why = ReachFault::no_listener;
  std::string text;   ///< for people; names the endpoint
  std::string owner;  ///< not_permitted: the account that owns the barrier
};

/// Nothing if a process listens there, or if the answer isn't known within this time.
std::optional<Unreachable> why_unreachable(const std::string& endpoint, Duration at_most = milliseconds(200));

}  // namespace dmm
