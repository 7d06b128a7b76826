// The calls of credentials(7). Those of the C library would also call the other threads, which a forked process lacks.
#include "resmgr/keeper/account.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

// exit codes of a child that tries an account out
constexpr int all_well = 0, cannot_become = 1, cannot_reach = 2;

// The keeper's capabilities for jobs of other accounts: for their folders and files, and for signals.
constexpr std::array<std::pair<int, std::string_view>, 6> needed{{{CAP_SETUID, "CAP_SETUID"},
                                                                  {CAP_SETGID, "CAP_SETGID"},
                                                                  {CAP_CHOWN, "CAP_CHOWN"},
                                                                  {CAP_KILL, "CAP_KILL"},
                                                                  {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
                                                                  {CAP_FOWNER, "CAP_FOWNER"}}};

std::string lacking() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  syscall(SYS_capget, &header, sets);
  std::string names;
  for (const auto& [number, name] : needed) {
    if (sets[CAP_TO_INDEX(number)].effective & CAP_TO_MASK(number)) continue;
    names += names.empty() ? "" : ", ";
    names += name;
  }
  return names;
}

int drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

}  // namespace

int become(const Credentials& account) {
  if (syscall(SYS_setgroups, account.groups.size(), account.groups.data()) != 0 ||
      syscall(SYS_setresgid, account.group, account.group, account.group) != 0 ||
      syscall(SYS_setresuid, account.uid, account.uid, account.uid) != 0)
    return errno;
  if (const int error = drop_capabilities()) return error;
  if (syscall(SYS_setresuid, 0, 0, 0) == 0 || syscall(SYS_setresgid, 0, 0, 0) == 0) return EPERM;  // root again
  prctl(PR_SET_DUMPABLE, 0);  // until it runs a program: its memory may be another process's, too
  return 0;
}

std::string why_not(const Account& account, const std::string& folder) {
  if (const std::string names = lacking(); !names.empty())
    return "the resource manager may not run jobs under other accounts: it lacks " + names + ", which root has";
  const pid_t child = fork();
  if (child < 0) return std::string("can't try an account out: ") + std::strerror(errno);
  if (child == 0) {
    if (become({account.uid, account.group, account.groups}) != 0) _exit(cannot_become);
    _exit(access(folder.c_str(), X_OK) == 0 ? all_well : cannot_reach);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == all_well) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_reach)
    return "account " + account.name + " can't reach " + folder +
           ": expected folders above it that every account may pass (mode 0711)";
  return "can't become account " + account.name;
}

}  // namespace dmm::keeper
