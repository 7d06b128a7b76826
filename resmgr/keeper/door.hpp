// Where later managers find a keeper: a unix socket in the state folder, for this account alone, and not for its jobs.
// A manager that connects sends the secret that lies beside the socket, readable for the account alone. In namespaces
// of their own, jobs see neither. And no process with a job's mark is let in, even with the secret.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/leftovers.hpp"

namespace dmm::keeper {

class Door {
 public:
  explicit Door(const Marks& marks) : marks_(marks) {}
  ~Door() { close(); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Listens in the folder, in place of an earlier keeper: for the holder of the lock. The text is empty, or says what
  /// went wrong.
  std::string open(const std::string& state);
  /// Poll all of them for reading; none while closed.
  std::vector<int> descriptors() const;
  /// When to call `admit` even if no visitor sends anything.
  Clock next_deadline() const;
  /// Accepts visitors and reads their frames. Returns a manager that sent the secret, with its rules, or nullptr.
  std::unique_ptr<Channel> admit(Rules& rules);
  /// From now on, no manager finds the keeper.
  void close();

 private:
  struct Visitor {
    std::unique_ptr<Channel> channel;
    Clock until = 0;  // when it is disconnected
  };
  enum class Heard { nothing, nonsense, secret };
  bool may_knock(int socket) const;
  void answer_knocks();
  Heard hear(Channel& channel, Rules& rules) const;

  Marks marks_;
  int folder_ = -1;
  int socket_ = -1;
  std::string secret_;
  std::vector<Visitor> visitors_;
};

}  // namespace dmm::keeper
