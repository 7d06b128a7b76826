// Where managers that come later find a keeper: a unix socket in the state folder, for this account alone, and not for
// its jobs. Whoever knocks says a secret that lies beside it, for the account alone to read; in namespaces of their own
// jobs see neither. And no process with a job's mark is let in at all, whatever it knows.
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

  /// Listens in the folder, in place of a keeper that is no more: for the holder of the lock. The text is empty,
  /// or says what went wrong.
  std::string open(const std::string& state);
  /// To be polled for reading, all of them; none while closed.
  std::vector<int> descriptors() const;
  /// When to call `admit` though nobody has said anything.
  Clock next_deadline() const;
  /// Takes who knocks, and hears who has knocked: a manager that said the secret, with its rules, or nullptr.
  std::unique_ptr<Channel> admit(Rules& rules);
  /// Nobody finds the keeper any more.
  void close();

 private:
  struct Visitor {
    std::unique_ptr<Channel> channel;
    Clock until = 0;  // when it is sent away
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
