// How a program of a person talks to managers: questions and jobs go out, answers come back. One transport and one
// endpoint serve any number of managers. A ClientPool never blocks longer than it is told to. It goes on over restarts
// of managers: a question that may be repeated is asked again. Every failure is a text that says what to look at.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "links/endpoint.hpp"
#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"
#include "runtime/keyring.hpp"
#include "runtime/transport.hpp"
#include "runtime/unreachable.hpp"

namespace dmm {

/// Why a question has no answer.
enum class Unanswered : std::uint8_t {
  no,           ///< it has one, which may be that the manager refuses
  silence,      ///< nothing came in time
  no_listener,  ///< as why_unreachable says
  not_permitted,
  no_such_host,
  another_name,  ///< the manager at the endpoint has another name
  too_long,      ///< never sent: no message may be as long
};

/// The outcome of one question: an answer in JSON, or a fault that says why there is none.
struct Reply {
  std::size_t manager = 0;  ///< as `connect` numbered it
  std::uint64_t token = 0;  ///< as `ask` or `submit` returned it
  std::string fault;        ///< empty: answered
  std::string text;         ///< JSON, in answer to `ask`
  Submitted submitted;      ///< in answer to `submit`
  Unanswered why = Unanswered::no;
  std::string owner;  ///< not_permitted: the account that owns the barrier
};

/// Why no Submit has room for these jobs; empty if they fit.
std::string fault_of_size(const std::vector<JobDescription>& jobs);

class ClientPool {
 public:
  /// Managers take clients of one name for one client. So a submission that is repeated under the same name, as the
  /// first question of a pool, submits nothing twice. Without a name, the client gets a name that no other client has.
  /// Over tcp it proves itself with the keys in the folder that DMM_KEYS names.
  explicit ClientPool(const std::string& name = {});

  /// Begins to connect to a manager. Returns its number, or why the endpoint can't be used.
  OrFault<std::size_t> connect(const Party& manager, const std::string& endpoint);
  /// From now on, a question to a manager that was never reached and certainly can't be is answered with a fault within
  /// a second. A manager that was reached before may only be restarting.
  void give_up_early() { gives_up_early_ = true; }

  /// Puts a question; its reply comes out of `poll`. It is sent as soon as there is a connection, and again to a
  /// manager that restarted before it answered.
  std::uint64_t ask(std::size_t manager, std::string verb, std::string argument = "{}");
  /// The same for an order, which is sent once: a manager that was told to stop and runs again was started on purpose.
  std::uint64_t order(std::size_t manager, std::string verb, std::string argument = "{}");
  /// Hands over jobs. A manager that restarts before it answers gets them again, and submits none twice. At most 3 MiB
  /// at once: a larger submission is answered with a fault.
  std::uint64_t submit(std::size_t manager, std::vector<JobDescription> jobs);

  /// The replies that are there. Waits for the first of them for at most this long.
  std::vector<Reply> poll(Duration at_most);
  /// Waits for one reply; other replies are left to `poll`. A fault if the reply doesn't come in time.
  Reply wait(std::uint64_t token, Duration within);
  /// Waits for all open questions and gives their replies in the order in which they were put; a fault for each that
  /// doesn't come in time.
  std::vector<Reply> wait_all(Duration within);
  /// Stops waiting for the reply to a question that has been open for `waited`, and says why there is none.
  Reply give_up(std::uint64_t token, Duration waited);

  /// Questions that have no reply yet.
  std::size_t open() const { return open_.size(); }
  /// Whether the manager was heard lately.
  bool is_up(std::size_t manager) const { return managers_[manager].up; }
  /// Whether the manager was ever heard.
  bool was_reached(std::size_t manager) const { return managers_[manager].reached; }
  /// Since when the manager has owed us an answer without giving any; nothing if it owes none.
  std::optional<Instant> silent_since(std::size_t manager) const;
  /// The same for the manager that was asked this question.
  std::optional<Instant> silent_since_asked(std::uint64_t token) const;
  /// The party that answered at an endpoint instead of the manager that was meant.
  std::optional<Party> another_name() const;
  std::size_t size() const { return managers_.size(); }
  const Party& party(std::size_t manager) const { return managers_[manager].party; }

 private:
  struct Manager {
    Party party;
    std::string endpoint;
    Instant dialled{};
    Instant heard{};  ///< when it answered last
    bool up = false;
    bool reached = false;  ///< it was up once
  };
  struct Question {
    std::size_t manager = 0;
    Message message;
    Instant asked{};
    bool again = false;  ///< is sent again to a manager that restarted
    bool sent = false;
  };

  ClientPool(const std::string& name, const OrFault<Keyring>& keyring);
  std::uint64_t put(std::size_t manager, Message message, bool again);
  void step(Duration at_most);
  void take_messages();
  void take_link_events();
  void came_up(std::size_t manager, bool restarted);
  void look_for_unreachable();
  void fail_all(std::size_t manager, const Reply& reply);
  void send_frames();
  void close(std::uint64_t token, Reply reply);

  std::string keys_fault_;  ///< why there is nothing to prove ourselves with
  Transport transport_;
  Endpoint endpoint_;
  std::vector<Manager> managers_;
  std::map<Party, std::size_t> numbers_;
  std::map<std::uint64_t, Question> open_;  ///< by token
  std::deque<Reply> replies_;
  std::vector<Received> received_;
  std::uint64_t last_token_ = 0;
  bool gives_up_early_ = false;
  Instant next_look_{};
};

}  // namespace dmm
