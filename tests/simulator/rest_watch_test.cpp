// Whether a run comes to rest, in a simulated world with one node.
#include "simulator/faults/rest_watch.hpp"

#include "tests/simulation/life_stage.hpp"

namespace rest_watch_test {

using namespace dmm;
using namespace dmm::life_stage;

namespace {

const Party user = job_manager_of(SiteName("alpha"), "ann");

Instant at(std::int64_t of_run) { return Instant{} + seconds(of_run); }

struct Stage {
  World world{topology_of(R"({"name": "one", "sites": [
    {"name": "alpha", "clusters": [{"name": "c", "nodes": 1}], "users": ["ann"]}]})"),
              quiet_world()};
  RestWatch watch;

  void look(std::int64_t of_run) {
    world.run_until(at(of_run));
    watch.look(world);
  }
  /// What is wrong at each second until then; empty if nothing is.
  std::string check_until(std::int64_t of_run) {
    std::string fault;
    while (fault.empty() && world.now() < at(of_run)) {
      world.run_until(world.now() + seconds(1));
      fault = watch.check_homecoming(world);
    }
    return fault;
  }
};

}  // namespace

TEST_CASE("rest watch: the time since something ran, and since a job ended") {
  Stage stage;
  stage.watch.begin(at(3));
  CHECK(stage.watch.ran() == at(3));
  CHECK(stage.watch.ended() == at(3));
  stage.look(5);  // there is no job
  CHECK(stage.watch.ran() == at(3));
  stage.world.submit(user, sleeper(1, 30));
  stage.look(10);  // there is one more open job
  CHECK(stage.watch.ended() == at(10));
  stage.look(20);
  CHECK(stage.watch.ran() == at(20));  // it runs
  CHECK(stage.watch.ended() == at(10));
  stage.look(60);
  CHECK(stage.watch.ended() == at(60));  // it is over
  stage.look(70);
  CHECK(stage.watch.ran() == at(60));
  stage.watch.go_on(at(80));
  CHECK(stage.watch.ran() == at(80));
  CHECK(stage.watch.ended() == at(60));
}

TEST_CASE("rest watch: a job that ran between two looks ended, and one that only waits doesn't run") {
  Stage stage;
  stage.watch.begin(at(0));
  stage.world.submit(user, sleeper(1, 2));
  stage.look(1);
  stage.look(20);
  CHECK(stage.watch.ended() == at(20));
  CHECK(stage.watch.ran() == at(20));
  stage.world.cut(site_manager_of(SiteName("alpha")), user);
  stage.world.submit(user, sleeper(1, 2));
  stage.look(30);
  stage.look(40);
  CHECK(stage.watch.ran() == at(30));
}

TEST_CASE("rest watch: nodes have to be home 7 s after the last job") {
  Stage stage;
  stage.world.submit(user, sleeper(1, 30));
  CHECK(stage.check_until(100) == "");
  stage.world.submit(user, sleeper(1, 30));
  CHECK(stage.check_until(120) == "");
  stage.world.pause(site_manager_of(SiteName("alpha")));  // it hears nothing of the release
  CHECK(stage.check_until(137) == "");
  CHECK(stage.check_until(145) == "all jobs ended and nodes didn't come home");
  stage.world.resume(site_manager_of(SiteName("alpha")));
  stage.world.run_until(at(200));
  CHECK(stage.check_until(220) == "");
}

}  // namespace rest_watch_test
