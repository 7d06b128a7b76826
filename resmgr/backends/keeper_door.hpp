// Where managers that come later find a keeper: a unix socket in the state folder, for this account alone.
#pragma once

#include <string>

namespace dmm::keeper {

class Door {
 public:
  Door() = default;
  ~Door() { close(); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Listens in the folder, in place of a keeper that is no more: for the holder of the lock. The text is empty,
  /// or says what went wrong.
  std::string open(const std::string& state);
  /// Readable when somebody knocks; -1 while closed.
  int descriptor() const { return socket_; }
  /// The connection of the next one of this account that still waits, non-blocking and the caller's; -1 if there is
  /// none.
  int admit() const;
  /// Nobody finds the keeper any more.
  void close();

 private:
  int folder_ = -1;
  int socket_ = -1;
};

}  // namespace dmm::keeper
