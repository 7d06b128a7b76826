// How a daemon begins: its files are private, it keeps no folder busy, and it ends with its parent if it should.
#include "daemons/run_daemon.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/ledger_stage.hpp"

namespace daemon_test {

using namespace dmm;

namespace {

/// The exit code of a child process that does this work.
template <class Work>
int in_a_process(Work work) {
  const pid_t process = fork();
  if (process == 0) _exit(work());
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

unsigned mode_of(const std::string& path) {
  struct stat state {};
  return ::stat(path.c_str(), &state) == 0 ? state.st_mode & 07777 : 0;
}

DaemonSettings settings_in(const LedgerFolder& folder) {
  DaemonSettings settings;
  settings.listen = {"ipc://" + folder.file("socket")};
  settings.directory = folder.file("state/here");
  settings.log = {folder.file("log"), false, Level::info, "test"};
  return settings;
}

}  // namespace

TEST_CASE("daemon: what it makes is for its own account, and it works in its directory") {
  const LedgerFolder folder;
  const int code = in_a_process([&] {
    ::umask(0);
    Foundation foundation;
    if (!foundation.open(settings_in(folder)).empty()) return 1;
    if (!replace_file(folder.file("state/here/incarnation"), "1").empty()) return 2;
    if (std::filesystem::current_path() != folder.file("state/here")) return 3;
    if (mode_of(folder.file("socket")) != 0777) return 4;
    return 0;
  });
  CHECK(code == 0);
  CHECK(mode_of(folder.file("log")) == 0600);
  CHECK(mode_of(folder.file("state")) == 0700);
  CHECK(mode_of(folder.file("state/here")) == 0700);
  CHECK(mode_of(folder.file("state/here/incarnation")) == 0600);
  CHECK(in_a_process([] { return work_in("").empty() && std::filesystem::current_path() == "/" ? 0 : 1; }) == 0);
  CHECK(work_in("/dev/null/no/folder").find("/dev/null/no/folder") != std::string::npos);
}

TEST_CASE("daemon: its start warns of what others can do through it") {
  using Texts = std::vector<std::string>;
  CHECK(exposures_of(false) == Texts{});
  const Texts open = exposures_of(true);
  REQUIRE(open.size() == 1);
  CHECK(open[0].starts_with("runs as root"));
}

TEST_CASE("daemon: it is told to end when the parent that it is to end with is killed") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    if (fork() == 0) {
      Signals signals;
      begin_daemon(true);
      if (write(ends[1], "r", 1) != 1) _exit(1);
      const bool told = signals.wait(seconds(20)) && signals.farewell() == Farewell::end;
      _exit(told && write(ends[1], "e", 1) == 1 ? 0 : 1);
    }
    for (;;) pause();
  }
  close(ends[1]);
  char byte = 0;
  REQUIRE(read(ends[0], &byte, 1) == 1);
  CHECK(byte == 'r');
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  CHECK(read(ends[0], &byte, 1) == 1);  // or the pipe is closed without a word
  CHECK(byte == 'e');
  close(ends[0]);
}

}  // namespace daemon_test
