// flock on a file beside the socket; see socket_lock.hpp.
#include "runtime/socket_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dmm {
namespace {

/// Whether the open file still has that name: its last holder may have removed it meanwhile.
bool is_at(int descriptor, const std::string& file) {
  struct stat open_one {
  }, named{};
  return ::fstat(descriptor, &open_one) == 0 && ::stat(file.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

}  // namespace

SocketLock::SocketLock(SocketLock&& other) noexcept
    : socket_(std::move(other.socket_)),
      file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

std::string SocketLock::path_of(std::string_view endpoint) {
  constexpr std::string_view scheme = "ipc://";
  if (!endpoint.starts_with(scheme)) return {};
  endpoint.remove_prefix(scheme.size());
  return endpoint.starts_with('@') || endpoint == "*" ? std::string{} : std::string(endpoint);
}

std::string SocketLock::acquire(const std::string& socket_path) {
  const std::string file = socket_path + ".lock";
  for (int turn = 0; turn < 10; ++turn) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return "cannot make " + file + ": " + std::strerror(errno);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(descriptor);
      if (error == EWOULDBLOCK) return "in use by another process";
      return "cannot lock " + file + ": " + std::strerror(error);
    }
    if (is_at(descriptor, file)) {
      socket_ = socket_path;
      file_ = file;
      descriptor_ = descriptor;
      return {};
    }
    ::close(descriptor);
  }
  return "cannot lock " + file + ": other processes replace it again and again";
}

void SocketLock::release() {
  if (descriptor_ < 0) return;
  ::unlink(socket_.c_str());
  ::unlink(file_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace dmm
