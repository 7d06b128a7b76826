// What the transport proves of the far end of a connection. The envelope's `from` is a claim; the endpoint
// compares the claim with the principal (links/gate.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "keys/key.hpp"
#include "protocol/ids.hpp"

namespace dmm {

/// Nothing is proved, as where a test plays the network.
struct Unproven {};

/// We opened the connection, to the endpoint that our configuration or a grant has for a party. Over tcp the far
/// end has the link key that the endpoint names.
struct Dialled {};

/// The account of the process at the far end of an `ipc` connection, as the kernel tells it (SO_PEERCRED).
struct Account {
  std::uint32_t number = 0;  ///< the user id
  std::string name;          ///< empty: the host has no name for it
};

/// A LinkKey: the far end of a tcp connection has its secret, as CURVE proves. A Party: the simulated network
/// knows which manager is at each end.
using Principal = std::variant<Unproven, Dialled, Account, LinkKey, Party>;

}  // namespace dmm
