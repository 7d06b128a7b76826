// What the keeper does when something doesn't answer: a file that a user named, its own disk, itself. A process that
// opens a file waits while another process has a lease on it: for 45 s by default, longer than any wait here. This
// imitates a hanging file system on any machine and for any account.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "tests/backends/process_backend_fixture.hpp"

namespace keeper_hang_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

class HungFile {
 public:
  explicit HungFile(std::string path) : path_(std::move(path)) {
    std::ofstream(path_) << "#!/bin/sh\necho ran\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    fcntl(file_, F_SETSIG, SIGURG);  // a signal that is ignored by default
    REQUIRE(fcntl(file_, F_SETLEASE, F_WRLCK) == 0);
  }
  ~HungFile() { close(file_); }
  HungFile(const HungFile&) = delete;
  HungFile& operator=(const HungFile&) = delete;
  const std::string& path() const { return path_; }
  bool is_waited_for() const { return fcntl(file_, F_GETLEASE) != F_WRLCK; }
  void answer() { fcntl(file_, F_SETLEASE, F_UNLCK); }

 private:
  std::string path_;
  int file_ = -1;
};

JobRules rules(bool isolate, Duration start_max = seconds(30)) {
  return {.isolate = isolate, .start_max = start_max};
}

}  // namespace

TEST_CASE("keeper hangs: a program on a file system that doesn't answer holds up no other job") {
  for (const bool isolate : {false, true}) {
    CAPTURE(isolate);
    const TemporaryFolder elsewhere;  // a job may not see what is in the state folder
    Fixture f(seconds(60), rules(isolate));
    HungFile hung(elsewhere.path + "/program");
    f.start(task(1), {hung.path()});
    REQUIRE(until([&] { return hung.is_waited_for(); }));
    CHECK(f.run_shell(task(2), "echo on").output == "on\n");
    f.start(task(3), {"sleep", "1000"});
    f.await<TaskStarted>(task(3));
    f.backend->perform(EndTask{task(3), seconds(0)});
    CHECK(f.ended(task(3)).code == SIGKILL);
    CHECK_FALSE(f.has_ended(task(1)));
    f.backend->perform(EndTask{task(1), seconds(0)});
    CHECK(f.ended(task(1)).code == SIGKILL);

    f.start(task(4), {hung.path()});
    hung.answer();
    CHECK(f.ended(task(4)).output == "ran\n");
  }
}

TEST_CASE("keeper hangs: a start that takes too long is given up, and isn't the node's fault") {
  for (const bool isolate : {false, true}) {
    CAPTURE(isolate);
    const TemporaryFolder elsewhere;
    Fixture f(seconds(60), rules(isolate, milliseconds(200)));
    const HungFile hung(elsewhere.path + "/program");
    const TaskEnded end = f.run(task(1), {{hung.path()}, {}, {}, {}});
    CHECK(end.kind == EndKind::start_failed);
    CHECK(end.fault == StartFault::hung);
    CHECK(end.text.view().starts_with("hung while it was started: " + hung.path()));
    CHECK(f.run_shell(task(2), "sleep 0.3; echo on").output == "on\n");  // doesn't affect running ones
  }
}

TEST_CASE("keeper hangs: jobs end at the deadline while a program doesn't start") {
  const TemporaryFolder elsewhere;
  Fixture f(milliseconds(300));
  const HungFile hung(elsewhere.path + "/program");
  f.start(task(1), {hung.path()});
  f.start(task(2), {"sleep", "1000"});
  CHECK(f.ended(task(2)).kind == EndKind::lost_contact);
  CHECK(f.ended(task(1)).kind == EndKind::lost_contact);
}

TEST_CASE("keeper hangs: deadlines and orders to kill hold while the keeper's own disk doesn't answer") {
  TemporaryFolder folder;
  std::optional<Manager> manager(std::in_place, folder.path, milliseconds(1500), true, rules(false),
                                 milliseconds(50));
  HungFile outcome(folder.path + "/outcomes/.unfinished");
  const std::string stubborn = "trap '' TERM; while :; do sleep 0.05; done";
  manager->shell(task(1), stubborn);
  manager->shell(task(2), stubborn);
  const pid_t killed = manager->await<TaskStarted>(task(1)).process;
  const pid_t unheard = manager->await<TaskStarted>(task(2)).process;
  manager->backend->perform(EndTask{task(1), milliseconds(200)});
  manager->start(task(3), {"true"});  // its outcome can't be written
  REQUIRE(until([&] { return outcome.is_waited_for(); }));
  CHECK(manager->event("keeper_silent").find("started or ended") != std::string::npos);
  CHECK(manager->backend->state().keeper_silent);
  CHECK(until([&] { return !runs(killed) && !runs(unheard); }));
  CHECK(outcome.is_waited_for());
  outcome.answer();
  manager->event("keeper_heard");
  CHECK_FALSE(manager->backend->state().keeper_silent);
  CHECK(manager->ended(task(1)).kind == EndKind::signalled);
  CHECK(manager->ended(task(2)).kind == EndKind::lost_contact);
  CHECK(manager->ended(task(3)).code == 0);
}

TEST_CASE("keeper hangs: one that was stopped is noticed, and made to go on") {
  TemporaryFolder folder;
  Manager manager(folder.path, seconds(60), true, rules(true), milliseconds(50));
  kill(manager.backend->keeper_process(), SIGSTOP);
  manager.event("keeper_silent");
  manager.event("keeper_heard");
  CHECK(manager.run_shell(task(1), "echo on").output == "on\n");
}

TEST_CASE("keeper hangs: what was killed and is still there is told, and tried until it is gone") {
  for (const bool isolate : {false, true}) {
    CAPTURE(isolate);
    Fixture f(seconds(60), rules(isolate));
    // A traced process isn't gone until its tracer has heard of its end.
    f.start(task(1), {"python3", "-c",
                      "import ctypes, time\nctypes.CDLL(None).prctl(0x59616d61, -1, 0, 0, 0)\n"
                      "open('ready', 'w').write('x\\n')\ntime.sleep(1000)\n"});
    const pid_t process = f.await<TaskStarted>(task(1)).process;
    f.number_in(f.home(1) + "/ready");
    REQUIRE(ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0);
    f.backend->perform(EndTask{task(1), seconds(0)});
    const std::string text = f.event("task_stuck");
    MESSAGE(text);
    CHECK(text.find(std::to_string(process)) != std::string::npos);
    CHECK(f.backend->state().stuck.contains(task(1)));
    CHECK_FALSE(f.has_ended(task(1)));
    waitpid(process, nullptr, __WALL);
    CHECK(f.ended(task(1)).code == SIGKILL);
    CHECK(f.backend->state().stuck.empty());
  }
}

}  // namespace keeper_hang_test
