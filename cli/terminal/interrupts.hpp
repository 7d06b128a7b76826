// SIGINT, SIGTERM and SIGHUP as a count to look at, so that a command that has started something always gets to
// stop it. To be made before anything that makes threads, which inherit what is blocked.
#pragma once

#include <signal.h>

namespace dmm {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// How many came so far.
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
