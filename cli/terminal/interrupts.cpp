#include "cli/terminal/interrupts.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace dmm {

Interrupts::Interrupts() : pipe_before_(::signal(SIGPIPE, SIG_IGN)) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
  ::sigprocmask(SIG_BLOCK, &wanted, &before_);
  descriptor_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupts::~Interrupts() {
  count();  // discards signals that came late: unblocked, they would end the program before its last words
  if (descriptor_ >= 0) ::close(descriptor_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  ::signal(SIGPIPE, pipe_before_);
}

int Interrupts::count() {
  signalfd_siginfo signal{};
  while (descriptor_ >= 0 && ::read(descriptor_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    ++count_;
    last_ = static_cast<int>(signal.ssi_signo);
  }
  return count_;
}

}  // namespace dmm
