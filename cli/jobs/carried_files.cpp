#include "cli/jobs/carried_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <variant>

#include "cli/terminal/figures.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

using Read = OrFault<std::string, CarriedFault>;

CarriedFault refused(WhyNot why) { return {std::move(why)}; }

/// A descriptor, closed with this object.
struct OpenFile {
  int descriptor;
  explicit OpenFile(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

struct Limit {
  const char* what;  ///< "a script"
  std::size_t bytes;
  const char* remedy;  ///< what to do about a larger file
};
constexpr const char* put_it_there = ". A larger file doesn't travel: put it on the hosts where the job runs";
constexpr Limit script_limit{"a script", script_bytes_max, put_it_there};
constexpr Limit input_limit{"the input of a job", input_bytes_max, put_it_there};
constexpr Limit rsl_limit{"a request in RSL", 1024 * 1024, ""};

WhyNot cannot_read(const std::string& name) {
  return "can't read " + harmless(name) + ": " + std::strerror(errno);
}

WhyNot too_large(const std::string& name, std::size_t bytes, bool is_all, const Limit& limit) {
  return harmless(name) + " has " + (is_all ? "" : "more than ") + bytes_text(bytes) + "; " + limit.what +
         " may have at most " + bytes_text(limit.bytes) + limit.remedy;
}

/// Reads all: from the beginning of the file if `in_place`, else from its offset.
Read read_whole_of(int descriptor, const std::string& name, const Limit& limit, bool in_place) {
  struct stat facts {};
  const bool is_file = ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  if (is_file && static_cast<std::size_t>(facts.st_size) > limit.bytes)
    return refused(too_large(name, static_cast<std::size_t>(facts.st_size), true, limit));
  std::string bytes(limit.bytes + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    char* const to = bytes.data() + size;
    const std::size_t room = bytes.size() - size;
    const ssize_t count =
        in_place ? ::pread(descriptor, to, room, static_cast<off_t>(size)) : ::read(descriptor, to, room);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused(cannot_read(name));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > limit.bytes) return refused(too_large(name, limit.bytes, false, limit));
  bytes.resize(size);
  return bytes;
}

Read read_file(const std::string& path, const Limit& limit) {
  const OpenFile file(path);
  if (file.descriptor < 0) return refused(cannot_read(path));
  return read_whole_of(file.descriptor, path, limit, false);
}

}  // namespace

std::string bytes_text(std::size_t bytes) { return grouped(bytes) + " bytes"; }

bool is_script_file(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  return read_head(path, 2) == "#!";
}

Read read_script(const std::string& path) { return read_file(path, script_limit); }

Read read_rsl(const std::string& path) { return read_file(path, rsl_limit); }

Read read_input(const std::string& path) {
  if (path != "-") return read_file(path, input_limit);
  if (::isatty(STDIN_FILENO) == 1)
    return refused(
        "--input -: standard input is a terminal; expected a pipe or a file, as in `dmm submit ... < file`");
  return read_whole_of(STDIN_FILENO, "standard input", input_limit, false);
}

Read offered_input() {
  struct stat facts {};
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  const bool is_open_to_read = flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
  if (!is_open_to_read || ::fstat(STDIN_FILENO, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      ::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
    return std::string();
  Read read = read_whole_of(STDIN_FILENO, "standard input", input_limit, true);
  if (auto* fault = std::get_if<CarriedFault>(&read)) fault->text += "; `< /dev/null` gives the job no input";
  return read;
}

}  // namespace dmm
