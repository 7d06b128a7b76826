// Reading /proc: processes of any account.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace dmm::keeper {

/// The content of a file; nothing if it can't be opened.
std::optional<std::string> contents_of(const std::string& path);
/// The numbers that name entries of a folder of /proc.
std::vector<pid_t> numbers_in(const std::string& path);
/// The numbers in a text.
std::vector<pid_t> numbers_of(std::string_view text);

/// A process's name, state (a letter, see proc(5)) and parent; 'X' if there is none.
struct ProcessStatus {
  std::string name;
  char state = 'X';
  pid_t parent = 0;

  bool is_gone() const { return state == 'X' || state == 'Z'; }
};
ProcessStatus status_of(pid_t process);

/// Sends a signal to a process. It asks `is_meant` once the process can't be mistaken for a later one of its number. 0,
/// ESRCH if the process is gone or not meant, or another errno.
int signal_if(pid_t process, int signal, const std::function<bool()>& is_meant);

}  // namespace dmm::keeper
