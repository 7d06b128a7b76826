// Programs behind the launcher, started by a real keeper: a ready program waits for its Go, and the launcher ends as
// its program does.
#include "tests/backends/process_backend_fixture.hpp"

namespace launcher_test {

using namespace dmm;
using namespace dmm::backend_test;

Program launched(Runner runner, const std::string& script) {
  Program program{{"sh", "-c", script}, {}, {}, {}};
  program.runner = runner;
  program.awaits_go = true;
  return program;
}

/// What a job has written so far.
std::string written(const Manager& manager, int job) { return contents(manager.directory(job) + "/output"); }

std::vector<Part> one_part(std::uint32_t nodes, std::uint32_t processors) {
  return {{0, nodes, processors, "here"}};
}

TEST_CASE("process backend: a launched program begins at its Go, as often as its runner says") {
  Fixture manager;
  manager.start(task(1), launched(Runner::per_processor, "echo $DMM_RANK of $DMM_RANKS in $DMM_COMPONENT"));
  CHECK(manager.await<TaskStarted>(task(1)).contact == "-");
  CHECK(written(manager, 1).empty());
  manager.backend->perform(GoTask{task(1), one_part(1, 2)});
  manager.backend->perform(GoTask{task(1), one_part(1, 2)});  // let pass
  const TaskEnded ended = manager.await<TaskEnded>(task(1));
  CHECK(ended.kind == EndKind::exited);
  CHECK(ended.code == 0);
  const std::string output(ended.output.view());
  CHECK(output.size() == std::string("0 of 2 in 0\n1 of 2 in 0\n").size());
  CHECK(output.find("0 of 2 in 0\n") != std::string::npos);
  CHECK(output.find("1 of 2 in 0\n") != std::string::npos);
}

TEST_CASE("process backend: a launched program that isn't there fails before anything begins") {
  Fixture manager;
  Program program = launched(Runner::per_node, "");
  program.arguments = {"no-such-program"};
  manager.start(task(1), program);
  const TaskEnded ended = manager.await<TaskEnded>(task(1));
  CHECK(ended.kind == EndKind::start_failed);
  CHECK(ended.fault == StartFault::executable_missing);
  CHECK(ended.text.view().find("no-such-program") != std::string_view::npos);
}

TEST_CASE("process backend: temporary files of a parallel job are in its own folder, by a short way") {
  const TemporaryFolder folder;
  const std::string deep =
      folder.path + "/a-folder-with-a-name/and-another-one-in-it";  // sockets need short paths
  REQUIRE(std::filesystem::create_directories(deep));
  for (const std::string& state : {folder.path, deep}) {
    CAPTURE(state);
    Manager manager(state);
    manager.start(task(1),
                  launched(Runner::per_node, "echo $TMPDIR; cd -P \"$TMPDIR\" && pwd && echo ${#TMPDIR}"));
    manager.await<TaskStarted>(task(1));
    manager.backend->perform(GoTask{task(1), one_part(1, 1)});
    std::istringstream lines{std::string(manager.ended(task(1)).output)};
    std::string way, place;
    std::size_t length = 0;
    lines >> way >> place >> length;
    CHECK(place == manager.home(1) + "/.dmm");
    CHECK(length <= 80);
    CHECK_FALSE(std::filesystem::is_symlink(way));  // it was one, if the folder's path is long
  }
}

TEST_CASE("process backend: without its stager a host is to blame for a job with input files, and starts others") {
  const TemporaryFolder folder, programs;
  for (const std::string name : {"/keeper", "/launcher"})
    std::filesystem::copy_file(DMM_BINARY_DIR + name, programs.path + name);
  Manager manager(folder.path, ProcessBackend::open({.directory = folder.path,
                                                     .keep = seconds(60),
                                                     .keeper_executable = programs.path + "/keeper",
                                                     .jobs = {.isolate = false}}));
  Program with_file = launched(Runner::per_node, "exit 3");
  with_file.inputs.push_back({.name = "file", .replicas = {{.url = "file:///etc/hostname"}}});
  manager.start(task(1), with_file);
  const TaskEnded ended = manager.await<TaskEnded>(task(1));
  CHECK(ended.kind == EndKind::start_failed);
  CHECK(ended.fault == StartFault::resources);
  CHECK(ended.text.view().find("the stager ended without a word") != std::string_view::npos);
  manager.start(task(2), launched(Runner::per_node, "exit 3"));
  manager.await<TaskStarted>(task(2));
  manager.backend->perform(GoTask{task(2), one_part(1, 1)});
  CHECK(manager.ended(task(2)).code == 3);
}

TEST_CASE("process backend: a launched program ends by its status, by a signal, or when it is asked to") {
  Fixture manager;
  manager.start(task(1), launched(Runner::per_node, "exit 3"));
  manager.start(task(2), launched(Runner::per_node, "kill -SEGV $$"));
  manager.start(task(3), launched(Runner::per_node, "sleep 1000"));
  manager.start(task(4),
                launched(Runner::per_processor, "trap 'exit 0' TERM; echo on; while :; do sleep 0.01; done"));
  for (int i = 1; i <= 4; ++i) manager.await<TaskStarted>(task(static_cast<std::uint64_t>(i)));
  for (const std::uint64_t i : {1, 2, 4}) manager.backend->perform(GoTask{task(i), one_part(1, 2)});
  CHECK(manager.await<TaskEnded>(task(1)).code == 3);
  const TaskEnded signalled = manager.await<TaskEnded>(task(2));
  CHECK(signalled.kind == EndKind::signalled);
  CHECK(signalled.code == SIGSEGV);
  manager.backend->perform(EndTask{task(3), seconds(60)});
  CHECK(manager.await<TaskEnded>(task(3)).kind == EndKind::signalled);
  REQUIRE(until([&] { return written(manager, 4) == "on\non\n"; }));
  manager.backend->perform(EndTask{task(4), seconds(60)});
  const TaskEnded heeded = manager.await<TaskEnded>(task(4));
  CHECK(heeded.kind == EndKind::exited);
  CHECK(heeded.code == 0);
}

TEST_CASE("process backend: the first copy that fails ends the others") {
  Fixture manager;
  manager.start(task(1), launched(Runner::per_processor, "test $DMM_RANK = 1 && exit 7; exec sleep 1000"));
  manager.await<TaskStarted>(task(1));
  manager.backend->perform(GoTask{task(1), one_part(1, 3)});
  const TaskEnded ended = manager.await<TaskEnded>(task(1));
  CHECK(ended.kind == EndKind::exited);
  CHECK(ended.code == 7);
}

TEST_CASE("process backend: a manager that comes later finds what is ready, and lets it go") {
  const TemporaryFolder folder;
  auto first = std::make_unique<Manager>(folder.path, seconds(60), true);
  first->start(task(1), launched(Runner::per_node, "echo ran"));
  const std::string contact = first->await<TaskStarted>(task(1)).contact;
  first->backend->leave();
  first.reset();
  Manager second(folder.path, seconds(60), true);
  second.backend->perform(KeepTasks{seconds(60)});
  CHECK(second.await<TaskStarted>(task(1)).contact == contact);
  second.backend->perform(GoTask{task(1), one_part(1, 1)});
  CHECK(second.await<TaskEnded>(task(1)).output == "ran\n");
}

}  // namespace launcher_test
