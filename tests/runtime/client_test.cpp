// A command's questions to managers that restart, are missing, or aren't those that were meant; and why a manager can't
// be reached. The manager is an endpoint behind a real socket, in the same thread.
#include "runtime/client.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "runtime/clock.hpp"

namespace client_test {

using namespace dmm;

namespace {

const Party alice = job_manager_of(SiteName("alpha"), "alice");

struct Folder {
  Folder() {
    char name[] = "/tmp/dmm-client-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

/// A manager that stores questions and answers when the test says so.
class FakeManager {
 public:
  FakeManager(const std::string& endpoint, std::uint64_t incarnation) : endpoint_(of(alice, incarnation)) {
    REQUIRE(transport_.listen(endpoint) == "");
  }

  /// Receives and sends everything that is ready.
  void turn() {
    transport_.wait({});
    const Instant now = monotonic_now();
    endpoint_.tick(now);
    std::vector<Received> received;
    for (Arrival arrival; transport_.receive(arrival);)
      endpoint_.receive(now, arrival.connection, arrival.bytes, received);
    for (Received& one : received) {
      if (const auto* ask = std::get_if<Ask>(&one.message)) asked.push_back(ask->verb);
      if (const auto* ask = std::get_if<Ask>(&one.message); ask != nullptr && answers)
        send(one.from, Answer{ask->token, {}, R"({"well":true})"});
      if (const auto* submit = std::get_if<Submit>(&one.message)) {
        submitted.emplace_back(one.from, submit->token);
        if (answers) send(one.from, Submitted{submit->token, 7, 1, {}});
      }
    }
    endpoint_.take_link_events();
    endpoint_.take_frames([this](const Frame& frame) { transport_.send(frame.connection, frame.bytes); });
  }

  bool answers = true;
  std::vector<std::string> asked;
  std::vector<std::pair<Party, std::uint64_t>> submitted;

 private:
  static EndpointSettings of(Party party, std::uint64_t incarnation) {
    EndpointSettings settings;
    settings.self = std::move(party);
    settings.incarnation = incarnation;
    return settings;
  }
  void send(const Party& to, Message message) {
    Effects effects;
    effects.send(to, std::move(message));
    endpoint_.send(monotonic_now(), effects);
  }

  Transport transport_;
  Endpoint endpoint_;
};

std::size_t connect(ClientPool& pool, const std::string& endpoint, const Party& party = alice) {
  const auto connected = pool.connect(party, endpoint);
  REQUIRE(std::holds_alternative<std::size_t>(connected));
  return std::get<std::size_t>(connected);
}

/// Lets both sides work until this is true.
template <class Event>
void until(FakeManager& manager, ClientPool& pool, std::vector<Reply>& replies, const Event& event) {
  for (const Instant end = monotonic_now() + seconds(60); !event(); manager.turn()) {
    REQUIRE(monotonic_now() < end);
    for (Reply& reply : pool.poll(milliseconds(1))) replies.push_back(std::move(reply));
  }
}

}  // namespace

TEST_CASE("client: a manager that restarts before it answers is asked again, but isn't given an order twice") {
  const Folder folder;
  const std::string endpoint = "ipc://" + folder.path + "/jobs";
  ClientPool pool("night-17");
  const std::size_t number = connect(pool, endpoint);
  pool.submit(number, {JobDescription{}});
  const std::uint64_t question = pool.ask(number, "job");
  const std::uint64_t order = pool.order(number, "stop");
  std::vector<Reply> replies;
  auto manager = std::make_unique<FakeManager>(endpoint, 1000);
  manager->answers = false;
  until(*manager, pool, replies, [&] { return manager->asked.size() == 2 && manager->submitted.size() == 1; });
  CHECK(pool.silent_since(number).has_value());
  const auto first = manager->submitted[0];
  CHECK(first.first == Party{SiteName("client"), Role::client, "night-17"});

  manager.reset();
  manager = std::make_unique<FakeManager>(endpoint, 2000);
  until(*manager, pool, replies, [&] { return replies.size() == 2; });
  CHECK(manager->asked == std::vector<std::string>{"job"});
  CHECK(manager->submitted == std::vector<std::pair<Party, std::uint64_t>>{first});
  CHECK(replies[0].submitted.first_job == 7);
  CHECK(replies[1].token == question);
  CHECK(replies[1].text == R"({"well":true})");
  CHECK(pool.open() == 1);
  const Reply given_up = pool.give_up(order, seconds(5));
  CHECK(given_up.why == Unanswered::silence);
  CHECK(given_up.fault.find("though it is there") != std::string::npos);
  CHECK(!pool.silent_since(number));
}

TEST_CASE("client: a client that calls a manager by a wrong name learns the right one [S13a]") {
  const Folder folder;
  const std::string endpoint = "ipc://" + folder.path + "/jobs";
  FakeManager manager(endpoint, 1000);
  ClientPool pool;
  pool.give_up_early();
  pool.ask(connect(pool, endpoint, site_manager_of(SiteName("beta"))), "status");
  std::vector<Reply> replies;
  until(manager, pool, replies, [&] { return !replies.empty(); });
  CHECK(replies[0].why == Unanswered::another_name);
  CHECK(replies[0].fault == "the manager at " + endpoint + " is jobmgr alpha/alice, not sitemgr beta");
  CHECK(pool.another_name() == alice);
  CHECK(manager.asked.empty());
}

TEST_CASE("client: a manager that isn't there is given up early, one that only restarts isn't") {
  const Folder folder;
  const std::string endpoint = "ipc://" + folder.path + "/jobs";
  ClientPool hasty;
  hasty.give_up_early();
  const std::uint64_t question = hasty.ask(connect(hasty, endpoint), "job");
  const Reply reply = hasty.wait(question, seconds(3600));
  CHECK(reply.why == Unanswered::no_listener);
  CHECK(reply.fault == "no process listens at " + endpoint + ": there is no such socket");

  ClientPool pool;
  pool.give_up_early();
  const std::size_t number = connect(pool, endpoint);
  std::vector<Reply> replies;
  auto manager = std::make_unique<FakeManager>(endpoint, 1000);
  manager->answers = false;
  pool.ask(number, "job");
  until(*manager, pool, replies, [&] { return !manager->asked.empty(); });
  manager.reset();
  CHECK(pool.poll(seconds(1)).empty());  // longer than it takes to give up
  manager = std::make_unique<FakeManager>(endpoint, 2000);
  until(*manager, pool, replies, [&] { return !replies.empty(); });
  CHECK(replies[0].fault == "");
}

TEST_CASE("client: an endpoint that can't be reached is told with the reason") {
  const Folder folder;
  const std::string path = folder.path + "/socket", endpoint = "ipc://" + path;
  const auto why = [&](const std::string& where) {
    const auto unreachable = why_unreachable(where);
    return unreachable ? unreachable->text : std::string();
  };
  CHECK(why(endpoint) == "no process listens at " + endpoint + ": there is no such socket");
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listening, 8) == 0);
  CHECK(why(endpoint) == "");
  ::close(listening);
  CHECK(why(endpoint) == "no process listens at " + endpoint + ": the process that made the socket has ended");
  CHECK(why("tcp://127.0.0.1:1").starts_with("no process listens at tcp://127.0.0.1:1: "));
  CHECK(why("tcp://127.0.0.1:1#" + std::string(key_letters, 'A'))
            .starts_with("no process listens at tcp://127.0.0.1:1: "));
  CHECK(why_unreachable("tcp://no-such-host.invalid:7700")->why == ReachFault::no_such_host);
  CHECK(why("ipc://" + std::string(200, 'x')) == "");  // connecting says what is wrong with it
}

}  // namespace client_test
