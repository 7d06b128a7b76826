// The contract between a manager and its shell: the inputs that every manager takes, the order in which the shell
// performs what a step decided (manager/effects.hpp), deadlines and records. A manager adds its own local events to
// these inputs in its Input type. Deadlines are not inputs: `settle(now)` does what is due at `now`.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "manager/effects.hpp"

namespace dmm {

/// A message, delivered once and in order within a session.
struct Received {
  Party from;
  Message message;
  RequestId trace;
  CapacityHint hint;  ///< empty: unchanged
  Duration round_trip =
      {};               ///< what a message to the sender and its answer take, as measured of late; 0: not known
  Instant proved = {};  ///< as in LinkStanding
};

/// A session with a party is open.
struct LinkUp {
  Party peer;
  bool restarted =
      false;             ///< a new session: what either side sent before and the other didn't acknowledge is gone
  SiteNames ancestors;   ///< of the peer's site
  std::string software;  ///< version of the peer's program
  Duration round_trip =
      {};  ///< as in Received: known before anything is said, of a peer that stamps its greetings
};

/// Nothing was heard from the party for the time of silence, or its transport is gone. What was sent and not
/// acknowledged is kept and sent again if the same session comes back.
struct LinkDown {
  Party peer;
  Duration silent = {};    ///< how long ago the party was last heard
  Duration vouched = {};   ///< our last Beat that vouched for what we lent the party left at least this long ago
  bool forgotten = false;  ///< nothing was under way with the party; its session is over and won't come back
};

/// Many bytes wait for a party's acknowledgement, or no longer. While they do, messages that can wait shouldn't be
/// sent to the party.
struct LinkPressed {
  Party peer;
  bool pressed = false;
};

/// Beats of a lender vouch for what it lent us, or do no longer; not said of other parties.
struct LinkStanding {
  Party peer;
  bool stands = false;
  Duration stale_after = {};  ///< while it stands: no Beat that vouches is older than this when it is relied on
  Instant proved = {};        ///< by our clock: the latest Beat that vouched left the peer then, or later
};

/// A session that opens, closes or changes.
using LinkEvent = std::variant<LinkUp, LinkDown, LinkPressed, LinkStanding>;

/// How many messages a manager ignored since it started, by reason: "unknown_lease", "late_answer", ... A reason is a
/// string literal.
using Ignored = std::map<std::string_view, std::uint64_t>;

/// A manager: `receive` takes each event of a batch, then `settle` once decides what follows from the batch and from
/// the time. `next_deadline` is the instant at which the shell must settle again without an event: after a settle it
/// lies in the future, or the manager spins. A manager with a ledger also has `restore(now, rows)`, before any event,
/// and `records()`, which equals the ledger after each performed step.
template <class M>
concept IsManager = requires(M manager, const M& view, Instant now, Received message, typename M::Input input,
                             typename M::Effects& effects) {
  manager.receive(now, std::move(message), effects);
  manager.receive(now, std::move(input), effects);
  manager.settle(now, effects);
  { view.next_deadline() } -> std::same_as<Instant>;
  { view.ignored() } -> std::same_as<const Ignored&>;
};

/// A manager spins that asks this many times in a row to be settled again at once. It may go on at once some thousand
/// times, where it does much work in steps.
constexpr std::uint32_t spins_max = 10'000;

/// The outcome of performing the effects of a step.
enum class Performed : std::uint8_t {
  done,
  fed_back,  ///< performing them made inputs for the manager: the shell settles it again at once
  lost,      ///< the ledger can't keep the step's changes: nothing of the step left, and the process must end
};

/// Performs the effects of one step in the only safe order, the same in the daemon and in the simulator:
///   1. `keep`: the ledger keeps the step's changes. False: it never will.
///   2. `log`: the step's log events are written, also those of a step that is lost.
///   3. `own`: effects of the manager's own kind (orders to a backend, pieces of output). True: inputs came of it.
///   4. `exchange`: frames leave, connections open and close. True: a new connection wants its Hello.
/// No other party learns of a decision before the ledger has it: a restarted manager stands by all that it said.
template <class Keep, class Log, class Own, class Exchange>
Performed perform_step(Keep keep, Log log, Own own, Exchange exchange) {
  const bool kept = keep();
  log();
  if (!kept) return Performed::lost;
  const bool fed = own();
  const bool exchanged = exchange();
  return fed || exchanged ? Performed::fed_back : Performed::done;
}

}  // namespace dmm
