// How a manager hands a message to its handler. protocol/verbs.hpp says which messages a manager of a role handles from
// which role; the compiler checks that the manager has a handler for each of these, and for no other.
#pragma once

#include <type_traits>
#include <variant>

#include "manager/contract.hpp"
#include "protocol/verbs.hpp"

namespace dmm {

/// The sender of a message, by its role: what a handler may know of the sender beside the message.
struct FromSite {
  const Party& party;
  std::size_t neighbour = 0;  ///< the sender's place among a site manager's neighbours
  Instant proved = {};        ///< as in Received
  Duration round_trip = {};   ///< as in Received
};
struct FromUser {
  const Party& party;
};
struct FromProvider {
  const Party& party;
  Duration round_trip = {};  ///< as in Received
};
struct FromClient {
  const Party& party;
};

template <class Sender>
constexpr Role role_of() {
  if constexpr (std::is_same_v<Sender, FromSite>) return Role::site_manager;
  if constexpr (std::is_same_v<Sender, FromUser>) return Role::job_manager;
  if constexpr (std::is_same_v<Sender, FromProvider>) return Role::resource_manager;
  if constexpr (std::is_same_v<Sender, FromClient>) return Role::client;
}

/// Calls `handle(sender, body)` if a manager of role `to` handles this message from that sender. False: the table has
/// no row for it. `handle` accepts exactly the bodies for which the manager has a handler.
template <Role to, class Sender, class Handle>
bool dispatch(const Sender& sender, Message& message, Handle&& handle) {
  return std::visit(
      [&](auto& body) {
        using Body = std::decay_t<decltype(body)>;
        constexpr bool handled = is_handled(Body::type, role_of<Sender>(), to);
        constexpr bool has_handler = std::is_invocable_v<Handle&, const Sender&, Body&>;
        static_assert(has_handler || !handled, "the manager lacks a handler for a row of protocol/verbs.hpp");
        static_assert(handled || !has_handler, "the manager has a handler, and protocol/verbs.hpp no row for it");
        if constexpr (handled) handle(sender, body);
        return may_send(Body::type, role_of<Sender>(), to);
      },
      message);
}

/// The same for a sender of any role: `sender` says what a handler may know of it.
template <Role to, class Handle>
bool dispatch_by_role(const FromSite& sender, Message& message, Handle&& handle) {
  switch (sender.party.role) {
    case Role::site_manager: return dispatch<to>(sender, message, handle);
    case Role::job_manager: return dispatch<to>(FromUser{sender.party}, message, handle);
    case Role::resource_manager:
      return dispatch<to>(FromProvider{sender.party, sender.round_trip}, message, handle);
    case Role::client: return dispatch<to>(FromClient{sender.party}, message, handle);
  }
  return false;
}

}  // namespace dmm
