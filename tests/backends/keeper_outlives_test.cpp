// A keeper that outlives its manager, and the next manager that takes over its jobs: real processes throughout.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tests/backends/process_backend_fixture.hpp"

namespace keeper_outlives_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

const std::string until_go = "echo before; while [ ! -e go ]; do sleep 0.01; done; echo after; exit 4";

// Managers that follow one another in one folder.
struct Succession {
  TemporaryFolder folder;
  std::optional<Manager> manager;

  Manager& open(Duration keep = seconds(60)) { return manager.emplace(folder.path, keep, true); }
  void leave() {
    manager->backend->leave();
    manager.reset();
  }
  const std::vector<LivingTask>& living() const { return manager->backend->living(); }
  bool has_outcome(int job) const { return std::filesystem::exists(folder.path + "/outcomes/" + name_of(job)); }
  bool is_empty(const std::string& inner) const { return std::filesystem::is_empty(folder.path + '/' + inner); }
  void let_go(int job) const { std::ofstream(home_in(folder.path, job) + "/go") << "x"; }
  // Ends what a failed test left behind.
  ~Succession() {
    manager.reset();
    const Opened last = try_open(folder.path, seconds(1), seconds(10), true);
    if (last.index() == 1) MESSAGE(std::get<1>(last));
  }
};

// A manager in a process of its own that has ordered the keeper to start the scripts as jobs 1, 2, ...
pid_t forked_manager(const std::string& folder, const std::vector<std::string>& scripts) {
  const pid_t manager = fork();
  if (manager != 0) return manager;
  Opened opened = try_open(folder, seconds(60), seconds(10), true);
  if (opened.index() != 0) _exit(1);
  for (std::size_t i = 0; i < scripts.size(); ++i)
    std::get<0>(opened)->perform(StartTask{task(i + 1), {{"sh", "-c", scripts[i]}, {}, {}, {}}});
  for (;;) pause();
}

// Stops all threads of a process, and waits until the signal has taken effect.
void stop(pid_t process) {
  kill(process, SIGSTOP);
  REQUIRE(until([&] {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
      const std::string line = contents(thread.path() / "stat");
      if (line[line.rfind(')') + 2] != 'T') return false;
    }
    return true;
  }));
}

void kill_and_wait(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

pid_t process_of(const std::vector<LivingTask>& living, const TaskId& id) {
  for (const auto& found : living)
    if (found.id == id) return found.process;
  FAIL("the task was not found");
  return 0;
}

}  // namespace

TEST_CASE("keeper outlives: a task goes on while its manager is away") {
  Succession s;
  s.open().shell(task(1, 3), until_go);
  const pid_t process = s.manager->await<TaskStarted>(task(1, 3)).process;
  const pid_t keeper = s.manager->backend->keeper_process();
  CHECK(s.living().empty());
  s.leave();
  s.open();
  CHECK(s.manager->backend->keeper_process() == keeper);
  REQUIRE(s.living().size() == 1);
  CHECK(process_of(s.living(), task(1, 3)) == process);
  CHECK(runs(process));

  CHECK(s.manager->run_shell(task(2), "echo new").output == "new\n");  // numbers don't collide
  std::ofstream(home_in(s.folder.path, 1, 3) + "/go") << "x";
  const TaskEnded end = s.manager->ended(task(1, 3));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 4);
  CHECK(end.output == "before\nafter\n");
  s.manager->backend->perform(RemoveTask{task(1, 3)});
  s.manager->backend->perform(RemoveTask{task(2)});
  CHECK(until([&] { return s.is_empty("jobs") && s.is_empty("outcomes"); }));
  s.leave();
  CHECK(s.open().backend->living().empty());
}

