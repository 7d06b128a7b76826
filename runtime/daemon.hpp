// What a daemon is beside its manager: signals, how it begins, how it tells its starter that it is ready.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

/// What a daemon that ends does with the work that it has under way.
enum class Farewell : unsigned char {
  leave,      ///< SIGTERM: it goes on without the daemon, which will be started again
  end,        ///< SIGINT: it ends first
  hand_back,  ///< SIGUSR1: as `end`; other users of the host want a resource manager's nodes
};

/// SIGTERM, SIGINT, SIGUSR1 and SIGHUP as a descriptor to wait for, so that none is lost between two waits; SIGPIPE is
/// ignored. Make it before anything that makes threads, which inherit the blocked signals.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  /// Reads the signals that came; true if any asks the daemon to end.
  bool take();
  /// Whether a SIGHUP came since the last call: the configuration is to be read again.
  bool take_reload() { return std::exchange(reload_, false); }
  /// What the signals so far ask for.
  Farewell farewell() const { return farewell_; }
  /// Sleeps until a signal comes or the time is over; true if a signal came.
  bool wait(Duration at_most);

 private:
  int descriptor_;
  Farewell farewell_ = Farewell::leave;
  bool reload_ = false;
};

/// How a daemon begins, before anything else. It raises its limit of open files (each connection is one) to what the
/// administrator allows, at most a few thousand. For testbeds, the kernel sends it SIGINT when its parent process ends.
void begin_daemon(bool die_with_parent);

/// The permissions that new files of this process don't get.
using Umask = unsigned;
constexpr Umask private_umask = 077;  ///< other accounts may not read them
/// Sets the umask; returns the earlier one.
Umask change_umask(Umask umask);

/// Changes to a working directory, which is made if it isn't there; to the root folder if none is named, so that no
/// other folder is kept busy. An error text, or empty.
std::string work_in(const std::string& directory);

bool runs_as_root();

/// What the administrator must know of the harm that other accounts can do through this daemon: one text for each
/// danger.
std::vector<std::string> exposures_of(bool as_root);

/// Writes one byte to the descriptor that the environment variable DMM_READY_FD names, if any, and closes it.
void tell_ready();

}  // namespace dmm
