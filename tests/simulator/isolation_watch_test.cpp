// Programs of isolated resource managers: which of them should have been ended by now.
#include "simulator/faults/isolation_watch.hpp"

#include "tests/simulation/life_stage.hpp"

namespace isolation_watch_test {

using namespace dmm;
using namespace dmm::life_stage;
using Kind = Act::Kind;

namespace {

const Party user = job_manager_of(SiteName("alpha"), "ann"), nodes = resource_manager_of(SiteName("alpha"), "c"),
            site = site_manager_of(SiteName("alpha"));

/// A site with a program that runs. The watch is told of acts that aren't performed: the program runs on.
struct Stage {
  World world{topology_of(R"({"name": "one", "sites": [
    {"name": "alpha", "clusters": [{"name": "c", "nodes": 4}], "users": ["ann"]}]})"),
              quiet_world()};
  IsolationWatch watch;

  Stage() {
    world.submit(user, sleeper(1, 100'000));
    world.run_until(Instant{} + seconds(10));
    REQUIRE(world.performer(nodes).runs_anything());
  }
  std::string note(Kind kind, const Party& a, const Party& b = {}) {
    Act act;
    act.kind = kind;
    act.a = a;
    act.b = b;
    return watch.note(world, act);
  }
};

}  // namespace

TEST_CASE("isolation watch: a program may run for 33 s while its resource manager hears no manager") {
  struct Row {
    std::int64_t isolated;  ///< seconds until the resource manager rejoins
    bool faulty;
  };
  for (const Row& row : {Row{1, false}, Row{33, false}, Row{34, true}, Row{500, true}}) {
    CAPTURE(row.isolated);
    Stage stage;
    CHECK(stage.note(Kind::isolate, nodes) == "");
    stage.world.run_until(stage.world.now() + seconds(row.isolated));
    const std::string fault = stage.note(Kind::rejoin, nodes);
    CHECK((fault.find("runs on at") != std::string::npos) == row.faulty);
    CHECK(fault.empty() == !row.faulty);
    CHECK(stage.note(Kind::rejoin, nodes) == "");
  }
}

TEST_CASE("isolation watch: acts after which a resource manager may hear a manager again") {
  struct Row {
    const char* what;
    Kind kind;
    Party a, b;
    bool faulty;  ///< when it rejoins after that act
  };
  const Row rows[] = {
      {"another one is healed", Kind::heal, user, site, true},
      {"it is healed", Kind::heal, site, nodes, false},
      {"it is restarted", Kind::restart, nodes, {}, false},
      {"it is cut off once more", Kind::cut, nodes, site, true},
      {"another one rejoins", Kind::rejoin, user, {}, false},
      {"a job manager is isolated", Kind::isolate, user, {}, true},
      {"it is isolated again, and the time begins again", Kind::isolate, nodes, {}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Stage stage;
    stage.note(Kind::isolate, nodes);
    stage.world.run_until(stage.world.now() + seconds(30));
    CHECK(stage.note(row.kind, row.a, row.b) == "");
    stage.world.run_until(stage.world.now() + seconds(30));
    CHECK(!stage.note(Kind::rejoin, nodes).empty() == row.faulty);
  }
}

TEST_CASE("isolation watch: a resource manager without programs may be isolated for long") {
  Stage stage;
  stage.world.cancel(user, 1);
  stage.world.run_until(stage.world.now() + seconds(10));
  REQUIRE_FALSE(stage.world.performer(nodes).runs_anything());
  stage.note(Kind::isolate, nodes);
  stage.world.run_until(stage.world.now() + seconds(60));
  CHECK(stage.note(Kind::rejoin, nodes) == "");
}

}  // namespace isolation_watch_test
