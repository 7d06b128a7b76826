// The `process` backend with its real keeper and real programs.
#include <doctest/doctest.h>

#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>

#include "tests/backends/process_backend_fixture.hpp"

namespace process_backend_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

std::string read_all(Fixture& fixture, const TaskId& id, Stream stream, OutputRead& last) {
  std::string text;
  do {
    fixture.backend->perform(ReadOutput{id, stream, text.size()});
    last = fixture.await<OutputRead>(id);
    CHECK(last.offset == text.size());
    CHECK(last.data.size() <= 48 * 1024);
    text += last.data;
  } while (text.size() < last.size && !last.data.empty());
  return text;
}

}  // namespace

TEST_CASE("process backend: exit status, signal and streams") {
  Fixture f;
  f.shell(task(1), "echo out; echo err >&2; exit 7");
  CHECK(f.await<TaskStarted>(task(1)).process > 0);
  const TaskEnded end = f.ended(task(1));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 7);
  CHECK(end.output == "out\n");
  CHECK(end.error == "err\n");
  CHECK(end.output_bytes == 4);
  CHECK(end.error_bytes == 4);
  CHECK(end.wall > microseconds(0));
  CHECK(end.cpu > microseconds(0));

  const TaskEnded signalled = f.run_shell(task(2), "kill -USR1 $$");
  CHECK(signalled.kind == EndKind::signalled);
  CHECK(signalled.code == SIGUSR1);
  CHECK(f.run_shell(task(3), "read line; echo \"[$line]\"").output == "[]\n");  // standard input is empty
}

