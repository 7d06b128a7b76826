// The process that empties the folder of removed directories: one at a time, and another one for what came meanwhile.
#include "resmgr/keeper/remover.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "tests/backends/keeper_folder_stage.hpp"

namespace keeper_remover_test {

using namespace dmm;
using namespace dmm::keeper_folder;

namespace {

struct Stage : KeeperFolder {
  keeper::Remover remover;

  /// A job's directory that is put away, since the job left a file in it.
  void put_away(const std::string& name) {
    make(name);
    write("jobs/" + name + "/left", "x");
    REQUIRE(folder.remove(name));
  }
  /// Waits for the process, as the keeper does for its children.
  void wait() {
    int status = -1;
    REQUIRE(::waitpid(remover.process(), &status, 0) == remover.process());
    CHECK(status == 0);
  }
};

}  // namespace

TEST_CASE("keeper remover: a process empties the folder, and is gone when the keeper has waited for it") {
  Stage stage;
  CHECK(stage.remover.process() == 0);
  stage.put_away("a");
  stage.put_away("b");
  CHECK(stage.count("removed") == 2);
  stage.remover.start(stage.folder);
  REQUIRE(stage.remover.process() > 0);
  stage.wait();
  CHECK(stage.count("removed") == 0);
  stage.remover.ended(stage.folder);
  CHECK(stage.remover.process() == 0);
}

TEST_CASE("keeper remover: what is put away while it runs is for the next process") {
  Stage stage;
  stage.remover.start(stage.folder);
  const pid_t first = stage.remover.process();
  stage.remover.start(stage.folder);
  stage.remover.start(stage.folder);
  CHECK(stage.remover.process() == first);
  stage.wait();
  stage.put_away("a");
  stage.remover.ended(stage.folder);
  REQUIRE(stage.remover.process() > 0);
  stage.wait();
  CHECK(stage.count("removed") == 0);
  stage.remover.ended(stage.folder);
  CHECK(stage.remover.process() == 0);
}

TEST_CASE("keeper remover: after a stop no other process begins") {
  Stage stage;
  stage.remover.start(stage.folder);
  stage.remover.start(stage.folder);
  stage.remover.stop();
  stage.wait();
  stage.put_away("a");
  stage.remover.ended(stage.folder);
  CHECK(stage.remover.process() == 0);
  CHECK(stage.count("removed") == 1);
}

}  // namespace keeper_remover_test
