// What a daemon is beside its manager: signals, how it begins, how it tells its starter that it is ready.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

/// What is to become of the work that a daemon has under way when it ends.
enum class Farewell : unsigned char {
  leave,      ///< SIGTERM: it goes on without the daemon, which will be started again
  end,        ///< SIGINT: it ends first
  hand_back,  ///< SIGUSR1: as `end`, and a resource manager's nodes are wanted back by others than its owner
};

/// SIGTERM, SIGINT, SIGUSR1 and SIGHUP as a descriptor to wait for, so that none is lost between two waits;
/// SIGPIPE ignored. To be made before anything that makes threads, which inherit what is blocked.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  /// Reads what came; true if any of it asks the daemon to end.
  bool take();
  /// Whether a SIGHUP came since the last call: the configuration is to be read again.
  bool take_reload() { return std::exchange(reload_, false); }
  /// What the signals so far ask for.
  Farewell farewell() const { return farewell_; }
  /// Sleeps until one comes or the time is over; true if one came.
  bool wait(Duration at_most);

 private:
  int descriptor_;
  Farewell farewell_ = Farewell::leave;
  bool reload_ = false;
};

/// How a daemon begins, before anything else: open files as many as the administrator allows (each connection is one),
/// up to a few thousand; and, for testbeds, SIGINT from the kernel when the parent process ends.
void begin_daemon(bool die_with_parent);

/// The permissions that new files of this process lack.
using Umask = unsigned;
constexpr Umask private_umask = 077;  ///< nobody else may read them
/// Sets it; the one of before.
Umask change_umask(Umask umask);

/// Goes to work in a directory, which is made if it isn't there, so that no other folder is kept busy; in the root
/// folder if none is named. An error text, or empty.
std::string work_in(const std::string& directory);

bool runs_as_root();

/// What its administrator must know of the harm that others can do through it: a text each.
std::vector<std::string> exposures_of(bool as_root);

/// Writes one byte to the descriptor that the environment variable DMM_READY_FD names, if any, and closes it.
void tell_ready();

}  // namespace dmm
