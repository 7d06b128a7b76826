// Counts SIGINT, SIGTERM and SIGHUP instead of dying of them, so that a command can always stop what it started. Must
// be constructed before any thread is made: threads inherit the blocked signals.
#pragma once

#include <signal.h>

namespace dmm {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Signals received so far.
  int count();
  bool any() { return count() > 0; }
  /// The exit code of a program that such a signal ended: 130 for Ctrl-C.
  int exit_code() const { return 128 + last_; }

 private:
  sigset_t before_{};
  void (*pipe_before_)(int);
  int descriptor_ = -1;
  int count_ = 0;
  int last_ = SIGINT;
};

}  // namespace dmm
