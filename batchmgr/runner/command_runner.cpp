// A command is watched by a handle on its process and by a timer, both in one poll set.
#include "batchmgr/runner/command_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::size_t running_max = 16;

std::int64_t monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

void note_time(CommandEnded& ended) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  ended.minute = static_cast<std::uint32_t>(local.tm_hour * 60 + local.tm_min);
  ended.clock_seconds = now;
}

int memory_file() { return memfd_create("command", MFD_CLOEXEC); }

/// A file with this text, to be read from its beginning.
int file_of(const std::string& text) {
  const int file = memory_file();
  if (file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    ::lseek(file, 0, SEEK_SET);
  return file;
}

std::string text_of(int file) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return {};
  std::string text(std::min(static_cast<std::size_t>(about.st_size), CommandRunner::output_max), '\0');
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

void watch(int poll_set, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(poll_set, EPOLL_CTL_ADD, descriptor, &event);
}

/// In a process group of its own, with default signals, and nothing of ours open.
int spawn(const Command& command, int input, int output, int error, pid_t& process) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const auto& [from, to] : {std::pair{input, 0}, {output, 1}, {error, 2}})
    posix_spawn_file_actions_adddup2(&files, from, to);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int fault = posix_spawnp(&process, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return fault;
}

}  // namespace

CommandRunner::CommandRunner()
    : poll_set_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  DMM_ASSERT(poll_set_ >= 0 && bell_ >= 0);
  watch(poll_set_, bell_);
}

CommandRunner::~CommandRunner() {
  for (auto& [id, process] : running_) {
    ::kill(-process.id, SIGKILL);
    ::waitpid(process.id, nullptr, 0);
    for (const int file : {process.handle, process.timer, process.output, process.error}) ::close(file);
  }
  ::close(poll_set_);
  ::close(bell_);
}

void CommandRunner::run(CommandWanted wanted) {
  if (running_.size() >= running_max)
    waiting_.push_back(std::move(wanted));
  else
    start(wanted);
}

void CommandRunner::start(const CommandWanted& wanted) {
  Process process;
  process.output = memory_file();
  process.error = memory_file();
  process.began = monotonic_microseconds();
  const int input = file_of(wanted.command.input);
  pid_t id = 0;
  const bool has_files = input >= 0 && process.output >= 0 && process.error >= 0;
  const int fault = has_files ? spawn(wanted.command, input, process.output, process.error, id) : EMFILE;
  if (input >= 0) ::close(input);
  if (fault != 0) {
    for (const int file : {process.output, process.error})
      if (file >= 0) ::close(file);
    return fail(wanted.id, wanted.command.arguments.front() + ": " + std::strerror(fault));
  }
  process.id = id;
  process.handle = static_cast<int>(::syscall(SYS_pidfd_open, id, 0));
  process.timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  DMM_ASSERT(process.handle >= 0 && process.timer >= 0);
  const std::int64_t limit = std::max<std::int64_t>(wanted.at_most.microseconds, 1);
  const itimerspec once{{0, 0}, {limit / 1'000'000, limit % 1'000'000 * 1'000}};
  ::timerfd_settime(process.timer, 0, &once, nullptr);
  watch(poll_set_, process.handle);
  watch(poll_set_, process.timer);
  running_.emplace(wanted.id, process);
}

void CommandRunner::fail(std::uint64_t id, std::string why) {
  note_time(failed_.emplace_back(CommandEnded{.id = id, .status = -1, .error = std::move(why)}));
  ::eventfd_write(bell_, 1);
}

CommandEnded CommandRunner::collect(std::uint64_t id, Process& process) {
  int status = 0;
  ::waitpid(process.id, &status, 0);
  ::kill(-process.id, SIGKILL);  // what it left behind in its group
  CommandEnded ended;
  ended.id = id;
  ended.status = WIFEXITED(status) && !process.is_late ? WEXITSTATUS(status) : -1;
  ended.output = text_of(process.output);
  ended.error = process.is_late ? "didn't end in time" : text_of(process.error);
  ended.took = microseconds(monotonic_microseconds() - process.began);
  note_time(ended);
  for (const int file : {process.handle, process.timer, process.output, process.error}) ::close(file);
  return ended;
}

std::vector<CommandEnded> CommandRunner::take() {
  eventfd_t rung = 0;
  ::eventfd_read(bell_, &rung);
  std::vector<CommandEnded> ended = std::exchange(failed_, {});
  for (auto one = running_.begin(); one != running_.end();) {
    Process& process = one->second;
    std::uint64_t times = 0;
    if (!process.is_late && ::read(process.timer, &times, sizeof times) > 0) {
      process.is_late = true;
      ::kill(-process.id, SIGKILL);
    }
    siginfo_t info{};
    const bool is_over = ::waitid(P_PID, static_cast<id_t>(process.id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                         info.si_pid != 0;
    if (!is_over) {
      ++one;
      continue;
    }
    ended.push_back(collect(one->first, process));
    one = running_.erase(one);
  }
  while (!waiting_.empty() && running_.size() < running_max) {
    start(waiting_.front());
    waiting_.erase(waiting_.begin());
  }
  return ended;
}

std::vector<CommandEnded> run_all(std::vector<Command> commands, Duration at_most) {
  std::vector<CommandEnded> ends(commands.size());
  CommandRunner runner;
  for (std::size_t i = 0; i < commands.size(); ++i) runner.run({i, std::move(commands[i]), at_most});
  for (std::size_t left = ends.size(); left > 0;) {
    pollfd polled{runner.descriptor(), POLLIN, 0};
    ::poll(&polled, 1, -1);
    for (CommandEnded& one : runner.take()) {
      ends[one.id] = std::move(one);
      --left;
    }
  }
  return ends;
}

std::string folder_of_programs() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string all(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return all.substr(0, all.find_last_of('/'));
}

}  // namespace dmm
