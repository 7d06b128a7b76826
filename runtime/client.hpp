// How a program of a person talks to managers: questions and jobs go out, answers come back, over one transport and one
// endpoint for any number of managers. `ClientPool` never blocks longer than it is told to; `Client` is the simple form
// for one manager. Every failure is a text that says what to look at.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "links/endpoint.hpp"
#include "protocol/messages.hpp"
#include "runtime/transport.hpp"

namespace dmm {

/// What came of one question: an answer in JSON, or a fault that says why there is none.
struct Reply {
  std::size_t manager = 0;  ///< as `connect` numbered it
  std::uint64_t token = 0;  ///< as `ask` or `submit` returned it
  std::string fault;        ///< empty: answered
  std::string text;         ///< JSON, in answer to `ask`
  Submitted submitted;      ///< in answer to `submit`
};

class ClientPool {
 public:
  ClientPool();

  /// Begins to connect to a manager; its number, or why the endpoint can't be used.
  std::variant<std::size_t, std::string> connect(const Party& manager, const std::string& endpoint);

  /// Puts a question; its reply comes out of `poll`. It is sent as soon as there is a connection.
  std::uint64_t ask(std::size_t manager, std::string verb, std::string argument = "{}");
  /// Hands over jobs; again to a manager that restarted before it answered, which submits none twice. At most some
  /// 200 KiB of them at once: what is more is answered with a fault.
  std::uint64_t submit(std::size_t manager, std::vector<JobDescription> jobs);

  /// Replies that are there, after waiting for the first of them for at most this long.
  std::vector<Reply> poll(Duration at_most);
  /// Waits for one reply; what else comes meanwhile is left to `poll`. A fault if it doesn't come in time.
  Reply wait(std::uint64_t token, Duration within);
  /// Waits for all open questions and gives their replies in the order in which they were put; a fault for each that
  /// doesn't come in time.
  std::vector<Reply> wait_all(Duration within);

  /// Questions that have no reply yet.
  std::size_t open() const { return open_.size(); }
  /// Whether the manager has been heard, and lately.
  bool is_up(std::size_t manager) const { return managers_[manager].up; }
  std::size_t size() const { return managers_.size(); }

 private:
  struct Manager {
    Party party;
    std::string endpoint;
    bool up = false;
    std::vector<Message> waiting;  ///< for the first connection
  };

  std::uint64_t put(std::size_t manager, std::uint64_t token, Message message);
  void step(Duration at_most);
  void take_messages();
  void take_link_events();
  void came_up(std::size_t manager, bool restarted);
  void send_frames();
  void close(std::uint64_t token, Reply reply);
  Reply give_up(std::uint64_t token, Duration waited);

  Transport transport_;
  Endpoint endpoint_;
  std::vector<Manager> managers_;
  std::map<Party, std::size_t> numbers_;
  std::map<std::uint64_t, std::size_t> open_;  ///< the manager of each question, by token
  std::map<std::uint64_t, Submit> submits_;    ///< those of them that aren't answered
  std::deque<Reply> replies_;
  std::vector<Received> received_;
  std::uint64_t last_token_ = 0;
};

/// One manager, asked one question after the other.
class Client {
 public:
  Client(Party manager, std::string endpoint, Duration within = seconds(2))
      : manager_(std::move(manager)), endpoint_(std::move(endpoint)), within_(within) {}

  Reply ask(const std::string& verb, const std::string& argument = "{}");
  Reply submit(std::vector<JobDescription> jobs);

 private:
  std::string connect();

  ClientPool pool_;
  Party manager_;
  std::string endpoint_;
  Duration within_;
  bool connected_ = false;
};

}  // namespace dmm
