// What every machine takes: messages that its sessions delivered, and what became of its links. A manager adds its own
// local events to these in its Input type. Deadlines are not inputs: `settle(now)` does what time calls for.
#pragma once

#include <utility>
#include <variant>

#include "machine/effects.hpp"

namespace dmm {

/// A message, delivered once and in order within a session.
struct Received {
  Party from;
  Message message;
  RequestId trace;
  CapacityHint hint;  ///< empty: unchanged
  Duration round_trip = {};  ///< what a message to the sender and its answer take, as measured of late; 0: not known
  Instant proved = {};       ///< as in LinkStanding
};

/// A session with a party is open.
struct LinkUp {
  Party peer;
  bool restarted = false;  ///< a new session: what either side sent before and the other didn't acknowledge is gone
  SiteNames ancestors;  ///< of the peer's site
  std::string software;             ///< version of the peer's program
  Duration round_trip = {};  ///< as in Received: known before anything is said, of a peer that stamps its greetings
};

/// Nothing was heard from the party for the time of silence, or its transport is gone. What was sent and not
/// acknowledged is kept and sent again if the same session comes back.
struct LinkDown {
  Party peer;
  Duration silent = {};  ///< so long ago it was heard for the last time
  Duration vouched = {};  ///< so long ago, or longer, the last Beat left that speaks for what we lent it
  bool forgotten = false;  ///< nothing was under way with it, and its session is over: none will come back
};

/// Much waits for a party, or no longer: while it does, what can wait is better not said to it.
struct LinkPressed {
  Party peer;
  bool pressed = false;
};

/// Beats of a lender vouch for what it lent us, or do no longer; not said of other parties.
struct LinkStanding {
  Party peer;
  bool stands = false;
  Duration stale_after = {};  ///< while it stands: no Beat that vouches is older than this when it is relied on
  Instant proved = {};  ///< by our clock: the latest Beat that vouched left the peer then, or later
};

/// What becomes of a session.
using LinkEvent = std::variant<LinkUp, LinkDown, LinkPressed, LinkStanding>;

/// The contract of a manager: events in through `receive`, then once a batch `settle`, which also does whatever is due
/// at `now`; what to do comes out in effects. `next_deadline` is when settle wants to be called next without an event.
template <class M>
concept Machine = requires(M machine, const M& view, Instant now, Received message, typename M::Input input,
                           typename M::Effects& effects) {
  machine.receive(now, std::move(message), effects);
  machine.receive(now, std::move(input), effects);
  machine.settle(now, effects);
  { view.next_deadline() } -> std::same_as<Instant>;
};

}  // namespace dmm
