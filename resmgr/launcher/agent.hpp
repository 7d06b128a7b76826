// The agent of a task: starts programs for the job's other tasks on its own host, where the job has no account. It
// accepts only orders with its token, which only the job's tasks know.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/launcher/agent_words.hpp"

namespace dmm::launcher {

/// The most bytes of an order to an agent, and of a report: more than arguments and environment of a program may have.
constexpr std::uint32_t order_bytes_max = 4 * 1024 * 1024;

class Agent {
 public:
  /// Takes over a socket that listens.
  Agent(int listener, std::string token);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Serves until `main` ends, or without `main` (0) until a Finish comes; or until SIGTERM came and no program is
  /// left. Returns the status of `main`, as of waitpid; 0 after a Finish.
  int serve(pid_t main);

 private:
  /// A connection, and the program that was started for it.
  struct Session {
    explicit Session(int socket) : channel(socket, order_bytes_max) {}
    keeper::Channel channel;
    pid_t process = 0;
    int status = 0;
    bool ended = false;        // the program did
    int output[2] = {-1, -1};  // by Stream: reading ends; -1 once there is no more
    bool closed = false;       // the connection is over, or is to be
  };

  void wait();
  void accept_all();
  void drop_oldest_stranger();
  void take_orders(Session& session);
  void carry_out(Session& session, launcher::StartProgram& order);
  void carry_out(Session& session, launcher::Finish& order);
  void pass_output(Session& session, Stream stream);
  void tell_end(Session& session);
  void reap();
  void drop_closed();
  static void end(Session& session);

  int listener_;
  std::string token_;
  int signals_ = -1;  // a signalfd
  pid_t main_ = 0;
  int main_status_ = 0;
  bool main_ended_ = false, finished_ = false, asked_to_end_ = false;
  std::list<Session> sessions_;
};

}  // namespace dmm::launcher
