// The connection of a resource manager to its keeper: starts the keeper or finds a live one, sends orders, reads
// frames, and notices the keeper's silence and its death. It never waits for a keeper that serves: bytes that the
// socket doesn't take are kept and sent later. What follows from a death is decided by the backend.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <sys/types.h>

#include "resmgr/backends/process/backend_settings.hpp"
#include "resmgr/backends/process/keeper_start.hpp"
#include "resmgr/keeper/frames.hpp"

namespace dmm {

class KeeperLink {
 public:
  explicit KeeperLink(const ProcessBackendSettings& settings);
  /// Closes the descriptors of the poll; doesn't wait for the keeper, so ~ProcessBackend calls end() before.
  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  /// The first frame of a keeper, or why there is none.
  using Found = std::variant<keeper::Ready, std::string>;
  /// Starts the first keeper, and waits for its Ready.
  Found start_first(Duration keep, const keeper::Rules& rules);
  /// Takes over the keeper that lives in the folder or, if there is none, starts one. Tries again while an earlier
  /// keeper is about to end, and if another manager is quicker.
  Found find(Duration keep, const keeper::Rules& rules);
  /// Starts a keeper, and doesn't wait for its Ready. Returns what went wrong, or an empty text.
  std::string start(bool fresh, Duration lock_wait, Duration keep, const keeper::Rules& rules);

  /// Poll it for reading: the keeper said something, a beat is due, or the bell rang.
  int descriptor() const { return poll_set_; }
  /// Wakes the poll for what didn't come from the socket.
  void ring();
  /// Takes the last ring back: what it was for is looked at now.
  void quiet();
  bool is_connected() const { return channel_ != nullptr; }
  /// Whether `find` or `start` had to start the keeper.
  bool is_new() const { return is_new_; }
  /// Whether the keeper said that it is ready.
  bool is_ready() const { return ready_; }
  void set_ready(bool ready) { ready_ = ready; }
  /// Whether the socket is closed, and it isn't known yet whether the keeper has ended.
  bool is_losing() const { return losing_; }
  bool is_silent() const { return silent_; }
  /// Of the keeper; 0 while there is none.
  pid_t process() const { return process_; }

  /// Sends an order, or keeps it until the socket takes it. Without a keeper it does nothing.
  void send(const keeper::Order& order);
  /// Reads what is there; false if the keeper is gone.
  bool receive();
  /// The body of the next frame; valid until `receive`.
  std::optional<std::string_view> next();
  bool has_next() const;
  /// Writes what waits; false if the keeper is gone.
  bool write_waiting();
  /// Asks to be woken when the socket takes more, if anything waits.
  void watch();
  /// Sends waiting frames, for at most as long.
  void drain(int milliseconds);

  /// Sends the beat that is due, if any. Returns whether the keeper is found silent just now.
  bool beat();
  /// The keeper was heard. Returns whether it had been silent.
  bool note_heard();

  /// Closes the socket.
  void close_socket();
  /// Disconnects from a keeper that lives on.
  void part();
  /// Waits until the keeper has ended, and kills it if that takes long. Says how it ended.
  enum class End { unknown, of_other_build };
  End end();
  /// For people: why a keeper that never was ready is none.
  std::string text_of(End end) const;
  /// The keeper's socket is closed: the keeper is about to end, or another manager has it.
  void lose();
  /// What a closed socket means: not known yet, the keeper has ended, or another manager has it.
  enum class Loss { unknown, ended, replaced };
  /// Looks whether a lost keeper has ended. Kills it if it takes too long and doesn't outlive its manager.
  Loss look_for_end();

 private:
  void connect(const keeper::LiveKeeper& found);
  void say_hello(const keeper::Rules& rules);
  std::optional<std::string_view> await_frame(int milliseconds);
  std::optional<keeper::Ready> await_ready(int milliseconds, const keeper::Rules& rules);
  std::string give_up();
  std::string no_answer() const;
  void flush();

  const std::string directory_;
  const std::string executable_;
  const Duration lock_wait_;
  const bool outlive_;
  int poll_set_ = -1;  // an epoll of the socket, bell_, timer_, and the handle of a keeper that is ending
  int bell_ = -1;      // an eventfd: reports wait that didn't come from the socket
  int timer_ = -1;     // a timerfd of the beats
  std::unique_ptr<keeper::Channel> channel_;
  std::string secret_;    // by which its keeper lets a manager in
  pid_t process_ = 0;     // of the keeper
  int handle_ = -1;       // readable when the keeper has ended
  bool is_new_ = true;    // it was started, not found
  bool ready_ = false;    // the keeper said so
  int unanswered_ = 0;    // beats
  bool silent_ = false;   // too many beats are unanswered
  bool losing_ = false;   // its socket is closed, and it hasn't ended yet
  int losing_beats_ = 0;  // since then
  bool watches_write_ = false;
};

}  // namespace dmm