TEST_CASE("keeper outlives: an outcome that can't be written keeps the keeper until it can be") {
  Succession s;
  s.open().shell(task(1), until_go);
  s.manager->await<TaskStarted>(task(1));
  const pid_t keeper = s.manager->backend->keeper_process();
  const std::string in_the_way = s.folder.path + "/outcomes/.unfinished";  // like a full disk
  std::filesystem::create_directory(in_the_way);
  s.leave();
  s.let_go(1);
  REQUIRE(until([&] { return contents(directory_in(s.folder.path, 1) + "/output").ends_with("after\n"); }));
  usleep(300'000);  // nothing happens, and that has no event to wait for
  CHECK(runs(keeper));
  CHECK(!s.has_outcome(1));
  std::filesystem::remove(in_the_way);
  CHECK(until([&] { return s.has_outcome(1); }));
  CHECK(until([&] { return !runs(keeper); }));
  const TaskEnded end = s.open().ended(task(1));
  CHECK(end.code == 4);
  CHECK(end.output == "before\nafter\n");
}

TEST_CASE("keeper outlives: what happens after a manager was killed is told to the next") {
  Succession s;
  const pid_t killed =
      forked_manager(s.folder.path, {until_go, "echo $$ > leader; " + until_go, "no-such-program"});
  REQUIRE(
      until([&] { return s.has_outcome(3) && contents(home_in(s.folder.path, 2) + "/leader").ends_with('\n'); }));
  kill_and_wait(killed);
  s.let_go(1);
  REQUIRE(until([&] { return s.has_outcome(1); }));
  s.open();
  REQUIRE(s.living().size() == 3);
  CHECK(process_of(s.living(), task(1)) == 0);
  CHECK(process_of(s.living(), task(2)) == std::atoi(contents(home_in(s.folder.path, 2) + "/leader").c_str()));
  CHECK(process_of(s.living(), task(3)) == 0);
  TaskEnded end = s.manager->ended(task(1));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 4);
  CHECK(end.output == "before\nafter\n");
  CHECK(end.output_bytes == 13);
  CHECK(end.wall > microseconds(0));
  end = s.manager->ended(task(3));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 127);
  s.manager->backend->perform(EndTask{task(2), seconds(0)});
  CHECK(s.manager->ended(task(2)).code == SIGKILL);
}

TEST_CASE("keeper outlives: a start that failed is told too") {
  Succession s;
  s.open().start(task(1), {"/no/such/program"});
  CHECK(s.manager->ended(task(1)).fault == StartFault::executable_missing);
  s.leave();
  s.open();
  const TaskEnded end = s.manager->ended(task(1));
  CHECK(end.kind == EndKind::start_failed);
  CHECK(end.fault == StartFault::executable_missing);
  CHECK(end.text.view().find("/no/such/program") != std::string::npos);
}

TEST_CASE("keeper outlives: orders that were given before the end are carried out") {
  Succession s;
  s.open();
  for (std::uint64_t job = 1; job <= 100; ++job) s.manager->shell(task(job), "echo $$ > leader; exec sleep 1000");
  for (std::uint64_t job = 1; job <= 99; ++job) s.manager->backend->perform(EndTask{task(job), seconds(0)});
  s.leave();
  s.open();
  REQUIRE(s.living().size() == 100);
  for (std::uint64_t job = 1; job <= 99; ++job) CHECK(s.manager->ended(task(job)).code == SIGKILL);
  CHECK(runs(s.manager->number_in(s.manager->home(100) + "/leader")));
}

TEST_CASE("keeper outlives: where no manager comes until the deadline, the tasks end, and the keeper with them") {
  Succession s;
  s.open(milliseconds(300)).shell(task(1), "trap '' TERM; sleep 1000");
  const pid_t process = s.manager->await<TaskStarted>(task(1)).process;
  const pid_t keeper = s.manager->backend->keeper_process();
  s.leave();
  CHECK(until([&] { return !runs(process); }));
  CHECK(until([&] { return !runs(keeper); }));  // it has nothing to do any more
  CHECK_FALSE(std::filesystem::exists(s.folder.path + "/keeper.socket"));
  s.open();
  CHECK(s.manager->backend->keeper_process() != keeper);
  CHECK(process_of(s.living(), task(1)) == 0);
  const TaskEnded end = s.manager->ended(task(1));  // its outcome was kept on disk
  CHECK(end.kind == EndKind::lost_contact);
  CHECK(end.code == SIGKILL);
  CHECK(s.manager->run_shell(task(1), "echo again").output == "again\n");
}

