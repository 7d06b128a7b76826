// What a manager gives back: messages to send, things to write into the log, advice on how to reach a party. Data, in
// the order in which it was decided; a shell performs it after the step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/hints.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// A message to a party that the manager has a session with.
struct Outgoing {
  Party to;
  Message message;
  RequestId trace;    ///< the request it is about, if any
  CapacityHint hint;  ///< sent along with it; empty for unchanged
};

enum class Level : std::uint8_t { debug, info, warning, error };

/// One named value of a log event; the key is a string literal.
struct LogField {
  std::string_view key;
  std::variant<std::string, std::int64_t, double, bool> value;
};

/// Something worth knowing afterwards: enough of these rebuild a delegation chain (docs/operations.md).
struct LogEvent {
  Level level = Level::info;
  std::string_view name;  ///< a string literal: "delegate", "grant", ...
  RequestId trace;
  std::vector<LogField> fields;
};

/// How an end-to-end party can be reached: directly at an endpoint, or along sites.
struct Route {
  Party to;
  std::string endpoint;  ///< empty where only the chain reaches it
  SiteNames path;        ///< sites from our own to the party's, both included
};

struct Effects {
  std::vector<Outgoing> messages;
  std::vector<LogEvent> events;
  std::vector<Route> routes;    ///< to be known before the messages are sent
  std::vector<Party> dormant;   ///< end-to-end parties with which nothing is under way once the messages are there
  std::vector<Party> renewals;  ///< parties with which a new session is to begin: the two don't believe the same
  Level level = Level::info;    ///< set by the shell: events below it need not be made

  // The attributes keep `send` and `log` out of their many callers: inlined, they would be most of the callers'
  // code.
  template <class Said>
  [[gnu::noinline]] void send(const Party& to, Said message, const RequestId& trace = {}) {
    messages.emplace_back(to, std::move(message), trace, CapacityHint{});
  }
  /// Whether an event of this level is wanted.
  bool wants(Level wanted) const { return wanted >= level; }
  [[gnu::cold]] void log(Level at, std::string_view name, const RequestId& trace, std::vector<LogField> fields) {
    if (wants(at)) events.push_back({at, name, trace, std::move(fields)});
  }
};

}  // namespace dmm
