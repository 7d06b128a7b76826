// Listening for managers. The file is made with the keeper's umask, so that no other account may connect; who it is
// that connects is asked of the kernel as well.
#include "resmgr/backends/keeper_door.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "resmgr/backends/keeper_address.hpp"

namespace dmm::keeper {
namespace {

constexpr int waiting_max = 16;

bool is_of_this_account(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// A manager that gave up while the keeper was stopped must not take the place of one that lives.
bool has_hung_up(int socket) {
  pollfd polled{socket, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0;
}

}  // namespace

std::string Door::open(const std::string& state) {
  folder_ = ::open(state.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_un address = socket_address(folder_);
  unlinkat(folder_, socket_name, 0);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(socket_, waiting_max) == 0)
    return {};
  return "can't listen on " + state + '/' + socket_name + ": " + std::strerror(errno);
}

int Door::admit() const {
  int caller = -1;
  while ((caller = accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (is_of_this_account(caller) && !has_hung_up(caller)) return caller;
    ::close(caller);
  }
  return -1;
}

void Door::close() {
  if (socket_ >= 0) {
    unlinkat(folder_, socket_name, 0);
    ::close(socket_);
  }
  if (folder_ >= 0) ::close(folder_);
  folder_ = socket_ = -1;
}

}  // namespace dmm::keeper
