#include "batchmgr/runner/agent_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace dmm {
namespace {

std::string lock_of(const std::string& folder) { return folder + "/agent.lock"; }

bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

/// 0 while the agent hasn't written itself yet.
pid_t agent_in(int file) {
  std::array<char, 16> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  pid_t agent = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, agent);
  return agent;
}

/// Sends the signal, and waits; whether the process is gone.
bool end_by(int handle, int signal, double limit_seconds) {
  ::syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0);
  pollfd polled{handle, POLLIN, 0};
  return ::poll(&polled, 1, static_cast<int>(limit_seconds * 1'000)) > 0;
}

}  // namespace

int take_agent_lock(const std::string& folder) {
  const int file = ::open(lock_of(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) std::fprintf(stderr, "nodeagent: %s: %s\n", lock_of(folder).c_str(), std::strerror(errno));
  if (file < 0 || !lock(file)) return -1;
  if (::ftruncate(file, 0) != 0) return -1;
  return file;
}

void write_agent(int file, pid_t agent) {
  const std::string text = std::to_string(agent);
  if (::pwrite(file, text.data(), text.size(), 0) < 0)
    std::fprintf(stderr, "nodeagent: its lock: %s\n", std::strerror(errno));
}

int stop_agent(const std::string& folder, double limit_seconds) {
  const int file = ::open(lock_of(folder).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  constexpr double kill_limit_seconds = 5;
  constexpr int naps_max = 1'000;
  for (int nap = 0; nap < naps_max && !lock(file); ++nap) {
    const pid_t agent = agent_in(file);
    const int handle = agent > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, agent, 0)) : -1;
    if (handle >= 0 && !end_by(handle, SIGUSR1, limit_seconds)) end_by(handle, SIGKILL, kill_limit_seconds);
    if (handle >= 0) ::close(handle);
    ::usleep(1'000);
  }
  ::close(file);
  return 0;
}

}  // namespace dmm
