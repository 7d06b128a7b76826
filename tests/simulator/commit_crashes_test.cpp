// Managers that crash in the midst of a commit and come back, in a simulated world.
#include "simulator/faults/commit_crashes.hpp"

#include "tests/simulation/life_stage.hpp"

namespace commit_crashes_test {

using namespace dmm;
using namespace dmm::life_stage;

namespace {

const Party alpha = site_manager_of(SiteName("alpha")), ann = job_manager_of(SiteName("alpha"), "ann");

WorldSettings with_ledgers() {
  WorldSettings settings = quiet_world();
  settings.ledgers = true;
  return settings;
}

/// A site with slow disks, after ten quiet seconds.
struct Stage {
  World world{topology_of(R"({"name": "one", "sites": [
    {"name": "alpha", "clusters": [{"name": "c", "nodes": 4}], "users": ["ann"]}]})"),
              with_ledgers()};
  CommitCrashes crashes;

  Stage() {
    world.run_until(Instant{} + seconds(10));
    for (const Party& party : {alpha, ann}) world.slow_disk(party, seconds(1));
  }
  /// Goes on until a manager crashes, for at most a minute.
  std::vector<Party> crash() {
    const Instant end = world.now() + seconds(60);
    while (world.now() < end && world.step())
      if (auto crashed = crashes.crash(world); !crashed.empty()) return crashed;
    return {};
  }
};

}  // namespace

TEST_CASE("commit crashes: a doomed manager crashes in its next commit, once, and comes back in time") {
  Stage stage;
  World& world = stage.world;
  stage.crashes.doom(alpha, seconds(5));
  CHECK(stage.crashes.has_doomed());
  CHECK(stage.crashes.crash(world).empty());  // it commits nothing now
  CHECK(stage.crashes.next_back() == never);
  world.submit(ann, sleeper(1, 20));
  REQUIRE(stage.crash() == std::vector{alpha});
  const Instant back = world.now() + seconds(5);
  CHECK_FALSE(world.is_up(alpha));
  CHECK(world.is_up(ann));
  CHECK_FALSE(stage.crashes.has_doomed());
  CHECK(stage.crashes.next_back() == back);
  stage.crashes.bring_back(world);
  CHECK_FALSE(world.is_up(alpha));  // too early
  world.run_until(back);
  stage.crashes.bring_back(world);
  CHECK(world.is_up(alpha));
  CHECK(stage.crashes.next_back() == never);
  CHECK(stage.crash().empty());
  CHECK(view_of(world, world.submissions().at(0)).state == JobState::finished);
}

TEST_CASE("commit crashes: a manager that was started meanwhile is left alone") {
  Stage stage;
  stage.crashes.doom(alpha, seconds(5));
  stage.world.submit(ann, sleeper(1, 20));
  REQUIRE(stage.crash() == std::vector{alpha});
  stage.world.restart(alpha);
  const std::uint64_t starts = stage.world.starts_of(alpha);
  stage.world.run_until(stage.crashes.next_back());
  stage.crashes.bring_back(stage.world);
  CHECK(stage.world.starts_of(alpha) == starts);
}

TEST_CASE("commit crashes: after the end of faults no manager crashes or comes back") {
  Stage stage;
  stage.crashes.doom(alpha, seconds(5));
  stage.crashes.doom(ann, seconds(7));
  stage.world.submit(ann, sleeper(1, 20));
  REQUIRE(stage.crash().size() == 1);
  stage.crashes.clear();
  CHECK_FALSE(stage.crashes.has_doomed());
  CHECK(stage.crashes.next_back() == never);
  CHECK(stage.crash().empty());
}

}  // namespace commit_crashes_test
