// Reading /proc. None of the files that are read here waits for its process.
#include "resmgr/keeper/proc.hpp"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dmm::keeper {

std::optional<std::string> contents_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(count));
  close(file);
  return text;
}

std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  DIR* const listing = opendir(path.c_str());
  if (!listing) return numbers;
  while (const dirent* const entry = readdir(listing))
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) numbers.push_back(std::atoi(entry->d_name));
  closedir(listing);
  return numbers;
}

std::vector<pid_t> numbers_of(std::string_view text) {
  std::vector<pid_t> numbers;
  const char* position = text.data();
  const char* const end = text.data() + text.size();
  while (position < end) {
    pid_t number = 0;
    const auto [after, error] = std::from_chars(position, end, number);
    if (error == std::errc{}) numbers.push_back(number);
    position = error == std::errc{} ? after : position + 1;
  }
  return numbers;
}

// The second field of the line is a name in parentheses that may contain anything.
ProcessStatus status_of(pid_t process) {
  const auto line = contents_of("/proc/" + std::to_string(process) + "/stat");
  if (!line) return {};
  const auto name_begin = line->find('(');
  const auto name_end = line->rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line->size()) return {};
  return {line->substr(name_begin + 1, name_end - name_begin - 1), (*line)[name_end + 2],
          std::atoi(line->c_str() + name_end + 4)};
}

int signal_if(pid_t process, int signal, const std::function<bool()>& is_meant) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return errno;
  int error = ESRCH;
  if (is_meant()) error = syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0) == 0 ? 0 : errno;
  close(handle);
  return error;
}

}  // namespace dmm::keeper
