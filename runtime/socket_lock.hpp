// Keeps two live processes from listening at one ipc endpoint. ZeroMQ removes any file in its way before it binds, even
// the socket of a process that still listens. So each listener holds a lock on `path`.lock; the system drops the lock
// of a process that died.
#pragma once

#include <string>
#include <string_view>

namespace dmm {

class SocketLock {
 public:
  SocketLock() = default;
  ~SocketLock() { release(); }
  SocketLock(SocketLock&& other) noexcept;
  SocketLock& operator=(SocketLock&&) = delete;

  /// The path of an ipc endpoint that is a file; empty for any other endpoint.
  static std::string path_of(std::string_view endpoint);

  /// Takes the lock. An error text, or empty: then the lock is held.
  std::string acquire(const std::string& socket_path);
  /// Removes the socket, which ZeroMQ leaves behind, and the lock's file; releases the lock.
  void release();

 private:
  std::string socket_;
  std::string file_;
  int descriptor_ = -1;
};

}  // namespace dmm
