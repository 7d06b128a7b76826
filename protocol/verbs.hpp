// Which role may send which message to which role, and what handles it: a row for each message, its senders and its
// receivers. Endpoints, managers and counters read this table alone. docs/protocol.md section 3.3 prints it, and a test
// compares the two.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/messages.hpp"

namespace dmm {

/// What handles a message that its sender may send.
enum class Fate : std::uint8_t {
  handled,  ///< the receiver's manager, which has a handler: the compiler checks that
  session,  ///< the receiver's endpoint, which keeps it to itself
  shell,    ///< the process around the receiver's manager, or the client's program
  noted,    ///< the receiver's endpoint, as the link's last error: its manager needn't know
};

/// A set of roles.
struct Roles {
  std::uint8_t bits = 0;
  constexpr Roles() = default;
  constexpr Roles(Role role) : bits(static_cast<std::uint8_t>(1U << static_cast<unsigned>(role))) {}
  constexpr bool has(Role role) const { return (bits & Roles(role).bits) != 0; }
  friend constexpr Roles operator|(Roles a, Roles b) {
    a.bits = static_cast<std::uint8_t>(a.bits | b.bits);
    return a;
  }
};

/// A row: messages of this type from one of these roles to one of those.
struct Verb {
  std::uint16_t type;
  Roles from, to;
  Fate fate;
  MessageKind kind;
};

namespace verbs {

constexpr Roles site = Role::site_manager, job = Role::job_manager, resource = Role::resource_manager,
                client = Role::client;
constexpr Roles manager = site | job | resource, any = manager | client;

using enum Fate;
using enum MessageKind;

constexpr std::array rows{
    Verb{Hello::type, any, any, session, keep_alive},
    Verb{Beat::type, any, any, session, keep_alive},
    Verb{Fault::type, any, manager, noted, negotiate},
    Verb{Fault::type, any, client, shell, negotiate},
    Verb{Relay::type, manager, site, handled, MessageKind::dmm},
    Verb{Relay::type, site, job | resource, session, MessageKind::dmm},
    Verb{Fragment::type, any, any, session, match_claim_release},
    Verb{Fragment::type, site, site, session, MessageKind::dmm},  // a later row overrides this for its cells
    Verb{Vouch::type, site, manager, session, notify_broker},
    Verb{Certify::type, job | resource, site, session, notify_broker},
    Verb{Certified::type, site, job | resource, session, notify_broker},

    Verb{Request::type, job, site, handled, notify_broker},
    Verb{Cancel::type, job, site, handled, notify_broker},
    Verb{Staged::type, job, site, handled, notify_broker},
    Verb{Planned::type, site, job, handled, notify_broker},
    Verb{Prefetch::type, job | site, site, handled, notify_broker},
    Verb{Prefetch::type, site, resource, handled, notify_broker},
    Verb{Prefetched::type, resource | site, site, handled, notify_broker},
    Verb{Refuse::type, site, job, handled, negotiate},
    Verb{Delegate::type, site, site, handled, MessageKind::dmm},
    Verb{Reject::type, site, site, handled, MessageKind::dmm},
    Verb{Withdraw::type, site, site, handled, MessageKind::dmm},
    Verb{Reach::type, site, site, handled, notify_broker},
    Verb{Survey::type, site, site, handled, notify_broker},
    Verb{Clusters::type, site, site, handled, notify_broker},
    Verb{Probe::type, site, site, handled, notify_broker},
    Verb{Probed::type, site, site, handled, notify_broker},

    Verb{Grant::type, site, site, handled, MessageKind::dmm},
    Verb{Grant::type, site, job, handled, match_claim_release},
    Verb{GrantSet::type, site, job, handled, match_claim_release},
    Verb{Claim::type, site, site, handled, MessageKind::dmm},
    Verb{Claimed::type, site, site, handled, MessageKind::dmm},
    Verb{Release::type, site, site, handled, MessageKind::dmm},
    Verb{Release::type, job, site, handled, match_claim_release},
    Verb{LeaseEnded::type, site, site, handled, MessageKind::dmm},
    Verb{LeaseEnded::type, site, job, handled, match_claim_release},
    Verb{LeaseEnded::type, resource, site, handled, match_claim_release},
    Verb{Renew::type, site | job, site, handled, keep_alive},
    Verb{Renewed::type, site, site | job, handled, keep_alive},
    Verb{Inventory::type, site, site, handled, MessageKind::dmm},
    Verb{Inventory::type, site, job, handled, match_claim_release},
    Verb{Inventory::type, job, site, handled, match_claim_release},

    Verb{Register::type, resource, site, handled, notify_broker},
    Verb{Assign::type, site, resource, handled, match_claim_release},
    Verb{Unassign::type, site, resource, handled, match_claim_release},
    Verb{Clean::type, resource, site, handled, match_claim_release},
    Verb{SetAside::type, resource, site, handled, match_claim_release},

    Verb{Start::type, job, resource, handled, match_claim_release},
    Verb{Started::type, resource, job, handled, match_claim_release},
    Verb{Go::type, job, resource, handled, match_claim_release},
    Verb{Began::type, resource, job, handled, match_claim_release},
    Verb{Ended::type, resource, job, handled, match_claim_release},
    Verb{Stop::type, job, resource, handled, match_claim_release},
    Verb{Fetch::type, job, resource, handled, job_data_exchange},
    Verb{Chunk::type, resource, job, handled, job_data_exchange},
    Verb{Piece::type, resource, job, handled, job_data_exchange},
    Verb{Grown::type, resource, job, handled, job_data_exchange},
    Verb{Forget::type, job, resource, handled, job_data_exchange},

    Verb{Submit::type, client, job, handled, job_data_exchange},
    Verb{Submitted::type, job, client, shell, job_data_exchange},
    Verb{Ask::type, client, any, shell, negotiate},
    Verb{Answer::type, any, client, shell, negotiate},
};

constexpr std::size_t types = 64, roles = 4;

/// The row of each type, sender and receiver, as 1 + its place; 0 where there is none.
using Cells = std::array<std::uint8_t, types * roles * roles>;

constexpr std::size_t cell_of(std::uint16_t type, Role from, Role to) {
  return (type * roles + static_cast<std::size_t>(from)) * roles + static_cast<std::size_t>(to);
}

constexpr Cells cells = [] {
  Cells result{};
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t cell = 0; cell < roles * roles; ++cell) {
      const Role from{static_cast<std::uint8_t>(cell / roles)}, to{static_cast<std::uint8_t>(cell % roles)};
      if (rows[row].from.has(from) && rows[row].to.has(to))
        result[cell_of(rows[row].type, from, to)] = static_cast<std::uint8_t>(row + 1);
    }
  return result;
}();

}  // namespace verbs

