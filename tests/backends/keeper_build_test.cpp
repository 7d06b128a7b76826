// A keeper and a resource manager of different builds, as after half of an upgrade: neither reads the other's frames.
#include <csignal>

#include <doctest/doctest.h>
#include "tests/backends/process_backend_fixture.hpp"

namespace dmm::backend_test {
namespace {

// A folder with a `keeper` of its own, which a test may replace.
struct Installation {
  TemporaryFolder folder;
  std::string program = folder.path + "/keeper";
  std::string state = folder.path + "/state";

  Installation() { install(DMM_BINARY_DIR "/keeper"); }
  void install(const std::string& other) {
    std::filesystem::remove(program);
    std::filesystem::create_symlink(other, program);
  }
  // Keepers of the builds before keepers were told their manager's build end like this one.
  void install_other_build() {
    std::filesystem::remove(program);
    std::ofstream(program) << "#!/bin/sh\nexit 2\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  Opened open(bool outlive) const {
    return ProcessBackend::open(
        {.directory = state, .keeper_executable = program, .outlive = outlive, .jobs = {.isolate = false}});
  }
};

}  // namespace

TEST_CASE("keeper builds: a manager doesn't start with a keeper of another build") {
  Installation installation;
  installation.install_other_build();
  for (const bool outlive : {false, true}) {
    const Opened opened = installation.open(outlive);
    REQUIRE(opened.index() == 1);
    CHECK(std::get<1>(opened) ==
          installation.program + " is of another build than this program: install all programs of one build");
  }
}

TEST_CASE("keeper builds: the keeper refuses a manager of another build") {
  const TemporaryFolder folder;
  for (const char* const version : {"", " 7", " 7000"}) {
    const std::string command =
        DMM_BINARY_DIR "/keeper " + folder.path + " 1000000 0 fresh end" + version + " 3</dev/null 2>/dev/null";
    const int status = std::system(command.c_str());
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == keeper::other_build_exit);
  }
}

TEST_CASE(
    "keeper builds: a keeper of another build that replaces a dead one starts no task, and none is lost to it") {
  Installation installation;
  Manager manager(installation.state, installation.open(true));
  manager.shell(task(1), "sleep 1000");
  manager.await<TaskStarted>(task(1));
  installation.install_other_build();
  kill(manager.backend->keeper_process(), SIGKILL);
  CHECK(manager.ended(task(1)).kind == EndKind::lost);
  for (const std::uint64_t job : {2, 3}) {
    const TaskEnded end = manager.run_shell(task(job), "true");
    CHECK(end.kind == EndKind::start_failed);
    CHECK(end.fault == StartFault::resources);
    CHECK(end.text.view().find("of another build") != std::string::npos);
    CHECK_FALSE(end.keeper_died);
  }
  installation.install(DMM_BINARY_DIR "/keeper");
  CHECK(manager.run_shell(task(4), "echo whole").output == "whole\n");
}

}  // namespace dmm::backend_test
