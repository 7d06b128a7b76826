// Signals and start-up; see daemon.hpp.
#include "runtime/daemon.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "manager/assert.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

constexpr const char* ready_variable = "DMM_READY_FD";

int ready_descriptor() {
  const char* const text = std::getenv(ready_variable);
  if (text == nullptr) return -1;
  int descriptor = -1;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), descriptor);
  return error == std::errc{} && *end == '\0' ? descriptor : -1;
}

}  // namespace

Signals::Signals() : descriptor_(-1) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGUSR1);
  sigaddset(&wanted, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  descriptor_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  DMM_ASSERT(descriptor_ >= 0);
}

Signals::~Signals() { ::close(descriptor_); }

bool Signals::take() {
  signalfd_siginfo signal{};
  bool came = false;
  while (::read(descriptor_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    reload_ |= signal.ssi_signo == SIGHUP;
    came |= signal.ssi_signo != SIGHUP;
    if (signal.ssi_signo == SIGINT) farewell_ = Farewell::end;
    if (signal.ssi_signo == SIGUSR1) farewell_ = Farewell::hand_back;
  }
  return came;
}

bool Signals::wait(Duration at_most) {
  pollfd wanted{descriptor_, POLLIN, 0};
  ::poll(&wanted, 1, static_cast<int>(at_most.microseconds / 1000));
  return take();
}

void tell_ready() {
  const int descriptor = ready_descriptor();
  ::unsetenv(ready_variable);
  if (descriptor >= 0 && ::write(descriptor, "r", 1) == 1) ::close(descriptor);
}

Umask change_umask(Umask umask) { return ::umask(umask); }

std::string work_in(const std::string& directory) {
  if (!directory.empty())
    if (std::string fault = make_directory(directory); !fault.empty()) return fault;
  if (::chdir(directory.empty() ? "/" : directory.c_str()) == 0) return {};
  return "cannot work in " + directory + ": " + std::strerror(errno);
}

bool runs_as_root() { return ::geteuid() == 0; }

std::vector<std::string> exposures_of(bool as_root) {
  std::vector<std::string> texts;
  if (as_root)
    texts.emplace_back(
        "runs as root, and so do all programs and files that it makes for other sites: give it an account of its "
        "own");
  return texts;
}

void begin_daemon(bool die_with_parent) {
  if (const int descriptor = ready_descriptor(); descriptor >= 0)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // no helper keeps it open
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 8'192);
    limit.rlim_cur = std::max(limit.rlim_cur, wanted);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (!die_with_parent) return;
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  // The parent may have ended before the call, and then there is another one now.
  if (::getppid() != parent) ::raise(SIGINT);
}

}  // namespace dmm
