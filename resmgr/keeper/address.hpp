// Names in the state folder: by which a manager finds a keeper, and of the entries of a job's directory.
#pragma once

#include <cstdio>

#include <sys/socket.h>
#include <sys/un.h>

namespace dmm::keeper {

/// Locked while a keeper lives; holds its process id, for people.
constexpr const char* lock_name = "keeper.lock";
/// The socket of a keeper that outlives its managers.
constexpr const char* socket_name = "keeper.socket";
/// The secret that lets a manager in there, readable for the account alone.
constexpr const char* secret_name = "keeper.secret";

/// The folder in a job's directory where it runs, unless its user names another.
constexpr const char* work_name = "work";

/// The address of the socket in an open folder. It goes through the descriptor: an address holds at most 108 bytes, and
/// a folder's path may be longer.
inline sockaddr_un socket_address(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, socket_name);
  return address;
}

}  // namespace dmm::keeper
