// The loop of a daemon as it is, with a real ledger, real sockets and a real log, in a process of its own. Its actions
// on disk and sockets are noted in order (disk_stage.hpp).
#include "runtime/reactor.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include "runtime/client.hpp"
#include "sitemgr/records.hpp"
#include "tests/runtime/disk_stage.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace dmm::reactor_test {
namespace {

constexpr Duration patience = seconds(20);

/// A manager that decides nothing by itself.
struct Clerk {
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding>;
  struct Effects : dmm::Effects {
    LedgerChanges<std::variant<DrainRecord>> ledger;
  };
  void receive(Instant, Input, Effects&) {}
  void settle(Instant, Effects&) {}
  Instant next_deadline() const { return never; }
  const Ignored& ignored() const { return nothing; }
  Ignored nothing = {};
};

/// Writes a row for each question with the grade in its verb: "committed" or "synced".
struct ClerkShell {
  int asked = 0;
  bool todo = false;

  static constexpr std::string_view state_verb = "committed";
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Driver<Clerk>&) { return false; }
  Reloaded reload(Instant, Driver<Clerk>&) { return {}; }
  bool finish(Instant, Driver<Clerk>&, Farewell) { return true; }
  void take_key(Instant, Driver<Clerk>&, const Transport&, const LinkKey&) {}
  std::optional<Answer> answer(Instant, Driver<Clerk>& driver, const Ask& ask) {
    note("decided");
    todo = true;
    driver.effects.ledger.put(DrainRecord{SiteName(std::to_string(++asked) + std::string(5'000, 'x'))},
                              ask.verb == "synced" ? Grade::synced : Grade::committed);
    return Answer{ask.token, {}, "{}"};
  }
  bool perform(Instant, Driver<Clerk>&) {
    if (std::exchange(todo, false)) note("performed");
    return false;
  }
};

/// The daemon itself; returns its exit code.
int run_clerk(const LedgerFolder& folder, const std::string& endpoint) {
  Signals signals;
  Log log;
  Transport transport;
  auto opened = Ledger::open({folder.file(), "sitemgr a", {"drained"}, false});
  if (std::holds_alternative<std::string>(opened)) return 9;
  if (!log.open({folder.file("log"), false, Level::info, "clerk"}).empty()) return 9;
  if (!transport.listen(endpoint).empty()) return 9;
  EndpointSettings settings;
  settings.self = site_manager_of(SiteName("a"));
  Driver<Clerk> driver(settings, Clerk());
  ClerkShell shell;
  KeyOffice keys({}, settings.self, {});
  Reactor<Clerk, ClerkShell> reactor(driver, shell, transport, signals, log, {settings.self, 1, {}, {}}, keys,
                                     std::get<std::unique_ptr<Ledger>>(opened).get());
  return reactor.run();
}

class ClerkProcess {
 public:
  ClerkProcess() : endpoint_("ipc://" + folder.file("socket")), disk(folder.path()), process_(fork()) {
    if (process_ == 0) _exit(run_clerk(folder, endpoint_));
    const auto connected = pool_.connect(site_manager_of(SiteName("a")), endpoint_);
    REQUIRE(std::holds_alternative<std::size_t>(connected));
    REQUIRE(pool_.wait(pool_.ask(0, "status"), patience).fault == "");
    disk.forget_notes();
  }
  ~ClerkProcess() {
    if (process_ > 0) kill(process_, SIGKILL);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  ClerkProcess(const ClerkProcess&) = delete;
  ClerkProcess& operator=(const ClerkProcess&) = delete;

  std::uint64_t begin_asking(const std::string& verb) {
    const std::uint64_t token = pool_.ask(0, verb);
    for (Reply& reply : pool_.poll({}))
      replies_.insert_or_assign(reply.token, reply);  // a quick clerk answers in here
    return token;
  }
  bool is_answered(std::uint64_t token) {
    const auto early = replies_.find(token);
    const Reply reply = early == replies_.end() ? pool_.wait(token, patience) : early->second;
    if (!reply.fault.empty()) MESSAGE(reply.fault << "\n" << folder.content("log"));
    return reply.fault.empty();
  }

  /// Waits until the event is in the log this number of times.
  void await_logged(const std::string& event, int times = 1) const {
    const Instant end = monotonic_now() + patience;
    while (count_logged(event) < times) {
      REQUIRE_MESSAGE(monotonic_now() < end, event);
      usleep(5'000);
    }
  }
  int count_logged(const std::string& event) const {
    const std::string text = folder.content("log"), wanted = "\"event\":\"" + event + "\"";
    int count = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++count;
    return count;
  }
  bool has_noted(const std::string& what) const {
    const auto notes = disk.notes();
    return std::find(notes.begin(), notes.end(), what) != notes.end();
  }
  /// Whether this happened after the last decision; before that a Beat may have been sent.
  bool did_since(const std::string& what) const {
    const auto notes = disk.notes();
    const auto decided = std::find(notes.rbegin(), notes.rend(), "decided");
    return std::find(notes.rbegin(), decided, what) != decided;
  }
  void signal(int number) const { kill(process_, number); }
  /// Its exit code; -1 if it was killed, as a daemon that never ends is.
  int exit_code() {
    int status = 0;
    const Instant end = monotonic_now() + patience;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (monotonic_now() > end) kill(process_, SIGKILL);
      usleep(2'000);
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const LedgerFolder folder;

 private:
  std::string endpoint_;

 public:
  WatchedDisk disk;

 private:
  pid_t process_;
  ClientPool pool_;
  std::map<std::uint64_t, Reply> replies_ = {};  ///< replies that came before they were awaited
};

TEST_CASE("reactor: what is decided is kept first, then done, then told") {
  ClerkProcess clerk;
  for (int i = 0; i < 3; ++i) REQUIRE(clerk.is_answered(clerk.begin_asking("committed")));
  CHECK(in_order(clerk.disk.notes(), "decided", {"wrote ledger.sqlite-wal", "performed", "sent"}));
  clerk.disk.forget_notes();
  for (int i = 0; i < 3; ++i) REQUIRE(clerk.is_answered(clerk.begin_asking("synced")));
  CHECK(in_order(clerk.disk.notes(), "decided",
                 {"wrote ledger.sqlite-wal", "synced ledger.sqlite-wal", "performed", "sent"}));
  clerk.signal(SIGTERM);
  CHECK(clerk.exit_code() == 0);
}

TEST_CASE("reactor: where the disk fails to sync nothing is done or told, and the daemon says why") {
  ClerkProcess clerk;
  REQUIRE(clerk.is_answered(clerk.begin_asking("synced")));
  clerk.disk.forget_notes();
  clerk.disk.break_syncs();
  clerk.begin_asking("synced");
  CHECK(clerk.exit_code() == 1);
  CHECK(clerk.has_noted("decided"));
  CHECK_FALSE(clerk.did_since("performed"));
  CHECK_FALSE(clerk.did_since("sent"));
  CHECK(clerk.count_logged("ledger_lost") == 1);
}

TEST_CASE("reactor: while the disk is full nothing is done or told, and with room it goes on") {
  ClerkProcess clerk;
  clerk.disk.fill();
  const std::uint64_t first = clerk.begin_asking("committed");
  clerk.await_logged("ledger_stalled");
  CHECK_FALSE(clerk.did_since("performed"));
  CHECK_FALSE(clerk.did_since("sent"));
  clerk.disk.make_room();
  CHECK(clerk.is_answered(first));
  CHECK(clerk.count_logged("ledger_goes_on") == 1);
  clerk.disk.fill();
  clerk.disk.forget_notes();
  clerk.begin_asking("committed");
  clerk.await_logged("ledger_stalled", 2);
  clerk.signal(SIGTERM);
  CHECK(clerk.exit_code() == 1);
  CHECK_FALSE(clerk.did_since("performed"));
  CHECK_FALSE(clerk.did_since("sent"));
}

TEST_CASE("reactor: at SIGHUP a daemon goes on in a new log, so that the old one may be moved away") {
  ClerkProcess clerk;
  clerk.await_logged("ready");
  std::filesystem::rename(clerk.folder.file("log"), clerk.folder.file("log.1"));
  clerk.signal(SIGHUP);
  clerk.await_logged("configuration_taken");
  CHECK(clerk.count_logged("ready") == 0);
  clerk.signal(SIGTERM);
  CHECK(clerk.exit_code() == 0);
  CHECK(clerk.count_logged("stopped") == 1);
}

}  // namespace
}  // namespace dmm::reactor_test