TEST_CASE("keeper outlives: the deadline is that of the last KeepTasks") {
  Succession s;
  s.open(milliseconds(200));
  s.manager->backend->perform(KeepTasks{seconds(60)});
  s.manager->shell(task(1), "sleep 0.5; echo done");
  s.leave();
  CHECK(until([&] { return s.has_outcome(1); }));
  CHECK(s.open().ended(task(1)).output == "done\n");
  s.manager->backend->perform(KeepTasks{milliseconds(1)});
}

TEST_CASE("keeper outlives: a manager that ends without leaving ends its tasks") {
  Succession s;
  s.open().shell(task(1), "trap '' TERM; sleep 1000");
  const pid_t process = s.manager->await<TaskStarted>(task(1)).process;
  s.leave();
  s.open();  // a keeper that isn't a child as well
  const pid_t keeper = s.manager->backend->keeper_process();
  s.manager.reset();
  CHECK_FALSE(runs(process));
  CHECK(until([&] { return !runs(keeper); }));
}

TEST_CASE("keeper outlives: a second manager replaces the first") {
  Succession s;
  s.open().shell(task(1), until_go);
  s.manager->await<TaskStarted>(task(1));
  Manager second(s.folder.path, seconds(60), true);
  pollfd polled{s.manager->backend->descriptor(), POLLIN, 0};
  REQUIRE(poll(&polled, 1, 10'000) == 1);
  CHECK(s.manager->backend->take_reports().empty());
  CHECK(s.manager->backend->replaced());
  CHECK_FALSE(second.backend->replaced());
  const TaskEnded refused = s.manager->run_shell(task(2), "true");
  CHECK(refused.kind == EndKind::start_failed);
  CHECK(refused.text.view().find(s.folder.path) != std::string::npos);
  s.manager.reset();  // doesn't end the tasks: they aren't this manager's any more
  s.let_go(1);
  CHECK(second.ended(task(1)).code == 4);
}

TEST_CASE("keeper outlives: of two managers that race one has the tasks") {
  for (int round = 0; round < 5; ++round) {
    TemporaryFolder folder;
    std::optional<Manager> racers[2];
    std::thread other([&] { racers[1].emplace(folder.path, seconds(60), true); });
    racers[0].emplace(folder.path, seconds(60), true);
    other.join();
    const auto replaced = [&](Manager& manager) {
      manager.backend->take_reports();
      return manager.backend->replaced();
    };
    REQUIRE(until([&] { return replaced(*racers[0]) || replaced(*racers[1]); }));
    const int loser = racers[0]->backend->replaced() ? 0 : 1;
    racers[loser].reset();
    CHECK(racers[1 - loser]->run_shell(task(1), "echo mine").output == "mine\n");
    CHECK_FALSE(racers[1 - loser]->backend->replaced());
  }
}

TEST_CASE("keeper outlives: 200 tasks are taken over") {
  Succession s;
  s.open();
  for (std::uint64_t job = 1; job <= 200; ++job)
    s.manager->shell(task(job), job % 2 ? "echo " + std::to_string(job) : "exec sleep 1000");
  for (std::uint64_t job = 1; job <= 200; ++job) s.manager->await<TaskStarted>(task(job));
  for (std::uint64_t job = 1; job <= 200; job += 2) s.manager->ended(task(job));
  s.leave();
  s.open();
  REQUIRE(s.living().size() == 200);
  for (std::uint64_t job = 1; job <= 200; job += 2)
    CHECK(s.manager->ended(task(job)).output == std::to_string(job) + "\n");
}

TEST_CASE("keeper outlives: it is killed while the manager is away") {
  Succession s;
  s.open().shell(task(1), daemonise + "echo $$ > leader; wait; exec sleep 1000");
  s.manager->run_shell(task(2), "seq 1 20000; exit 3");
  const pid_t left[] = {s.manager->number_in(s.manager->home(1) + "/leader"),
                        s.manager->number_in(s.manager->home(1) + "/daemon")};
  const pid_t keeper = s.manager->backend->keeper_process();
  s.leave();
  std::ofstream(s.folder.path + "/outcomes/" + name_of(7)) << "half of";  // not the keeper's, so not believed
  kill_and_wait(keeper);
  s.open();
  for (const pid_t process : left) CHECK_FALSE(runs(process));
  REQUIRE(s.living().size() == 1);
  CHECK(s.living()[0].id == task(2));
  const TaskEnded end = s.manager->ended(task(2));
  CHECK(end.code == 3);
  CHECK(end.output_bytes == 108'894);
  s.manager->backend->perform(ReadOutput{task(2), Stream::output, 108'890});
  CHECK(s.manager->await<OutputRead>(task(2)).data == "000\n");
  CHECK_FALSE(std::filesystem::exists(s.manager->directory(1)));
  CHECK_FALSE(s.has_outcome(7));
}

TEST_CASE("keeper outlives: it is killed under a manager that took it over") {
  Succession s;
  s.open().shell(task(1), "exec sleep 1000");
  const pid_t process = s.manager->await<TaskStarted>(task(1)).process;
  s.leave();
  s.open();
  const pid_t keeper = s.manager->backend->keeper_process();
  kill(keeper, SIGKILL);
  CHECK(s.manager->ended(task(1)).code == SIGKILL);
  CHECK_FALSE(runs(process));
  CHECK(s.manager->run_shell(task(2), "echo on").output == "on\n");
  CHECK(s.manager->backend->keeper_process() != keeper);
  CHECK_FALSE(s.manager->backend->replaced());
}

TEST_CASE("keeper outlives: one that is stopped isn't taken over, and what to do is said") {
  Succession s;
  s.open().shell(task(1), until_go);
  s.manager->await<TaskStarted>(task(1));
  const pid_t keeper = s.manager->backend->keeper_process();
  stop(keeper);
  const Opened opened = try_open(s.folder.path, seconds(60), milliseconds(200), true);
  kill(keeper, SIGCONT);
  REQUIRE(opened.index() == 1);
  MESSAGE(std::get<1>(opened));
  CHECK(std::get<1>(opened).find(s.folder.path) != std::string::npos);
  CHECK(std::get<1>(opened).find("kill -CONT " + std::to_string(keeper)) != std::string::npos);
  s.let_go(1);  // a manager that gave up has replaced no other
  CHECK(s.manager->ended(task(1)).code == 4);
  CHECK_FALSE(s.manager->backend->replaced());
}

TEST_CASE("keeper outlives: the folder's path may be long") {
  TemporaryFolder folder;
  const std::string deep = folder.path + '/' + std::string(200, 'd');
  std::optional<Manager> manager(std::in_place, deep, seconds(60), true);
  manager->shell(task(1), "exec sleep 1000");
  manager->await<TaskStarted>(task(1));
  manager->backend->leave();
  manager.emplace(deep, seconds(60), true);
  CHECK(manager->backend->living().size() == 1);
}

TEST_CASE("keeper outlives: only its own account comes in") {
  Succession s;
  s.open();
  struct stat facts {};
  REQUIRE(stat((s.folder.path + "/keeper.socket").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 077) == 0);
  if (geteuid() != 0) return;
  chmod(s.folder.path.c_str(), 0755);
  chmod((s.folder.path + "/keeper.socket").c_str(), 0777);  // only the kernel can tell the caller's account now
  const pid_t stranger = fork();
  if (stranger == 0) {
    if (setuid(65534) != 0) _exit(1);
    sockaddr_un address{AF_UNIX, {}};
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s/keeper.socket", s.folder.path.c_str());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    char byte = 0;
    if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(2);
    _exit(read(socket, &byte, 1) == 0 ? 0 : 3);  // closed without a word
  }
  int status = 0;
  waitpid(stranger, &status, 0);
  CHECK(status == 0);
  CHECK(s.manager->run_shell(task(1), "echo on").output == "on\n");
  s.leave();
  chown(s.folder.path.c_str(), 65534, 65534);
  const Opened refused = try_open(s.folder.path, seconds(60), seconds(1), true);
  REQUIRE(refused.index() == 1);
  CHECK(std::get<1>(refused) == s.folder.path + " belongs to another account");
  chown(s.folder.path.c_str(), 0, 0);
}

}  // namespace keeper_outlives_test
