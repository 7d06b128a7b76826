// Malicious or careless jobs, with and without namespaces of their own: what they can reach, and what is left of them
// when all processes that watch over them are killed.
#include <doctest/doctest.h>

#include <set>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "resmgr/keeper/frames.hpp"
#include "tests/backends/process_backend_fixture.hpp"

namespace keeper_isolation_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

// Whether this machine lets this account have namespaces, as another program says.
bool namespaces_permitted() {
  const std::string user = geteuid() == 0 ? "" : "--user --map-current-user ";
  const std::string command = "unshare " + user + "--pid --fork --mount --mount-proc true 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

// A cgroup of version 2 for a test; empty if this account may not make one.
std::string new_cgroup() {
  std::istringstream mounts(contents("/proc/self/mounts"));
  std::string device, folder, type, rest;
  while (mounts >> device >> folder >> type && std::getline(mounts, rest)) {
    const std::string made = folder + "/dmm-test-" + std::to_string(getpid());
    if (type == "cgroup2" && mkdir(made.c_str(), 0755) == 0) return made;
  }
  return {};
}

const std::string knock =
    "import os, socket, struct, sys\n"
    "state = os.environ['DMM_DIRECTORY'] + '/../../'\n"
    "try:\n"
    "    secret = open(state + 'keeper.secret', 'rb').read()\n"
    "    s = socket.socket(socket.AF_UNIX); s.connect(state + 'keeper.socket')\n"
    "except OSError:\n"
    "    sys.exit('not there')\n"
    "body = bytes([7]) + struct.pack('<I', len(secret)) + secret + struct.pack('<BIqQQQ', 1, 0, 60000000, 0, 0, "
    "0) + "
    "bytes(16)\n"
    "try:\n"
    "    s.sendall(struct.pack('<I', len(body)) + body)\n"
    "    got = s.recv(1)\n"
    "except OSError:\n"
    "    got = b''\n"
    "sys.exit('let in' if got else 'sent away')\n";

int connect_to_keeper(const std::string& folder) {
  sockaddr_un address{AF_UNIX, {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/keeper.socket", folder.c_str());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

// All bytes from a socket until it is closed.
std::string heard_until_end(int socket) {
  std::string text;
  char bytes[256];
  for (ssize_t count = 0; (count = read(socket, bytes, sizeof bytes)) > 0;) text.append(bytes, std::size_t(count));
  close(socket);
  return text;
}

}  // namespace

TEST_CASE("isolation: what a job got is told, and is what the machine permits") {
  Fixture f(seconds(60), {.isolate = true});
  f.start(task(1), {"sleep", "1000"});
  const std::string isolation = f.await<TaskStarted>(task(1)).isolation;
  MESSAGE(isolation);
  CHECK(isolation == f.backend->state().isolation);
  CHECK(isolation.starts_with("namespaces, rlimits") == namespaces_permitted());
  Fixture without;
  without.start(task(1), {"sleep", "1000"});
  CHECK(without.await<TaskStarted>(task(1)).isolation == "rlimits");
}

TEST_CASE("isolation: a job that kills its parent and all that it may kills neither another job nor the keeper") {
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    Fixture f(seconds(60), {.isolate = isolate});
    const bool apart = f.backend->state().isolation.starts_with("namespaces");
    const pid_t keeper = f.backend->keeper_process();
    f.start(task(9), {"sleep", "1000"});
    const pid_t other = f.await<TaskStarted>(task(9)).process;
    // Without a namespace -1 means every process of the account, which no test may kill.
    const TaskEnded end =
        f.run_shell(task(1), apart ? "kill -9 -1; kill -9 $PPID; exit 3" : "kill -9 $PPID; sleep 1000");
    CHECK(end.code == (apart ? 3 : SIGKILL));
    CHECK(runs(other));
    CHECK(runs(keeper));
    CHECK(f.run_shell(task(2), "echo on").output == "on\n");
    CHECK(f.backend->keeper_process() == keeper);
  }
}

TEST_CASE("isolation: a job sees itself alone, nothing of the state folder but its own, and gains no privilege") {
  Fixture f(seconds(60), {.isolate = true});
  f.start(task(9), {"sleep", "1000"});
  f.await<TaskStarted>(task(9));
  const TaskEnded end = f.run_shell(task(1),
                                    "ls $DMM_DIRECTORY/.. $DMM_DIRECTORY/../..; cd ../..; ls; "
                                    "set -- /proc/[0-9]*; echo $#; grep NoNewPrivs /proc/self/status; "
                                    "echo mine > $HOME/file; id -u");
  const std::string own = name_of(1) + '\n';
  if (f.backend->state().isolation.starts_with("namespaces")) {
    const std::string jobs = f.path + "/jobs/" + name_of(1);
    CHECK(end.output == jobs + "/..:\n" + own + '\n' + jobs + "/../..:\njobs\n" + own + "2\nNoNewPrivs:\t1\n" +
                            std::to_string(geteuid()) + '\n');
  } else {
    CHECK(end.output.view().find("NoNewPrivs:\t1\n") != std::string::npos);
  }
  CHECK(contents(f.home(1) + "/file") == "mine\n");
}

TEST_CASE("isolation: a job's files are limited where nothing else is needed") {
  Fixture f(seconds(60), {.file_bytes_max = 1000});
  const TaskEnded end = f.run_shell(task(1), "head -c 5000 /dev/zero > file; wc -c < file");
  CHECK(end.output == "1000\n");
}

TEST_CASE("isolation: a job that takes more disk than it may is ended, and others aren't") {
  Fixture f(seconds(60), {.disk_bytes_max = 1'000'000});
  f.shell(task(1), "head -c 500000 /dev/zero > file; sleep 1000");
  const TaskEnded end = f.run_shell(task(2), "mkdir -p a/b; head -c 3000000 /dev/zero > a/b/file; sleep 1000");
  CHECK(end.kind == EndKind::signalled);
  CHECK(end.code == SIGTERM);
  CHECK(end.text.view().starts_with("its directory took 30"));
  CHECK(end.text.view().ends_with(" bytes of disk; this resource manager allows 1000000"));
  f.backend->perform(EndTask{task(1), seconds(0)});
  CHECK(f.ended(task(1)).text == "");
}

TEST_CASE("isolation: a job has a cgroup of its own where there is one to make it in, or it is said why not") {
  TemporaryFolder none;
  const Opened refused = try_open(none.path, seconds(60), seconds(10), false, {.cgroup = none.path});
  REQUIRE(refused.index() == 1);
  CHECK(std::get<1>(refused) == "can't make cgroups in " + none.path + ": it is not a cgroup (version 2)");

  const std::string cgroup = new_cgroup();
  if (cgroup.empty()) return;  // an account that may not make cgroups can't have a job in one
  {
    Fixture f(seconds(60), {.isolate = false, .cgroup = cgroup});
    CHECK(f.backend->state().isolation.starts_with("cgroup v2 ("));
    f.shell(task(1), "cat /proc/self/cgroup; " + daemonise + "exec sleep 1000");
    f.number_in(f.home(1) + "/daemon");
    f.backend->perform(EndTask{task(1), seconds(0)});
    CHECK(f.ended(task(1)).output.view().find(cgroup.substr(cgroup.rfind('/')) + "/dmm-") != std::string::npos);
    CHECK(f.run_shell(task(2), "true").code == 0);
  }
  CHECK(until([&] { return rmdir(cgroup.c_str()) == 0; }));  // nothing was left in it
}

TEST_CASE("isolation: jobs that begin at the same number elsewhere don't have it here") {
  Fixture f(seconds(60), {.isolate = true});
  std::set<std::string> numbers;
  for (std::uint64_t job = 1; job <= 5; ++job) numbers.insert(f.run_shell(task(job), "echo $$").output);
  CHECK(numbers.size() == 5);
}

TEST_CASE("isolation: everything a job left behind ends with it, with the grace that it was given") {
  Fixture f(seconds(60), {.isolate = true});
  f.shell(task(1), daemonise +
                       "(trap 'sleep 0.2; echo saved; exit' TERM; echo x > ready; "
                       "while :; do sleep 0.02; done) & exec sleep 1000");
  f.number_in(f.home(1) + "/ready");
  f.number_in(f.home(1) + "/daemon");
  f.backend->perform(EndTask{task(1), seconds(100)});
  const TaskEnded end = f.ended(task(1));
  CHECK(end.code == SIGTERM);
  CHECK(end.output == "saved\n");
  CHECK(f.run_shell(task(2), daemonise + "exit 5").code == 5);
  f.shell(task(3), daemonise + "trap '' TERM; echo x > ready; sleep 1000; sleep 1000");
  f.number_in(f.home(3) + "/ready");
  f.backend->perform(EndTask{task(3), milliseconds(100)});
  CHECK(f.ended(task(3)).code == SIGKILL);
}

TEST_CASE("isolation: only a program that wants to be warned alone is, and all it started ends with it [S141a]") {
  const std::string script =
      "(trap 'echo warned' TERM; echo x > ready; while :; do sleep 0.02; done) & setsid sleep 1000 & "
      "trap 'sleep 0.2; echo over; exit 3' TERM; until [ -s ready ]; do sleep 0.01; done; echo $! > all; "
      "while :; do sleep 0.02; done";
  for (const bool isolate : {true, false}) {
    for (const bool alone : {true, false}) {
      CAPTURE(isolate);
      CAPTURE(alone);
      Fixture f(seconds(60), {.isolate = isolate});
      Program program{{"sh", "-c", script}, {}, {}, {}};
      program.warns_program_only = alone;
      f.start(task(1), program);
      f.number_in(f.home(1) + "/all");
      f.backend->perform(EndTask{task(1), alone ? seconds(1000) : milliseconds(500)});
      const TaskEnded end = f.ended(task(1));
      CHECK(end.code == 3);
      CHECK(end.output == (alone ? "over\n" : "warned\nover\n"));
      CHECK(f.run_shell(task(2), "true").code == 0);
    }
  }
}

TEST_CASE("isolation: a job can't become the manager") {
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    TemporaryFolder folder;
    Manager manager(folder.path, seconds(60), true, {.isolate = isolate});
    const bool apart = manager.backend->state().isolation.starts_with("namespaces");
    const TaskEnded end = manager.run(task(1), {{"python3", "-c", knock}, {}, {}, {}});
    CHECK(end.error == (apart ? "not there\n" : "sent away\n"));
    CHECK(manager.run_shell(task(2), "echo mine").output == "mine\n");
    CHECK_FALSE(manager.backend->replaced());
  }
}

TEST_CASE("isolation: a visitor without the secret isn't let in, and a silent visitor holds up no manager") {
  TemporaryFolder folder;
  Manager manager(folder.path, seconds(60), true);
  const int silent = connect_to_keeper(folder.path);
  const int wrong = connect_to_keeper(folder.path);
  std::string frame;
  keeper::pack_value(frame, keeper::pack(keeper::Order(keeper::Hello{"not this", {}})));
  REQUIRE(write(wrong, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size()));
  std::string challenge;
  keeper::pack_value(challenge, keeper::pack(keeper::Report(keeper::Challenge{})));
  CHECK(heard_until_end(wrong) == challenge);
  CHECK(manager.run_shell(task(1), "echo mine").output == "mine\n");
  CHECK_FALSE(manager.backend->replaced());
  const Opened next = try_open(folder.path, seconds(60), seconds(10), true);
  CHECK(next.index() == 0);
  close(silent);
}

TEST_CASE("isolation: a job that took the keeper's place is told from it") {
  TemporaryFolder folder;
  std::optional<Manager> manager(std::in_place, folder.path, seconds(60), true);
  manager->start(task(1), {"python3", "-c",
                           "import os, socket, time\n"
                           "path = os.path.abspath(os.environ['DMM_DIRECTORY'] + '/../../keeper.socket')\n"
                           "os.unlink(path); s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()\n"
                           "open('ready', 'w').write('x\\n')\ntime.sleep(1000)\n"});
  manager->number_in(manager->home(1) + "/ready");
  const Opened next = try_open(folder.path, seconds(60), seconds(10), true);
  REQUIRE(next.index() == 1);
  CHECK(std::get<1>(next).find("belongs to a job") != std::string::npos);
}

TEST_CASE("orphans: nothing of a job outlives its keeper and manager, killed together, by more than a moment") {
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    TemporaryFolder folder;
    const pid_t manager = fork();
    if (manager == 0) {
      Opened opened = try_open(folder.path, seconds(60), seconds(10), true, {.isolate = isolate});
      if (opened.index() != 0) _exit(1);
      std::get<0>(opened)->perform(StartTask{task(1), {{"sleep", "1000"}, {}, {}, {}}});
      for (;;) {
        for (const auto& report : std::get<0>(opened)->take_reports())
          if (const auto* const started = std::get_if<TaskStarted>(&report))
            std::ofstream(folder.path + "/started") << started->process << std::endl;
        usleep(1000);
      }
    }
    const auto number_of = [&](const std::string& name) {
      return std::atoi(contents(folder.path + name).c_str());
    };
    REQUIRE(until([&] { return contents(folder.path + "/started").ends_with('\n'); }));
    const pid_t keeper = number_of("/keeper.lock");
    const pid_t job = number_of("/started");
    REQUIRE(runs(job));
    kill(manager, SIGSTOP);  // so that neither reacts to the other's end
    kill(keeper, SIGKILL);
    kill(manager, SIGKILL);
    waitpid(manager, nullptr, 0);
    CHECK(until([&] { return !runs(job); }));
  }
}

