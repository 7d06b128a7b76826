// The resource manager and the output of its tasks: reported, read, and kept until it is forgotten.
#include "tests/resmgr/resource_manager_stage.hpp"

namespace resource_manager_output_test {

using namespace dmm;
using namespace dmm::resmgr_stage;

TEST_CASE("resource manager: an outcome that isn't fetched is kept for an hour") {
  Stage stage = Stage::running();
  stage.end(job(1));
  stage.wait(seconds(3599));
  CHECK(stage.ordered<RemoveTask>().empty());
  stage.wait(seconds(1));
  CHECK(stage.ordered<RemoveTask>().size() == 1);
  stage.forget_effects();
  stage.hear(alice, Fetch{job(1), 0, Stream::output, 0});
  const auto chunks = stage.said<Chunk>(alice);
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].last);
  CHECK(chunks[0].data.empty());
}

TEST_CASE("resource manager: an outcome that is being fetched is kept for an hour after the last piece [S145]") {
  Stage stage = Stage::running();
  stage.end(job(1));
  stage.wait(seconds(3000));
  stage.hear(alice, Fetch{job(1), 0, Stream::output, 0});
  stage.wait(seconds(3000));
  CHECK(stage.ordered<RemoveTask>().empty());
  stage.wait(seconds(600));
  CHECK(stage.ordered<RemoveTask>().size() == 1);
}

TEST_CASE("resource manager: that a task has written is told once, until it was fetched [S143a] [S143b]") {
  Stage stage = Stage::running();
  const TaskId id{job(1), 0};
  stage.put(OutputGrew{id, 5, 0});
  CHECK(stage.said<Grown>(alice).empty());  // its job manager doesn't want it
  Start again = start(lease(1), job(1), {{0, 1}});
  again.streams = true;
  stage.hear(alice, again);
  CHECK(stage.said<Grown>(alice).at(0).output_bytes == 5);
  stage.put(OutputGrew{id, 7, 1});
  CHECK(stage.said<Grown>(alice).empty());
  stage.hear(alice, Fetch{job(1), 0, Stream::output, 0, true});
  stage.put(OutputRead{id, Stream::output, 0, "1234567", 7});
  const auto pieces = stage.said<Piece>(alice);
  REQUIRE(pieces.size() == 1);
  CHECK((pieces[0].data == "1234567" && pieces[0].size == 7 && !pieces[0].last));
  CHECK(stage.said<Grown>(alice).at(0).error_bytes == 1);  // the other stream is still to be reported
  stage.hear(alice, Fetch{job(1), 0, Stream::error, 0, true});
  stage.put(OutputRead{id, Stream::error, 0, "e", 1});
  stage.put(OutputGrew{id, 8, 1});
  CHECK(stage.said<Grown>(alice).at(0).output_bytes == 8);
  stage.end(job(1));
  stage.hear(alice, Fetch{job(1), 0, Stream::output, 7, true});
  stage.put(OutputRead{id, Stream::output, 7, "8", 8});
  CHECK(stage.said<Piece>(alice).back().last);
}

TEST_CASE("resource manager: what hasn't begun has no output, and what runs can't be forgotten [S143]") {
  Stage stage = Stage::running();
  stage.hear(alice, start(lease(7), job(2), {{4, 5}}));
  stage.hear(alice, Fetch{job(2), 0, Stream::output, 0});
  CHECK(stage.said<Fault>(alice).at(0).about == Fetch::type);
  stage.hear(alice, Forget{job(1)});
  CHECK(stage.manager.view().tasks.size() == 2);
  CHECK(stage.ordered<RemoveTask>().empty());
}

}  // namespace resource_manager_output_test
