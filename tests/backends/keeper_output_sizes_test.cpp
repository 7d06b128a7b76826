// What jobs have written, as the manager is told: only what grew since the last report.
#include "resmgr/keeper/output_sizes.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/backends/keeper_folder_stage.hpp"

namespace keeper_output_sizes_test {

using namespace dmm;
using namespace dmm::keeper_folder;

namespace {

struct Stage : KeeperFolder {
  keeper::RunningJobs jobs;
  keeper::OutputSizes sizes;

  void run(std::uint64_t serial, const std::string& name) {
    make(name);
    jobs[serial].order.directory = name;
  }
  /// What the manager is told, by serial number: "1:3+0 2:0+5".
  std::string look() {
    std::vector<keeper::OutputSize> grown = sizes.look(jobs, folder);
    std::ranges::sort(grown, {}, &keeper::OutputSize::serial);
    std::string text;
    for (const keeper::OutputSize& one : grown)
      text += (text.empty() ? "" : " ") + std::to_string(one.serial) + ':' + std::to_string(one.output_bytes) +
              '+' + std::to_string(one.error_bytes);
    return text;
  }
};

}  // namespace

TEST_CASE("output sizes: jobs that wrote something since the last look, with the lengths of both streams") {
  Stage stage;
  stage.run(1, "a");
  stage.run(2, "b");
  CHECK(stage.look() == "");
  stage.write("jobs/a/output", "abc");
  CHECK(stage.look() == "1:3+0");
  CHECK(stage.look() == "");
  stage.write("jobs/a/error", "d");
  stage.write("jobs/b/error", "efghi");
  CHECK(stage.look() == "1:3+1 2:0+5");
  std::filesystem::resize_file(stage.path("jobs/a/output"), 1);  // the job emptied it, and wrote again
  CHECK(stage.look() == "1:1+1");
}

TEST_CASE("output sizes: another manager is told all, and a forgotten job is told whole") {
  Stage stage;
  stage.run(1, "a");
  stage.run(2, "b");
  for (const char* name : {"jobs/a/output", "jobs/b/output"}) stage.write(name, "abc");
  CHECK(stage.look() == "1:3+0 2:3+0");
  stage.sizes.forget(1);
  CHECK(stage.look() == "1:3+0");
  stage.sizes.forget_all();
  CHECK(stage.look() == "1:3+0 2:3+0");
}

TEST_CASE("output sizes: a job with streams that aren't held has written nothing, as far as is known") {
  Stage stage;
  stage.run(1, "a");
  stage.folder.release_streams("a");
  stage.write("jobs/a/output", "abc");
  CHECK(stage.look() == "");
}

TEST_CASE("output sizes: the next look is half a second after the last one") {
  Stage stage;
  CHECK(stage.sizes.next_look() <= keeper::now());
  const keeper::Clock before = keeper::now();
  stage.look();
  CHECK(stage.sizes.next_look() >= before + 500'000);
  CHECK(stage.sizes.next_look() <= keeper::now() + 500'000);
}

}  // namespace keeper_output_sizes_test
