// The loop of a daemon. It sleeps until a frame, a signal, the shell's own events or a deadline. It takes what came, as
// a batch, and settles the manager once. Then it performs what the manager decided: first the ledger, then the log,
// then what the shell does, then the frames. While the ledger can't be written, nothing else happens; if it fails for
// good, the daemon ends.
//
// A shell is what a daemon has beside its manager: a backend that runs tasks, files that it writes. See `Shell`.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "links/driver.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/common_verbs.hpp"
#include "runtime/daemon.hpp"
#include "runtime/key_office.hpp"
#include "runtime/ledger_rows.hpp"
#include "runtime/log.hpp"
#include "runtime/spin_guard.hpp"
#include "runtime/transport.hpp"

namespace dmm {

/// What a shell did with its configuration when it was read again, and what is left for the reactor to do.
struct Reloaded {
  std::string fault = {};                   ///< why it was refused; then nothing changed
  std::optional<Admission> admission = {};  ///< the parties that may open a session from now on
  std::vector<DialWanted> dials = {};
  std::vector<Party> drops = {};
  std::vector<std::string> taken = {};  ///< keys that changed and count from now on
  std::vector<std::string> left = {};   ///< keys that changed and are read only when the daemon starts
};

/// What the reactor needs of a shell around a manager M.
template <class S, class M>
concept Shell = requires(S shell, Driver<M>& driver, const Transport& transport, Instant now, const Ask& ask) {
  /// Descriptors that are readable as long as `collect` has something to bring.
  { shell.descriptors() } -> std::same_as<std::vector<int>>;
  /// Feeds what came from outside into `driver.local`; whether there was anything.
  { shell.collect(now, driver) } -> std::same_as<bool>;
  /// Performs the other effects in `driver.effects` than messages and events, and empties them. Whether that fed back
  /// any input.
  { shell.perform(now, driver) } -> std::same_as<bool>;
  /// The answer to a question of the manager's own kind; nothing for a verb that it doesn't know.
  { shell.answer(now, driver, ask) } -> std::same_as<std::optional<Answer>>;
  /// The daemon is to end: does what must be done before. Called after every turn until it returns that all is done, or
  /// `Reactor::stop_limit` is over.
  { shell.finish(now, driver, Farewell{}) } -> std::same_as<bool>;
  /// Reads the configuration again and gives the manager what may change while it runs.
  { shell.reload(now, driver) } -> std::same_as<Reloaded>;
  /// This process proves another link key from now on.
  shell.take_key(now, driver, transport, LinkKey{});
  /// The verb that has most of the manager's state in its answer, for the log.
  { S::state_verb } -> std::convertible_to<std::string_view>;
};

template <IsManager M, Shell<M> S>
class Reactor {
 public:
  /// `ledger` is nullptr if nothing is kept.
  Reactor(Driver<M>& driver, S& shell, Transport& transport, Signals& signals, Log& log, Identity identity,
          KeyOffice& keys, Ledger* ledger)
      : driver_(driver),
        shell_(shell),
        transport_(transport),
        signals_(signals),
        log_(log),
        keys_(keys),
        identity_(std::move(identity)),
        ledger_(ledger),
        descriptors_(shell_.descriptors()) {
    driver_.effects.level = log_.level();
    driver_.effects.ledger.wanted = ledger_ != nullptr;
    transport_.watch(signals_.descriptor());
    for (const int descriptor : descriptors_) transport_.watch(descriptor);
  }

  /// Connects to a peer and keeps the connection. An error text, or empty.
  std::string dial(const Party& peer, const std::string& endpoint) {
    return connect({peer, keys_.dial(peer, endpoint)});
  }

  /// Runs until a signal or an order to stop, or until the ledger can't be written; the exit code.
  int run() {
    log_.write(Level::info, "ready", {});
    log_.flush();
    tell_ready();
    settle(monotonic_now());
    while (!stopping_) turn(never);
    finish();
    if (!lost_) log_.write(Level::info, "stopped", {});
    log_.flush();
    return lost_ ? 1 : 0;
  }

  /// How long a shell may take to finish.
  static constexpr Duration stop_limit = seconds(10);

 private:
  /// Frames taken before the manager settles, and the time for that. One settle serves many frames, and none waits
  /// long.
  static constexpr int batch_max = 256;
  static constexpr Duration batch_time = milliseconds(5);
  /// A manager is settled again at once if its effects feed inputs back, but at most this often.
  static constexpr int rounds_max = 8;
  /// Between two tries of a stalled commit, and between two log lines about it.
  static constexpr Duration stall_pause = seconds(1);
  static constexpr Duration stall_report = seconds(10);
  /// Between two log lines about cut connections; a line counts all that were cut meanwhile.
  static constexpr Duration cut_report = seconds(10);

  void finish() {
    const Instant limit = monotonic_now() + stop_limit;
    bool finished = false;
    while (!finished && !hurried_ && !lost_ && monotonic_now() < limit) {
      finished = shell_.finish(monotonic_now(), driver_, signals_.farewell());
      settle(monotonic_now());
      if (!finished) turn(monotonic_now() + milliseconds(100));
    }
  }

