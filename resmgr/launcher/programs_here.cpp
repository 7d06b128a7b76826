#include "resmgr/launcher/programs_here.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm {
namespace {

constexpr int not_found = 127;  // exit status of a shell that finds no such program

/// Whether it is a file that may be run; else errno.
bool may_run(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return false;
  if (S_ISDIR(facts.st_mode)) {
    errno = EACCES;
    return false;
  }
  return access(path.c_str(), X_OK) == 0;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// In the child: only calls that are safe after a fork of a program with one thread.
[[noreturn]] void become(const std::string& path, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& variables, const ProgramFiles& files) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const std::string& variable : variables) putenv(const_cast<char*>(variable.c_str()));
  const int wanted[] = {files.input, files.output, files.error};
  for (int i = 0; i < 3; ++i)
    if (wanted[i] != i) dup2(wanted[i], i);
  close_range(3, ~0U, 0);
  execv(path.c_str(), pointers(arguments).data());
  dprintf(2, "can't run %s: %s\n", arguments.front().c_str(), std::strerror(errno));
  _exit(not_found);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return may_run(name) ? name : std::string();
  int error = ENOENT;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string found = std::string(rest.substr(0, end)) + '/' + name;
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (may_run(found)) return found;
    if (errno == EACCES) error = EACCES;
  }
  errno = error;
  return {};
}

ReadyLine fault_of_program(const std::string& name) {
  if (!find_program(name).empty()) return {};
  const int error = errno;
  const bool is_missing = error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG;
  return {is_missing ? StartFault::executable_missing : StartFault::not_permitted,
          "can't run " + name + ": " + std::strerror(error)};
}

pid_t start_program(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                    const ProgramFiles& files, bool apart) {
  const std::string path = find_program(arguments.front());
  const pid_t process = fork();
  if (process == 0) {
    if (apart) setpgid(0, 0);
    become(path, arguments, variables, files);
  }
  if (process > 0 && apart) setpgid(process, process);  // whichever process is first
  return process > 0 ? process : 0;
}

void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    std::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
    raise(number);
    _exit(128 + number);
  }
  _exit(WEXITSTATUS(status));
}

}  // namespace dmm
