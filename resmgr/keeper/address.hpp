// Names in the state folder: those by which a manager finds a keeper, and of what is in a job's directory.
#pragma once

#include <cstdio>

#include <sys/socket.h>
#include <sys/un.h>

namespace dmm::keeper {

/// Locked while a keeper lives; its process id is in there, for people.
constexpr const char* lock_name = "keeper.lock";
/// Where a keeper that outlives its managers listens.
constexpr const char* socket_name = "keeper.socket";
/// What a manager must say to be let in there, for the account alone to read.
constexpr const char* secret_name = "keeper.secret";

/// Where a job runs, in its directory, unless its user says otherwise.
constexpr const char* work_name = "work";

/// The address of the socket in an open folder. Through the descriptor, since an address holds 108 bytes at most
/// and a folder's name may have more.
inline sockaddr_un socket_address(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, socket_name);
  return address;
}

}  // namespace dmm::keeper