  /// The first signal ends the daemon in order, a later one at once. Signals within half a second count as one: a
  /// terminal sends them to all processes, and the program that started them may send them again.
  void take_signals(Instant now) {
    if (!transport_.readable(signals_.descriptor())) return;
    const bool ends = signals_.take();
    if (signals_.take_reload()) reload(now);
    if (!ends) return;
    hurried_ = now >= stop_again_;
    if (stop_again_ == never) stop_again_ = now + milliseconds(500);
    stopping_ = true;
  }

  /// At SIGHUP: the log may have been moved away, and the configuration changed. Peers that are dropped first get what
  /// the manager still has to tell them.
  void reload(Instant now) {
    log_.reopen();
    Reloaded wanted = shell_.reload(now, driver_);
    if (!wanted.fault.empty()) {
      log_.write(Level::error, "configuration_refused",
                 {{"reason", wanted.fault}, {"text", "nothing has changed"}});
      return;
    }
    settle(now);
    if (wanted.admission) driver_.endpoint.admit(now, std::move(*wanted.admission));
    for (const Party& party : wanted.drops) {
      keys_.drop(party);
      driver_.endpoint.drop(now, party);
    }
    for (const DialWanted& to : wanted.dials) connect_or_tell({to.peer, keys_.dial(to.peer, to.endpoint)});
    const auto named = [](const std::vector<std::string>& keys) {
      std::string text;
      for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
      return text.empty() ? std::string("nothing") : text;
    };
    log_.write(wanted.left.empty() ? Level::info : Level::warning, "configuration_taken",
               {{"changed", named(wanted.taken)}, {"after_restart", named(wanted.left)}});
    unsettled_ = true;
  }

  void turn(Instant until) {
    const Instant guarded = transport_.has_incoming() ? next_guard_ : never;
    const Instant next =
        std::min({driver_.next_deadline(), log_.next_flush(), guarded, keys_.next_deadline(), until});
    const Instant due = unsettled_ ? Instant{} : next;
    const Instant before = monotonic_now();
    transport_.wait(std::max(due <= before ? Duration{} : due - before, spins_.pause()));
    const Instant now = monotonic_now();
    bool work = drain(now);
    const auto readable = [&](int descriptor) { return transport_.readable(descriptor); };
    if (std::any_of(descriptors_.begin(), descriptors_.end(), readable)) work |= shell_.collect(now, driver_);
    work |= answer(now);
    take_signals(now);
    if (work || unsettled_ || now >= driver_.next_deadline()) {
      settle(now);
      if (spins_.settled(driver_.next_deadline() <= now)) tell_spinning(now);
    }
    if (now >= keys_.next_deadline() || driver_.endpoint.has_key_events()) keep_keys(now);
    log_.flush_due(now);
    guard(now);
  }

  // ---- keys ----

  std::string connect(const DialWanted& to) {
    auto made = transport_.dial(to.endpoint);
    if (const auto* fault = std::get_if<TransportFault>(&made)) return fault->text;
    const auto key = place_and_key(to.endpoint).second;
    driver_.endpoint.dial(monotonic_now(), std::get<Connection>(made), to.peer, key);
    return {};
  }

  void connect_or_tell(const DialWanted& to) {
    if (const std::string fault = connect(to); !fault.empty())
      log_.write(Level::warning, "dial_failed", {{"peer", to_text(to.peer)}, {"reason", fault}});
  }

  void keep_keys(Instant now) {
    std::vector<LogEvent> told;
    keys_.perform(now, driver_.endpoint, told);
    for (const LogEvent& event : told) log_.write(event);
    const KeyChanges changes = keys_.take_changes();
    if (changes.proves) prove_with(*changes.proves);
    for (const DialWanted& wanted : changes.redials) connect_or_tell(wanted);
    if (changes.proves) shell_.take_key(now, driver_, transport_, public_of(*changes.proves));
    unsettled_ = true;
  }

  /// Sessions go on: connections that peers opened are lost, and are opened again.
  void prove_with(const LinkSecret& secret) {
    transport_.prove_with(secret);
    if (const std::string fault = transport_.relisten(); !fault.empty())
      log_.write(Level::error, "listens_no_more", {{"reason", fault}});
  }

