// The questions that every daemon answers the same way: "status", "links", "messages", "requests"; and the order
// "stop". A manager's own verbs are in daemons/answers/. docs/protocol.md section 9 lists what is in each answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "links/endpoint.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What a daemon knows of itself.
struct Identity {
  Party self;
  std::uint64_t incarnation = 0;
  Instant started{};
  std::vector<std::string> endpoints;  ///< where it listens
};

/// The longest answer in JSON. In place of a longer one, a fault says how to ask for less.
constexpr std::size_t answer_bytes_max = 200 * 1024;

/// The answer to a verb that all daemons know; nothing for any other.
std::optional<Answer> common_answer(const Identity& identity, const Endpoint& endpoint, const Ignored& ignored,
                                    Instant now, const Ask& ask);

/// The answer to a verb that managers of this role don't know: it lists the verbs that they know.
Answer unknown_verb(const Ask& ask, Role role);

/// The answer as it may be sent: with the question's token, and not too long.
Answer ready_to_send(Answer answer, const Ask& ask);

}  // namespace dmm
