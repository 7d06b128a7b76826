// How much a daemon takes in before it decides anything: input waits for the next batch, but never for all other input.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "runtime/client.hpp"
#include "runtime/reactor.hpp"
#include "sitemgr/records.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace dmm::reactor_batch_test {
namespace {

constexpr Duration slowness = milliseconds(3);

/// Takes some time for each job, and counts them until the end of the step.
struct SlowManager {
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding>;
  struct Effects : dmm::Effects {
    LedgerChanges<std::variant<DrainRecord>> ledger;
  };
  int taken = 0;

  void receive(Instant, Input input, Effects&) {
    if (!std::holds_alternative<Received>(input)) return;
    ++taken;
    const Instant end = monotonic_now() + slowness;
    while (monotonic_now() < end) {
    }
  }
  void settle(Instant, Effects&) {}
  Instant next_deadline() const { return never; }
  const Ignored& ignored() const { return nothing; }
  Ignored nothing = {};
};

/// Reports through a pipe how many jobs each step took in.
struct CountingShell {
  int pipe;
  Reloaded reload(Instant, Driver<SlowManager>&) { return {}; }
  static constexpr std::string_view state_verb = "";
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Driver<SlowManager>&) { return false; }
  bool perform(Instant, Driver<SlowManager>& driver) {
    const auto taken = static_cast<char>(std::exchange(driver.manager.taken, 0));
    if (taken > 0) CHECK(write(pipe, &taken, 1) == 1);
    return false;
  }
  std::optional<Answer> answer(Instant, Driver<SlowManager>&, const Ask&) { return std::nullopt; }
  bool finish(Instant, Driver<SlowManager>&, Farewell) { return true; }
  void take_key(Instant, Driver<SlowManager>&, const Transport&, const LinkKey&) {}
};

const Party slow_one = job_manager_of(SiteName("a"), "u");

[[noreturn]] void run_slow_machine(const std::string& socket, int pipe) {
  Signals signals;
  Log log;
  if (!log.open({"", false, Level::error, ""}).empty()) _exit(9);
  EndpointSettings settings;
  settings.self = slow_one;
  Driver<SlowManager> driver(settings, SlowManager());
  Transport transport;
  if (!transport.listen(socket).empty()) _exit(9);
  CountingShell shell{pipe};
  KeyOffice keys({}, slow_one, {});
  Reactor<SlowManager, CountingShell> reactor(driver, shell, transport, signals, log, {slow_one, 1, {}, {}}, keys,
                                              nullptr);
  _exit(reactor.run());
}

int next_count(int pipe) {
  pollfd wanted{pipe, POLLIN, 0};
  char count = 0;
  REQUIRE_MESSAGE(poll(&wanted, 1, 20'000) > 0, "the daemon takes nothing in any more");
  REQUIRE(read(pipe, &count, 1) == 1);
  return count;
}

TEST_CASE("reactor: a daemon settles after some milliseconds of taking in, however much has come") {
  const LedgerFolder folder;
  const std::string socket = "ipc://" + folder.file("slow.ipc");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t daemon = fork();
  if (daemon == 0) run_slow_machine(socket, ends[1]);
  ClientPool pool;
  const auto manager = pool.connect(slow_one, socket);
  REQUIRE(std::holds_alternative<std::size_t>(manager));
  pool.submit(std::get<std::size_t>(manager), {JobDescription{}});
  while (!pool.is_up(std::get<std::size_t>(manager))) pool.poll(milliseconds(20));
  pool.poll({});
  CHECK(next_count(ends[0]) == 1);
  kill(daemon, SIGSTOP);  // frames sent now arrive together when it goes on
  constexpr int jobs = 40;
  for (int i = 0; i < jobs; ++i) {
    pool.submit(std::get<std::size_t>(manager), {JobDescription{}});
    pool.poll({});
  }
  kill(daemon, SIGCONT);
  int taken = 0;
  while (taken < jobs) {
    const int count = next_count(ends[0]);
    CHECK(count <= 2);  // the time of a batch is over after two jobs of 3 ms
    taken += count;
    pool.poll({});
  }
  kill(daemon, SIGKILL);
  waitpid(daemon, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace dmm::reactor_batch_test