  /// Logs once that the manager spins, which is a fault of ours, and what it looks like. The manager goes on, slowly.
  void tell_spinning(Instant now) {
    const auto state = shell_.answer(now, driver_, {0, std::string(S::state_verb), "{}"});
    log_.write(Level::error, "spins",
               {{"text", "the manager asks to be settled at once, time and again; it is settled every " +
                             std::to_string(SpinGuard::pause_of_spinning.microseconds / 1'000) + " ms now"},
                {"state", state ? state->text : std::string()}});
  }

  void guard(Instant now) {
    if (now < next_guard_ && !transport_.guard_is_urgent()) return;
    next_guard_ = now + Transport::guard_interval;
    std::optional<std::set<Connection>> used;
    const std::size_t cut = transport_.guard(now, [&](Connection connection) {
      if (!used) used = driver_.endpoint.connections();
      return used->contains(connection);
    });
    for (std::size_t i = 0; i < cut; ++i) driver_.endpoint.refuse(0, "connection_cut");
    cut_ += cut;
    if (cut_ == 0 || now < tell_cut_) return;
    tell_cut_ = now + cut_report;
    log_.write(Level::warning, "connections_cut",
               {{"connections", static_cast<std::int64_t>(std::exchange(cut_, std::size_t{0}))}});
  }

  bool drain(Instant now) {
    Arrival arrival;
    int taken = 0;
    const auto has_time = [&] { return taken == 0 || monotonic_now() - now < batch_time; };
    for (; taken < batch_max && has_time() && transport_.receive(arrival); ++taken) {
      if (arrival.refusal.empty())
        driver_.frame(now, arrival.connection, arrival.bytes, *arrival.principal);
      else
        driver_.endpoint.refuse(arrival.connection, arrival.refusal);
    }
    return taken > 0;
  }

  bool answer(Instant now) {
    for (const Received& received : std::exchange(driver_.asks, {})) {
      const Ask& ask = std::get<Ask>(received.message);
      auto given = common_answer(identity_, driver_.endpoint, driver_.manager.ignored(), now, ask);
      if (!given) given = keys_.answer(now, ask, driver_.endpoint);
      if (!given) given = shell_.answer(now, driver_, ask);
      if (!given) given = unknown_verb(ask, identity_.self.role);
      if (ask.verb == "stop") {
        log_.write(Level::info, "stop", {{"from", received.from.name}});
        stopping_ = true;
      }
      driver_.effects.send(received.from, ready_to_send(std::move(*given), ask));
    }
    return !driver_.effects.messages.empty();
  }

  void settle(Instant now) {
    unsettled_ = true;
    for (int round = 0; unsettled_ && round < rounds_max && !lost_; ++round) {
      driver_.settle(now);
      const Performed performed =
          perform_step([this] { return keep(); }, [this] { write_events(); },
                       [&] { return shell_.perform(now, driver_); }, [this] { return exchange(); });
      if (performed == Performed::lost) return lose();
      unsettled_ = performed == Performed::fed_back;
    }
  }

  /// Commits what the manager wants kept, and does nothing else until that is done. False: it can't be done.
  bool keep() {
    if (ledger_ == nullptr) return true;
    hand_over(driver_.effects.ledger, *ledger_);
    const Grade grade = std::exchange(driver_.effects.ledger.grade, Grade::committed);
    Instant say_at{};
    bool stalled = false;
    for (;;) {
      const CommitOutcome outcome = ledger_->commit(grade);
      if (outcome == CommitOutcome::done) break;
      if (outcome == CommitOutcome::failed) return false;
      stalled = true;
      if (const Instant now = monotonic_now(); now >= say_at) {
        say_at = now + stall_report;
        log_.write(Level::error, "ledger_stalled",
                   {{"reason", ledger_->fault()}, {"text", "make room there: until then nothing is done"}});
        log_.flush();
      }
      if (signals_.wait(stall_pause)) return false;
    }
    if (stalled) log_.write(Level::warning, "ledger_goes_on", {{"file", ledger_->path()}});
    return true;
  }

  /// The decisions of this step aren't kept, so they never happened: no frame tells of them.
  void lose() {
    log_.write(Level::error, "ledger_lost",
               {{"reason", ledger_->fault()}, {"text", "the daemon ends; nothing leaves that isn't kept"}});
    lost_ = stopping_ = true;
  }

  void write_events() {
    for (const LogEvent& event : driver_.effects.events) log_.write(event);
    driver_.effects.events.clear();
  }

  /// Sends frames, and opens and closes connections as the endpoint wants. Whether a new connection needs its Hello.
  bool exchange() {
    bool dialled = false;
    driver_.endpoint.take_frames([this](const Frame& frame) {
      if (!transport_.send(frame.connection, frame.bytes)) driver_.endpoint.undeliverable(frame.connection);
    });
    for (const Connection connection : driver_.endpoint.take_hangups()) transport_.hangup(connection);
    for (const DialWanted& wanted : driver_.endpoint.take_dials()) {
      connect_or_tell(wanted);
      dialled = true;
    }
    return dialled;
  }

  Driver<M>& driver_;
  S& shell_;
  Transport& transport_;
  Signals& signals_;
  Log& log_;
  KeyOffice& keys_;
  Identity identity_;
  Ledger* ledger_;
  std::vector<int> descriptors_;  ///< the shell's
  SpinGuard spins_;
  Instant next_guard_{}, tell_cut_{};
  std::size_t cut_ = 0;         ///< connections that aren't in the log yet
  Instant stop_again_ = never;  ///< a signal after this ends the daemon without finishing
  bool hurried_ = false;
  bool stopping_ = false;
  bool lost_ = false;       ///< the ledger can't be written any more
  bool unsettled_ = false;  ///< the manager is to be settled again without waiting
};

}  // namespace dmm
