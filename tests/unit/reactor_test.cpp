// What a daemon does when its ledger can't be written: it waits for room and does nothing meanwhile, or it ends.
#include "runtime/reactor.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sitemgr/records.hpp"
#include "tests/unit/ledger_stage.hpp"

namespace dmm {
namespace {

/// Keeps a new row every 50 ms.
struct Ticker {
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed>;
  struct Effects : dmm::Effects {
    LedgerChanges<std::variant<DrainRecord>> ledger;
  };
  Instant next{};
  int ticks = 0;

  void receive(Instant, Input, Effects&) {}
  void settle(Instant now, Effects& effects) {
    if (now < next) return;
    next = now + milliseconds(50);
    effects.ledger.put(DrainRecord{SiteName(std::to_string(++ticks) + std::string(5'000, 'x'))}, Grade::synced);
  }
  Instant next_deadline() const { return next; }
};

/// Says through a pipe that something left: one byte a step.
struct TickerShell {
  Reloaded reload(Instant, Process<Ticker>&) { return {}; }
  int pipe;
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Process<Ticker>&) { return false; }
  bool perform(Instant, Process<Ticker>&) {
    CHECK(write(pipe, "x", 1) == 1);
    return false;
  }
  std::optional<Answer> answer(Instant, Process<Ticker>&, const Ask&) { return std::nullopt; }
  bool finish(Instant, Process<Ticker>&, Farewell) { return true; }
  std::string_view verbs() const { return ""; }
};

/// The daemon itself, in a process of its own.
[[noreturn]] void run_ticker(const LedgerFolder& folder, int pipe, bool small_files) {
  if (small_files) {
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
  }
  Signals signals;
  Log log;
  auto opened = Ledger::open({folder.file(), "sitemgr a", {"drained"}, false});
  if (std::holds_alternative<std::string>(opened)) _exit(9);
  if (!log.open({"", false, Level::info, ""}).empty()) _exit(9);
  EndpointSettings settings;
  settings.self = site_manager_of(SiteName("a"));
  Process<Ticker> process(settings, Ticker());
  Transport transport;
  TickerShell shell{pipe};
  Reactor<Ticker, TickerShell> reactor(process, shell, transport, signals, log, {settings.self, 1, {}, {}},
                                       std::get<std::unique_ptr<Ledger>>(opened).get());
  _exit(reactor.run());
}

class TickerProcess {
 public:
  TickerProcess(const LedgerFolder& folder, bool small_files) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    from_ = ends[0];
    process_ = fork();
    if (process_ == 0) run_ticker(folder, ends[1], small_files);
    close(ends[1]);
  }
  ~TickerProcess() {
    if (process_ > 0) kill(process_, SIGKILL);
    if (process_ > 0) waitpid(process_, nullptr, 0);
    close(from_);
  }
  TickerProcess(const TickerProcess&) = delete;
  TickerProcess& operator=(const TickerProcess&) = delete;

  /// How many steps left within this time.
  int steps(int milliseconds_long) {
    int steps = 0;
    pollfd wanted{from_, POLLIN, 0};
    char byte = 0;
    const Instant end = monotonic_now() + milliseconds(milliseconds_long);
    while (monotonic_now() < end)
      if (poll(&wanted, 1, 50) > 0 && (wanted.revents & POLLIN) != 0 && read(from_, &byte, 1) == 1) ++steps;
    return steps;
  }
  void signal(int number) const { kill(process_, number); }
  int exit_code() {
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  int from_ = -1;
};

TEST_CASE("while the disk is full nothing leaves, and with room everything goes on") {
  const SmallDisk disk;
  if (!disk.ok()) {
    MESSAGE("mounting a small disk is not permitted here: not tried");
    return;
  }
  TickerProcess ticker(disk.folder(), false);
  CHECK(ticker.steps(200) > 0);
  fill(disk.folder().file("ballast"));
  ticker.steps(300);
  CHECK(ticker.steps(1'500) == 0);
  std::filesystem::remove(disk.folder().file("ballast"));
  CHECK(ticker.steps(1'500) > 0);
  fill(disk.folder().file("ballast"));
  ticker.steps(300);
  ticker.signal(SIGTERM);
  CHECK(ticker.exit_code() == 1);
}

TEST_CASE("a daemon ends at a signal, and when its ledger can't be written any more") {
  const LedgerFolder folder;
  {
    TickerProcess ticker(folder, false);
    CHECK(ticker.steps(200) > 0);
    ticker.signal(SIGTERM);
    CHECK(ticker.exit_code() == 0);
  }
  TickerProcess ticker(folder, true);
  CHECK(ticker.exit_code() == 1);
}

}  // namespace
}  // namespace dmm
