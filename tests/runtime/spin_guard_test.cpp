// A manager that always asks to be settled at once is reported once and slowed down; its daemon goes on.
#include "runtime/spin_guard.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "runtime/reactor.hpp"
#include "sitemgr/records.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace spin_guard_test {

using namespace dmm;

namespace {

/// A manager with a deadline that is always over.
struct Spinner {
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding>;
  struct Effects : dmm::Effects {
    LedgerChanges<std::variant<DrainRecord>> ledger;
  };
  std::uint32_t settles = 0;

  void receive(Instant, Input, Effects&) {}
  void settle(Instant, Effects&) { ++settles; }
  Instant next_deadline() const { return Instant{}; }
  const Ignored& ignored() const { return nothing; }
  Ignored nothing = {};
};

/// Ends the daemon after a little longer than a manager may spin.
struct SpinnerShell {
  static constexpr std::string_view state_verb = "state";
  Reloaded reload(Instant, Driver<Spinner>&) { return {}; }
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Driver<Spinner>&) { return false; }
  bool perform(Instant, Driver<Spinner>& driver) {
    if (driver.manager.settles == spins_max + 10) raise(SIGTERM);
    return false;
  }
  std::optional<Answer> answer(Instant, Driver<Spinner>& driver, const Ask& ask) {
    return Answer{ask.token, {}, std::to_string(driver.manager.settles) + " settles"};
  }
  bool finish(Instant, Driver<Spinner>&, Farewell) { return true; }
  void take_key(Instant, Driver<Spinner>&, const Transport&, const LinkKey&) {}
};

[[noreturn]] void run_spinner(const std::string& log_file) {
  Signals signals;
  Log log;
  Transport transport;
  if (!log.open({log_file, false, Level::info, "spinner"}).empty()) _exit(9);
  EndpointSettings settings;
  settings.self = site_manager_of(SiteName("a"));
  Driver<Spinner> driver(settings, Spinner());
  SpinnerShell shell;
  KeyOffice keys({}, settings.self, {});
  Reactor<Spinner, SpinnerShell> reactor(driver, shell, transport, signals, log, {settings.self, 1, {}, {}}, keys,
                                         nullptr);
  _exit(reactor.run());
}

}  // namespace

TEST_CASE("spin guard: a manager spins when it asked at once for another settle ten thousand times in a row") {
  SpinGuard guard;
  for (std::uint32_t i = 1; i < spins_max; ++i) CHECK_FALSE(guard.settled(true));
  SUBCASE("a deadline in the future ends that") {
    CHECK_FALSE(guard.settled(false));
    CHECK_FALSE(guard.settled(true));
    CHECK(guard.pause() == Duration{});
  }
  SUBCASE("it is told once, and slowed down as long as it lasts") {
    CHECK(guard.pause() == Duration{});
    CHECK(guard.settled(true));
    CHECK(guard.pause() == SpinGuard::pause_of_spinning);
    CHECK_FALSE(guard.settled(true));
    CHECK_FALSE(guard.settled(false));
    CHECK(guard.pause() == Duration{});
    for (std::uint32_t i = 0; i < 2 * spins_max; ++i) CHECK_FALSE(guard.settled(true));
    CHECK(guard.is_spinning());
  }
}

TEST_CASE("spin guard: a daemon logs once with its state that its manager spins, and goes on") {
  const LedgerFolder folder;
  const std::string log_file = folder.file("log");
  const pid_t daemon = fork();
  if (daemon == 0) run_spinner(log_file);
  int status = 0;
  REQUIRE(waitpid(daemon, &status, 0) == daemon);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  std::ifstream lines(log_file);
  int told = 0, stopped = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"event\":\"stopped\"") != std::string::npos) ++stopped;
    if (line.find("\"event\":\"spins\"") == std::string::npos) continue;
    ++told;
    CHECK(line.find("\"level\":\"error\"") != std::string::npos);
    CHECK(line.find(" settles") != std::string::npos);
  }
  CHECK(told == 1);
  CHECK(stopped == 1);
}

}  // namespace spin_guard_test