TEST_CASE("process backend: a task that doesn't start says why, and where the fault lies") {
  Fixture f;
  const auto fault = [&](std::uint64_t job, std::vector<std::string> arguments, std::string directory = {}) {
    TaskEnded end = f.run(task(job), {std::move(arguments), std::move(directory), {}, {}});
    CHECK(end.kind == EndKind::start_failed);
    MESSAGE(end.text);
    return std::pair(end.fault, std::string(end.text));
  };
  const auto [missing, text] = fault(1, {"no-such-program"});
  CHECK(missing == StartFault::executable_missing);
  CHECK(text.find("no-such-program") != std::string::npos);
  CHECK(fault(2, {"/no/such/program"}).first == StartFault::executable_missing);
  CHECK(fault(3, {"/etc/passwd"}).first == StartFault::not_permitted);
  const auto [nowhere, where] = fault(4, {"true"}, "/no/such/folder");
  CHECK(nowhere == StartFault::no_directory);
  CHECK(where.find("/no/such/folder") != std::string::npos);
  CHECK(fault(5, {}).first == StartFault::executable_missing);
  CHECK(fault(6, {""}).first == StartFault::executable_missing);
  CHECK(fault(7, {"true", std::string(131'073, 'x')}).first == StartFault::not_permitted);  // not the node's fault
  CHECK(fault(8, {"true"}, "relative").first == StartFault::no_directory);
  const std::string busy = f.folder.path + "/busy";
  std::filesystem::copy_file("/bin/true", busy);
  const int writer = ::open(busy.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(writer >= 0);
  CHECK(fault(9, {busy}).first == StartFault::not_permitted);
  close(writer);
  CHECK(fault(10, {std::string(300, 'n')}).first == StartFault::executable_missing);
}

TEST_CASE("process backend: environment, working directory and process state") {
  Fixture f;
  TaskEnded end = f.run(task(1, 3), {{"env"}, {}, {"COLOUR=green", "LANG=de", "DMM_JOB=lie"}, {}});
  const auto has = [&](const std::string& line) {
    return ("\n" + end.output).find("\n" + line) != std::string::npos;
  };
  CHECK(has("PATH="));
  CHECK(has("HOME=" + f.home(1, 3) + "\n"));
  CHECK(has("USER="));
  CHECK(has("LANG=de\n"));
  CHECK_FALSE(has("LANG=C.UTF-8"));
  CHECK(has("DMM_JOB=north_1/alice/1\n"));
  CHECK(has("DMM_COMPONENT=3\n"));
  CHECK(has("COLOUR=green\n"));
  CHECK(std::ranges::count(end.output.view(), '\n') == 9);

  CHECK(f.run(task(2), {{"pwd"}, {}, {}, {}}).output == f.home(2) + "\n");
  CHECK(f.run(task(3), {{"pwd"}, "/usr", {}, {}}).output == "/usr\n");
  end = f.run_shell(task(4), "ls -x /proc/$$/fd; exec grep -E '^Sig(Blk|Ign)' /proc/$$/status");
  // posix_spawn leaves glibc's internal signal 32 ignored, which is glibc's business.
  std::string output = end.output;
  const auto glibc = output.find("SigIgn:\t0000000080000000");
  if (glibc != std::string::npos) output[glibc + 16] = '0';
  CHECK(output == "0  1  2\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  const auto mode = std::filesystem::status(f.directory(4)).permissions();
  CHECK(mode == std::filesystem::perms::owner_all);
}

TEST_CASE("process backend: limits") {
  Fixture f;
  TaskEnded end = f.run(task(1), {{"head", "-c", "5000", "/dev/zero"}, {}, {}, Limits{.file_bytes = 1000}});
  CHECK(end.kind == EndKind::signalled);
  CHECK(end.code == SIGXFSZ);
  CHECK(end.output_bytes == 1000);
  end = f.run(task(2), {{"sh", "-c", "ulimit -c; ulimit -n; ulimit -v"},
                        {},
                        {},
                        Limits{.memory_bytes = 1 << 30, .open_files = 20}});
  CHECK(end.output == "0\n20\n1048576\n");
  end = f.run(task(3), {{"sh", "-c", "while :; do :; done"}, {}, {}, Limits{.cpu_seconds = 1}});
  CHECK(end.kind == EndKind::signalled);
  CHECK(end.code == SIGXCPU);
  end = f.run(task(4), {{"sleep", "1000"}, {}, {}, Limits{.wall_seconds = 1}});
  CHECK(end.kind == EndKind::signalled);
  CHECK(end.code == SIGTERM);
  CHECK(end.wall >= seconds(1));
  CHECK_FALSE(end.text.empty());
}

TEST_CASE("process backend: EndTask asks, waits for the grace and kills") {
  Fixture f;
  const std::string ready = "echo x > \"$HOME/ready\"; ";
  f.shell(task(1), "trap 'echo ending; exit 3' TERM; " + ready + "while :; do sleep 0.05; done");
  f.number_in(f.home(1) + "/ready");
  f.backend->perform(EndTask{task(1), seconds(100)});
  TaskEnded end = f.ended(task(1));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 3);
  CHECK(end.output == "ending\n");

  f.shell(task(2), "trap '' TERM; " + ready + "while :; do sleep 0.05; done");
  f.number_in(f.home(2) + "/ready");
  const auto before = Steady::now();
  f.backend->perform(EndTask{task(2), milliseconds(300)});
  end = f.ended(task(2));
  CHECK(end.code == SIGKILL);
  CHECK(Steady::now() - before >= std::chrono::milliseconds(300));

  f.shell(task(3), "trap '' TERM; " + ready + "sleep 1000");
  f.number_in(f.home(3) + "/ready");
  f.backend->perform(EndTask{task(3), seconds(1000)});
  f.backend->perform(EndTask{task(3), seconds(0)});
  CHECK(f.ended(task(3)).code == SIGKILL);

  f.start(task(4), {"sleep", "1000"});
  kill(f.await<TaskStarted>(task(4)).process, SIGSTOP);
  f.backend->perform(EndTask{task(4), seconds(1000)});
  CHECK(f.ended(task(4)).code == SIGTERM);  // a stopped task is continued so that it can obey
}

TEST_CASE("process backend: children of a leader that ends first have the grace too") {
  Fixture f;
  f.shell(task(1),
          "(trap 'sleep 0.2; echo saved; exit' TERM; echo x > \"$HOME/ready\"; "
          "while :; do sleep 0.02; done) & exec sleep 1000");
  f.number_in(f.home(1) + "/ready");
  f.backend->perform(EndTask{task(1), seconds(100)});
  const TaskEnded end = f.ended(task(1));
  CHECK(end.code == SIGTERM);
  CHECK(end.output == "saved\n");
}

TEST_CASE("process backend: a task ends with all its descendants") {
  Fixture f;
  f.start(task(9), {"sleep", "1000"});  // must not be affected
  const pid_t other = f.await<TaskStarted>(task(9)).process;
  const std::string home = f.home(1);
  const std::string children = "(sleep 1000 & echo $! > in_group); setsid sleep 1001 & " + daemonise +
                               "while [ ! -s daemon ]; do sleep 0.01; done; ";
  SUBCASE("when its leader exits") {
    f.shell(task(1), children + "exit 5");
    CHECK(f.ended(task(1)).code == 5);
  }
  SUBCASE("when it is killed") {
    f.shell(task(1), children + "sleep 1002");
    f.number_in(home + "/daemon");
    f.backend->perform(EndTask{task(1), seconds(0)});
    CHECK(f.ended(task(1)).code == SIGKILL);
  }
  SUBCASE("when it is asked to end") {
    f.shell(task(1), children + "sleep 1002");
    // A process that comes and goes during the inspection may be missed, so this one must have detached first.
    const std::string daemon = "/proc/" + std::to_string(f.number_in(home + "/daemon")) + "/status";
    const std::string parent = "\nPPid:\t" + std::to_string(f.backend->keeper_process()) + '\n';
    REQUIRE(until([&] { return contents(daemon).find(parent) != std::string::npos; }));
    f.backend->perform(EndTask{task(1), seconds(1000)});  // all obey SIGTERM, so the grace doesn't pass
    CHECK(f.ended(task(1)).code == SIGTERM);
  }
  CHECK_FALSE(runs(f.number_in(home + "/in_group")));
  CHECK_FALSE(runs(f.number_in(home + "/daemon")));
  CHECK(runs(other));
}

TEST_CASE("process backend: a chain of processes that run away is caught") {
  Fixture f;
  const std::string script =
      "import os\n"
      "for _ in range(20000):\n"
      "    if os.fork(): os._exit(0)\n"
      "    os.setsid()\n"
      "open('escaped','w').write('yes')\n";
  f.start(task(1), {"python3", "-c", script});
  f.ended(task(1));
  CHECK_FALSE(std::filesystem::exists(f.home(1) + "/escaped"));
}

TEST_CASE("process backend: nothing outlives the manager") {
  TemporaryFolder folder;
  const std::string home = home_in(folder.path, 1);
  const pid_t manager = fork();
  if (manager == 0) {
    Opened opened = try_open(folder.path);
    if (opened.index() != 0) _exit(1);
    auto& backend = *std::get<0>(opened);
    const std::string script = daemonise +
                               "setsid sleep 1000 & echo $! > session; trap '' TERM; "
                               "echo $$ > leader; while :; do sleep 0.1; done";
    backend.perform(StartTask{task(1), {{"sh", "-c", script}, {}, {}, {}}});
    for (;;) pause();
  }
  REQUIRE(until(
      [&] { return contents(home + "/daemon").ends_with('\n') && contents(home + "/leader").ends_with('\n'); }));
  kill(manager, SIGKILL);
  waitpid(manager, nullptr, 0);
  for (const std::string name : {"/daemon", "/leader", "/session"}) {
    const pid_t process = std::atoi(contents(home + name).c_str());
    CHECK_MESSAGE(until([&] { return !runs(process); }), name);
  }
}

TEST_CASE("process backend: a stopped manager's tasks end at the deadline") {
  Fixture f(milliseconds(300));  // the test plays the manager, which never says that it lives
  f.shell(task(1), "trap '' TERM; sleep 1000");
  const TaskEnded end = f.ended(task(1));
  CHECK(end.kind == EndKind::lost_contact);
  CHECK(end.code == SIGKILL);
  CHECK(end.wall < seconds(10));

  f.backend->perform(KeepTasks{seconds(100)});
  f.start(task(2), {"sleep", "0.6"});
  CHECK(f.ended(task(2)).code == 0);
}

TEST_CASE("process backend: a manager stopped by SIGSTOP finds its tasks ended") {
  TemporaryFolder folder;
  const std::string report = folder.path + "/report";
  const pid_t manager = fork();
  if (manager == 0) {
    Opened opened = try_open(folder.path, milliseconds(400));
    if (opened.index() != 0) _exit(1);
    auto& backend = *std::get<0>(opened);
    backend.perform(StartTask{task(1), {{"sh", "-c", "echo $$ > leader; sleep 1000"}, {}, {}, {}}});
    for (;;) {
      pollfd polled{backend.descriptor(), POLLIN, 0};
      poll(&polled, 1, -1);
      for (const auto& taken : backend.take_reports())
        if (const auto* const end = std::get_if<TaskEnded>(&taken)) _exit(end->code);
    }
  }
  const std::string leader = home_in(folder.path, 1) + "/leader";
  REQUIRE(until([&] { return contents(leader).ends_with('\n'); }));
  kill(manager, SIGSTOP);
  const pid_t process = std::atoi(contents(leader).c_str());
  CHECK(until([&] { return !runs(process); }));
  kill(manager, SIGCONT);
  int status = 0;
  waitpid(manager, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == SIGKILL);
}

TEST_CASE("process backend: a killed keeper is replaced, and what it left behind is ended") {
  Fixture f;
  const std::string home = f.home(1);
  f.shell(task(2), "head -c 100000 /dev/zero");
  CHECK(f.ended(task(2)).output_bytes == 100000);
  f.shell(task(1), daemonise + "setsid sleep 1000 & echo $! > session; sleep 1001 & echo $! > child; wait");
  const pid_t left[] = {f.await<TaskStarted>(task(1)).process, f.number_in(home + "/session"),
                        f.number_in(home + "/child"), f.number_in(home + "/daemon")};
  kill(f.backend->keeper_process(), SIGKILL);
  const TaskEnded end = f.ended(task(1));
  CHECK(end.kind == EndKind::lost);
  CHECK(end.code == SIGKILL);
  for (const pid_t process : left) CHECK_FALSE(runs(process));
  OutputRead last;
  CHECK(read_all(f, task(2), Stream::output, last).size() == 100000);
  CHECK(f.run_shell(task(1), "echo again").output == "again\n");
}

TEST_CASE("process backend: a new manager waits for the old keeper") {
  TemporaryFolder folder;
  Opened first = try_open(folder.path);
  REQUIRE(first.index() == 0);
  auto& backend = *std::get<0>(first);
  backend.perform(StartTask{task(1), {{"sleep", "1000"}, {}, {}, {}}});
  pollfd polled{backend.descriptor(), POLLIN, 0};
  REQUIRE(poll(&polled, 1, 10'000) == 1);
  const auto reports = backend.take_reports();
  REQUIRE(reports.size() == 1);
  const pid_t process = std::get<TaskStarted>(reports[0]).process;
  const int probe = open((folder.path + "/keeper.lock").c_str(), O_RDWR | O_CLOEXEC);
  CHECK(flock(probe, LOCK_EX | LOCK_NB) != 0);
  close(probe);

  kill(backend.keeper_process(), SIGSTOP);  // a slow old keeper
  const pid_t helper = fork();
  if (helper == 0) {
    usleep(300'000);
    kill(backend.keeper_process(), SIGCONT);
    _exit(0);
  }
  std::get<0>(first).reset();
  Opened second = try_open(folder.path);
  CHECK(second.index() == 0);
  CHECK_FALSE(runs(process));
  CHECK_FALSE(std::filesystem::exists(directory_in(folder.path, 1)));
  waitpid(helper, nullptr, 0);

  Opened third = try_open(folder.path, seconds(60), milliseconds(200));
  REQUIRE(third.index() == 1);
  CHECK(std::get<1>(third).find(folder.path + "/keeper.lock") != std::string::npos);
  Opened nowhere = ProcessBackend::open({.directory = folder.path, .keeper_executable = "/no/such/keeper"});
  REQUIRE(nowhere.index() == 1);
  CHECK(std::get<1>(nowhere).find("/no/such/keeper") != std::string::npos);
}

TEST_CASE("process backend: 300 tasks at once") {
  Fixture f;
  for (std::uint64_t job = 1; job <= 300; ++job) f.shell(task(job), "echo " + std::to_string(job));
  for (std::uint64_t job = 1; job <= 300; ++job) {
    CHECK(f.ended(task(job)).output == std::to_string(job) + "\n");
    f.backend->perform(RemoveTask{task(job)});
  }
  CHECK(until([&] { return std::filesystem::is_empty(f.folder.path + "/jobs"); }));
}

TEST_CASE("process backend: large output comes in pieces, all of it") {
  Fixture f;
  const TaskEnded end = f.run_shell(task(1), "seq 1 50000; echo problem >&2");
  CHECK(end.output.empty());
  CHECK(end.error.empty());
  std::string expected;
  for (int i = 1; i <= 50000; ++i) expected += std::to_string(i) + "\n";
  CHECK(end.output_bytes == expected.size());
  OutputRead last;
  CHECK(read_all(f, task(1), Stream::output, last) == expected);
  CHECK(read_all(f, task(1), Stream::error, last) == "problem\n");

  CHECK(f.run(task(2), {{"head", "-c", "17000000", "/dev/zero"}, {}, {}, {}}).output_bytes == 17'000'000);
  CHECK(read_all(f, task(2), Stream::output, last).size() == 17'000'000);
  CHECK(read_all(f, task(3), Stream::output, last).empty());  // no such task
  f.run_shell(task(4), "rm ../output; ln -s /etc/passwd ../output");
  CHECK(read_all(f, task(4), Stream::output, last).empty());
}

TEST_CASE("process backend: what a running task has written is told and can be read, whatever it put in the way") {
  Fixture f;
  REQUIRE(mkfifo((f.folder.path + "/go").c_str(), 0600) == 0);
  f.shell(task(1),
          "echo hello; echo problem >&2; rm ../output; ln -s /etc/passwd ../output; read line <../../../go");
  OutputGrew grew;
  do grew = f.await<OutputGrew>(task(1));
  while (grew.output_bytes < 6 || grew.error_bytes < 8);
  OutputRead last;
  CHECK(read_all(f, task(1), Stream::output, last) == "hello\n");
  CHECK(last.size == 6);
  CHECK(read_all(f, task(1), Stream::error, last) == "problem\n");
  f.backend->perform(EndTask{task(1), {}});
  f.ended(task(1));
}

TEST_CASE("process backend: removal follows no link, goes deep and takes away locked folders") {
  Fixture f;
  const std::string outside = f.folder.path + "/outside";
  std::filesystem::create_directory(outside);
  std::ofstream(outside + "/precious") << "x";
  f.run_shell(task(1), "ln -s " + outside + " link; ln -s " + outside +
                           "/precious file; "
                           "mkdir -p a/b/c; touch a/b/c/d; "
                           "chmod 0 a/b; mkfifo p; i=0; "
                           "while [ $i -lt 300 ]; do mkdir d && cd d && touch f; i=$((i+1)); done");
  f.backend->perform(RemoveTask{task(1)});
  CHECK(until([&] {
    return std::filesystem::is_empty(f.folder.path + "/jobs") &&
           std::filesystem::is_empty(f.folder.path + "/removed");
  }));
  CHECK(contents(outside + "/precious") == "x");
}

}  // namespace process_backend_test