/// The row of a message; null if no party of role `from` may send it to one of role `to`.
constexpr const Verb* find_verb(std::uint16_t type, Role from, Role to) {
  if (type >= verbs::types) return nullptr;
  const std::uint8_t row = verbs::cells[verbs::cell_of(type, from, to)];
  return row == 0 ? nullptr : &verbs::rows[row - 1U];
}

constexpr bool may_send(std::uint16_t type, Role from, Role to) { return find_verb(type, from, to) != nullptr; }

/// Whether a manager of role `to` handles messages of this type from role `from`.
constexpr bool is_handled(std::uint16_t type, Role from, Role to) {
  const Verb* const verb = find_verb(type, from, to);
  return verb && verb->fate == Fate::handled;
}

/// The kind of a message that role `from` may send to role `to`.
constexpr MessageKind kind_of(std::uint16_t type, Role from, Role to) {
  const Verb* const verb = find_verb(type, from, to);
  return verb ? verb->kind : MessageKind::negotiate;
}

/// Whether a session numbers messages of this type, keeps them and sends them again. A relayed frame is numbered in the
/// session that it belongs to, not on the links that it passes. If it is lost on the way, its sender sends it again end
/// to end; no site keeps it. A piece of output isn't numbered: its reader asks for it again.
constexpr bool is_numbered(std::uint16_t type) {
  return type != Hello::type && type != Beat::type && type != Fault::type && type != Relay::type &&
         type != Piece::type;
}

}  // namespace dmm
