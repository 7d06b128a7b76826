// What the transport proves of the far end of a connection, and what people may ask of a manager. The envelope's
// `from` is a claim; the endpoint compares the claim with the principal (links/gate.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "protocol/ids.hpp"

namespace dmm {

/// Nothing is proved: another party opened the connection over tcp.
struct Unproven {};

/// We opened the connection, to the endpoint that our configuration or a grant has for a party.
struct Dialled {};

/// The account of the process at the far end of an `ipc` connection, as the kernel tells it (SO_PEERCRED).
struct Account {
  std::uint32_t number = 0;  ///< the user id
  std::string name;          ///< empty: the host has no name for it
};

/// A party: the simulated network knows which manager is at each end.
using Principal = std::variant<Unproven, Dialled, Account, Party>;

/// What a person, or a program of a person, may ask of a manager. Each right includes those before it.
enum class Right : std::uint8_t {
  none,
  reader,         ///< looks at a site's or a resource manager's state
  user,           ///< submits jobs, sees them and cancels them
  administrator,  ///< gives the owner's orders: drain, reclaim, forget, stop
};

}  // namespace dmm