TEST_CASE("orphans: what is left of a job is ended though no other keeper can be started") {
  TemporaryFolder folder;
  const std::string program = folder.path + "/keeper";
  std::filesystem::copy_file(DMM_BINARY_DIR "/keeper", program);
  Opened opened = ProcessBackend::open({.directory = folder.path + "/state",
                                        .keeper_executable = program,
                                        .outlive = true,
                                        .jobs = {.isolate = false}});
  REQUIRE(opened.index() == 0);
  auto& backend = *std::get<0>(opened);
  const std::string home = home_in(folder.path + "/state", 1);
  const std::string script = "DMM_DIRECTORY=/elsewhere setsid sleep 1000 & echo $! > child; wait";
  backend.perform(StartTask{task(1), {{"sh", "-c", script}, {}, {}, {}}});
  REQUIRE(until([&] { return contents(home + "/child").ends_with('\n'); }));
  const pid_t child = std::atoi(contents(home + "/child").c_str());
  std::filesystem::remove(program);
  kill(backend.keeper_process(), SIGKILL);
  bool lost = false;
  CHECK(until([&] {
    for (const auto& report : backend.take_reports())
      if (const auto* const end = std::get_if<TaskEnded>(&report)) lost = end->kind == EndKind::lost;
    return lost;
  }));
  CHECK(until([&] { return !runs(child); }));
}

TEST_CASE("orphans: they are found by their mark, whatever they say of their directory") {
  Fixture f;
  f.shell(task(1), "DMM_DIRECTORY=/elsewhere setsid sleep 1000 & echo $! > child; wait");
  const pid_t child = f.number_in(f.home(1) + "/child");
  kill(f.backend->keeper_process(), SIGKILL);
  CHECK(f.ended(task(1)).kind == EndKind::lost);
  CHECK_FALSE(runs(child));
}

}  // namespace keeper_isolation_test
