// An agent in a process of its own, and programs that ask it: the job's own programs, and strangers.
#include "resmgr/launcher/agent.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <optional>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/launcher/sockets.hpp"

namespace agent_test {

using namespace dmm;
using namespace dmm::launcher;

constexpr int patience_milliseconds = 20'000;

/// An agent at 127.0.0.1 that ends with the test.
struct Served {
  std::string port, token = new_token();
  pid_t process = 0;

  Served() {
    const auto [listener, fault] = listen_at("127.0.0.1");
    REQUIRE(listener >= 0);
    port = port_of(listener);
    process = fork();
    if (process == 0) _exit(serve(listener));
    close(listener);
  }
  int serve(int listener) const {
    Agent agent(listener, token);
    return agent.serve(0);
  }
  ~Served() {
    if (process == 0) return;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  int status() {
    int status = 0;
    waitpid(process, &status, 0);
    process = 0;
    return status;
  }
  keeper::Channel connect() const {
    const auto [socket, fault] = connect_to("127.0.0.1", port);
    REQUIRE(socket >= 0);
    return keeper::Channel(socket);
  }
};

/// Waits for the next message; false if the agent closed the connection.
bool wait_for(keeper::Channel& channel) {
  pollfd polled{channel.descriptor(), POLLIN, 0};
  REQUIRE(poll(&polled, 1, patience_milliseconds) == 1);
  return channel.receive();
}

/// A program's output; and its status once it has ended.
std::pair<std::string, std::optional<int>> reports_of(keeper::Channel& channel) {
  std::string wrote;
  for (;;) {
    const bool is_open = wait_for(channel);
    while (const auto frame = channel.next()) {
      const auto report = keeper::unpack<Report>(*frame);
      REQUIRE(report);
      if (const auto* part = std::get_if<Wrote>(&*report)) wrote += part->data;
      if (const auto* over = std::get_if<Over>(&*report)) return {wrote, over->status};
    }
    if (!is_open) return {wrote, std::nullopt};
  }
}

void order(keeper::Channel& channel, const Order& what) {
  channel.queue(keeper::pack(what));
  REQUIRE(channel.flush());
}

TEST_CASE("agent: it runs a program for its job, and brings back what the program wrote and its status") {
  Served agent;
  keeper::Channel channel = agent.connect();
  order(channel, StartProgram{agent.token, {"sh", "-c", "echo $WORD; echo wrong >&2; exit 3"}, {"WORD=hello"}});
  const auto [wrote, status] = reports_of(channel);
  CHECK(wrote.find("hello\n") != std::string::npos);
  CHECK(wrote.find("wrong\n") != std::string::npos);
  REQUIRE(status);
  CHECK(WEXITSTATUS(*status) == 3);
}

TEST_CASE("agent: it heeds no stranger, and goes on") {
  Served agent;
  keeper::Channel guesses = agent.connect();
  order(guesses, StartProgram{"guess", {"true"}, {}});
  CHECK_FALSE(reports_of(guesses).second);
  keeper::Channel ends = agent.connect();
  order(ends, Finish{""});
  CHECK_FALSE(reports_of(ends).second);
  keeper::Channel floods = agent.connect();
  const std::uint32_t length = 0xFFFFFFFF;
  REQUIRE(write(floods.descriptor(), &length, sizeof length) == sizeof length);
  CHECK_FALSE(wait_for(floods));
  keeper::Channel babbles = agent.connect();
  babbles.queue("no frame of ours");
  REQUIRE(babbles.flush());
  CHECK_FALSE(wait_for(babbles));
  keeper::Channel channel = agent.connect();
  order(channel, StartProgram{agent.token, {"true"}, {}});
  CHECK(reports_of(channel).second == 0);
}

/// A program that never ends by itself. Its end shows when its end of a pipe closes.
struct Lasting {
  int ends[2] = {-1, -1};

  Lasting() { REQUIRE(pipe(ends) == 0); }
  ~Lasting() { close(ends[0]); }
  StartProgram program(const std::string& token) const {
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends[1]);
    return {token, {"sh", "-c", "exec 3>" + path + "; echo on; exec sleep 1000"}, {}};
  }
  /// The program has opened its end of the pipe; closes the test's copy.
  void begun() const { close(ends[1]); }
  bool ends_soon() const {
    pollfd polled{ends[0], POLLIN, 0};
    return poll(&polled, 1, patience_milliseconds) == 1;
  }
};

TEST_CASE("agent: when its job's program is over it ends well, and ends what it had started") {
  Served agent;
  const Lasting lasting;
  keeper::Channel channel = agent.connect();
  order(channel, lasting.program(agent.token));
  REQUIRE(wait_for(channel));
  lasting.begun();
  keeper::Channel last = agent.connect();
  order(last, Finish{agent.token});
  CHECK(agent.status() == 0);
  CHECK(lasting.ends_soon());
}

TEST_CASE("agent: it ends a program when the process that asked for it is gone") {
  Served agent;
  const Lasting lasting;
  auto channel = std::make_unique<keeper::Channel>(connect_to("127.0.0.1", agent.port).first);
  order(*channel, lasting.program(agent.token));
  REQUIRE(wait_for(*channel));
  lasting.begun();
  channel.reset();
  CHECK(lasting.ends_soon());
}

}  // namespace agent_test
