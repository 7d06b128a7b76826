// One manager with its endpoint: what a shell runs, be it a daemon or the simulated world. Frames, local events and
// time go in; frames and the manager's effects come out. One batch of events, one settle, then everything is sent.
#pragma once

#include <utility>

#include "links/endpoint.hpp"

namespace dmm {

template <IsManager M>
class Driver {
 public:
  Driver(EndpointSettings settings, M state) : endpoint(std::move(settings)), manager(std::move(state)) {}

  Endpoint endpoint;
  M manager;
  typename M::Effects effects;  ///< the shell takes events, tasks and the like out of it after each settle
  std::vector<Received> asks;   ///< questions of people, in order; the shell answers and empties it

  /// Bytes came in; `principal` is proved of the connection's far end. Whether there was anything in them for the
  /// manager, or for a client that asked it.
  bool frame(Instant now, Connection connection, std::string_view bytes, const Principal& principal = Unproven{}) {
    // Most frames say nothing to the manager, and a list that is kept would be cold where there are many managers.
    std::vector<Received> received;
    endpoint.receive(now, connection, bytes, received, principal);
    const bool stirs = !received.empty() || endpoint.has_link_events();
    link_events(now);
    for (Received& message : received) {
      if (std::holds_alternative<Ask>(message.message))
        asks.push_back(std::move(message));
      else
        manager.receive(now, std::move(message), effects);
    }
    return stirs;
  }
  /// A local event of the manager's own kind.
  void local(Instant now, typename M::Input input) { manager.receive(now, std::move(input), effects); }
  /// The end of a batch, and whenever a deadline is reached.
  void settle(Instant now) {
    endpoint.tick(now);
    link_events(now);
    manager.settle(now, effects);
    endpoint.send(now, effects);
    if (endpoint.has_notices())
      for (LogEvent& notice : endpoint.take_notices())
        if (effects.wants(notice.level)) effects.events.push_back(std::move(notice));
  }
  /// The same where nothing came but what the sessions keep for themselves: a manager that hears nothing and has no
  /// deadline has nothing to decide.
  void settle_sessions(Instant now) {
    endpoint.tick(now);
    if (endpoint.has_link_events() || manager.next_deadline() <= now) settle(now);
  }
  Instant next_deadline() const { return std::min(endpoint.next_deadline(), manager.next_deadline()); }

 private:
  void link_events(Instant now) {
    if (!endpoint.has_link_events()) return;  // as a rule
    for (auto& event : endpoint.take_link_events())
      std::visit([&](auto& change) { manager.receive(now, std::move(change), effects); }, event);
  }
};

}  // namespace dmm
