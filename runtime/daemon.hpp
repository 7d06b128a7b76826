// What a daemon is beside its manager: signals, how it begins, how it tells its starter that it is ready.
#pragma once

#include "protocol/time.hpp"

namespace dmm {

/// SIGTERM and SIGINT as a descriptor to wait for, so that none is lost between two waits; SIGHUP and SIGPIPE ignored.
/// To be made before anything that makes threads, which inherit what is blocked.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  /// Reads what came; true if there was one.
  bool take();
  /// Sleeps until one comes or the time is over; true if one came.
  bool wait(Duration at_most);

 private:
  int descriptor_;
};

/// How a daemon begins, before anything else: open files as many as the administrator allows (each connection is one),
/// up to a few thousand; and, for testbeds, SIGTERM from the kernel when the parent process ends.
void begin_daemon(bool die_with_parent);

/// Writes one byte to the descriptor that the environment variable DMM_READY_FD names, if any, and closes it.
void tell_ready();

}  // namespace dmm
