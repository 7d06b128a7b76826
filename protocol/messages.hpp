// The list of all messages of managers: the variant `Message`, and the names and kinds that messages have in logs and
// counters. The structs are in *_messages.hpp, a file for each conversation; replies that differ are different types.
// Each is a plain value that lists its elements on the wire, in order, as `fields`; a message grows only at its end.
// docs/protocol.md has a section for each message: its meaning, its senders, and what happens when it is lost or
// doubled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "protocol/co_allocation_messages.hpp"
#include "protocol/file_messages.hpp"
#include "protocol/ids.hpp"
#include "protocol/job_messages.hpp"
#include "protocol/key_messages.hpp"
#include "protocol/lease_messages.hpp"
#include "protocol/node_messages.hpp"
#include "protocol/output_messages.hpp"
#include "protocol/people_messages.hpp"
#include "protocol/request_messages.hpp"
#include "protocol/search_messages.hpp"
#include "protocol/session_messages.hpp"

namespace dmm {

using AnyMessage =
    std::variant<Hello, Beat, Fault, Relay, Fragment, Vouch, Certify, Certified, Request, Cancel, Staged, Refuse,
                 Delegate, Reject, Withdraw, Reach, Survey, Clusters, Probe, Probed, Grant, GrantSet, Claim,
                 Claimed, Release, LeaseEnded, Renew, Renewed, Inventory, Register, Assign, Unassign, Clean,
                 SetAside, Planned, Prefetch, Prefetched, Start, Started, Go, Began, Ended, Stop, Fetch, Chunk,
                 Piece, Grown, Forget, Submit, Submitted, Ask, Answer>;

/// One message of any type: a variant with copies, moves and an end that are compiled once (messages.cpp), not in each
/// file that has messages in a vector.
struct Message : AnyMessage {
  using AnyMessage::AnyMessage;
  using AnyMessage::operator=;
  Message();
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
};

/// The number of a message's type on the wire.
std::uint16_t type_of(const Message& message);
/// "delegate", "lease_ended", ...: the name in logs and counters.
std::string_view name_of(std::uint16_t type);

/// The kinds by which messages are counted: the five of Iosup et al. 2007, section 5.2.1, the use of nodes by jobs, and
/// keep-alives.
enum class MessageKind : std::uint8_t {
  notify_broker,        ///< requests and registrations
  negotiate,            ///< refusals, questions and answers
  job_data_exchange,    ///< descriptions and output
  match_claim_release,  ///< inside a site: granting, assigning, starting, releasing
  dmm,                  ///< between sites: delegations, grants, claims, releases, relays
  keep_alive,           ///< Hello, Beat, Renew, Renewed
};
constexpr std::size_t message_kinds = 6;

std::string_view to_text(MessageKind kind);
std::string_view to_text(Role role);

}  // namespace dmm
