// Many events in one step: nodes for many requests come free, and leases of many resource managers.
#include "sitemgr/lease.hpp"
#include "tests/sitemgr/site_manager_stage.hpp"
#include "workloads/random.hpp"

namespace dmm::scale_test {
namespace {

using namespace site_stage;

SiteSettings without_size() {
  SiteSettings settings = settings_of_home();
  settings.clusters[0].nodes = 0;
  return settings;
}

/// A batch of requests of one processor each.
void ask_many(Stage& stage, std::uint64_t jobs) {
  for (std::uint64_t job = 1; job <= jobs; ++job)
    stage.manager.receive(stage.now, Received{alice, request(alice, job, 1), {}, {}}, stage.out);
  stage.settle();
}

/// A request for nodes with a GPU and this much memory; each amount is a need of its own.
Request gpu_request(std::uint64_t job, std::uint64_t memory_bytes) {
  Request asked = request(alice, job, 1);
  asked.need.constraints = Constraints{memory_bytes, {{"gpu", "yes"}}};
  return asked;
}

/// Job 1 runs on the only node with a GPU, job 2 on the eight other nodes. Jobs 1,001 to 4,000 want a GPU, each with
/// another need; job 3, which came last, wants any node. There is no neighbour to ask. Then the eight nodes come free,
/// and a pass over all needs begins.
struct LongPass : Stage {
  Grant gpu_job;

  explicit LongPass(const SiteSettings& settings) : Stage(settings) {
    down(at_south);
    Register offered;
    offered.cluster = delft;
    offered.nodes = 1;
    offered.memory_bytes = 10'000;
    offered.attributes = {{"gpu", "yes"}};
    const Party gpus = resource_manager_of(home, "gpus");
    up(gpus, true);
    hear(gpus, offered);
    hear(alice, gpu_request(1, 1));
    gpu_job = said_once<Grant>(alice);
    offer(8);
    hear(alice, request(alice, 2, 8));
    const Grant others = said_once<Grant>(alice);
    down(at_north);
    for (std::uint64_t job = 1'001; job <= 4'000; ++job)
      manager.receive(now, Received{alice, gpu_request(job, job), {}, {}}, out);
    manager.receive(now, Received{alice, request(alice, 3, 1), {}, {}}, out);
    settle_all();
    up(at_north, false);
    settle_all();
    out.messages.clear();
    hear(alice, Release{others.lease, others.nodes, false, false});
    hear(fs0, Clean{others.lease, {}});
  }
  bool is_due() const { return manager.next_deadline() <= now; }
  void settle_all() {
    for (int settles = 0; is_due(); ++settles) {
      REQUIRE(settles < 100);
      settle();
    }
  }
};

/// Groups of nodes of this many resource managers; some resource managers have several.
std::vector<NodeGroup> groups_of(Random& random, std::size_t count) {
  std::vector<NodeGroup> groups;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint32_t>(i * 10);
    const Party manager = resource_manager_of(home, "r" + std::to_string(random.below(count / 2 + 1)));
    groups.push_back({manager, delft, {{at, at + 5}}, 1, {}, static_cast<std::uint32_t>(random.below(2))});
  }
  return groups;
}

}  // namespace

TEST_CASE("scale: when many nodes come free, a step starts a thousand requests, and foreign ones come last") {
  SiteSettings settings = without_size();
  settings.owner_first = false;
  Stage stage(settings);
  ask_many(stage, 2'500);
  stage.manager.receive(stage.now, Received{at_north, delegate(job_manager_of(north, "eve"), 1, 1), {}, {}},
                        stage.out);
  Register offered;
  offered.cluster = delft;
  offered.nodes = 2'600;
  stage.manager.receive(stage.now, Received{fs0, std::move(offered), {}, {}}, stage.out);
  for (const std::size_t granted : {1'000, 1'000, 500}) {
    CHECK(stage.said<Grant>(at_north).empty());
    stage.settle();
    CHECK(stage.said<Grant>(alice).size() == granted);
    CHECK((stage.manager.next_deadline() <= stage.now) == (granted == 1'000));
  }
  CHECK(stage.said<Grant>(at_north).size() == 1);
}

TEST_CASE("scale: a strict order, too, starts a thousand requests a step, in that order") {
  SiteSettings settings = without_size();
  settings.dispatching_policy = "fcfs";
  Stage stage(settings);
  ask_many(stage, 1'200);
  stage.offer(1'300);
  std::vector<Grant> grants = stage.said<Grant>(alice);
  CHECK(grants.size() == 1'000);
  stage.pass(seconds(1));
  for (Grant& grant : stage.said<Grant>(alice)) grants.push_back(std::move(grant));
  REQUIRE(grants.size() == 1'200);
  for (std::uint64_t i = 0; i < grants.size(); ++i) CHECK(grants[i].request.job == i + 1);
}

TEST_CASE("scale: a long pass comes to all needs, and to requests that arrive or fit meanwhile") {
  SiteSettings settings = without_size();
  settings.owner_first = false;
  LongPass stage(settings);
  CHECK(stage.said<Grant>(alice).empty());
  REQUIRE(stage.is_due());
  std::vector<std::uint64_t> started;
  const auto note = [&] {
    for (const Grant& grant : stage.said<Grant>(alice)) started.push_back(grant.request.job);
  };
  SUBCASE("nothing else happens") {
    stage.settle_all();
    note();
    CHECK(started == std::vector<std::uint64_t>{3});
  }
  SUBCASE("a request comes that stands before those that were looked at") {
    Request waited = request(alice, 4, 2);
    waited.waited = seconds(100);
    stage.hear(alice, waited);
    stage.settle_all();
    note();
    std::ranges::sort(started);
    CHECK(started == std::vector<std::uint64_t>{3, 4});
  }
  SUBCASE("the node comes free that the others want") {
    stage.hear(alice, Release{stage.gpu_job.lease, stage.gpu_job.nodes, false, false});
    stage.hear(resource_manager_of(home, "gpus"), Clean{stage.gpu_job.lease, {}});
    stage.settle_all();
    note();
    CHECK(std::ranges::count(started, 3) == 1);
    CHECK(started.size() == 2);
  }
  CHECK_FALSE(stage.is_due());
}

TEST_CASE("scale: a site lends to neighbours, and asks them, once a long pass is over") {
  SiteSettings settings = without_size();
  settings.owner_first = false;
  LongPass stage(settings);
  stage.said<Delegate>(at_north);
  stage.manager.receive(stage.now, Received{at_north, delegate(job_manager_of(north, "eve"), 1, 1), {}, {}},
                        stage.out);
  stage.manager.receive(stage.now, LinkUp{at_south, false, {}, {}}, stage.out);
  stage.settle();
  REQUIRE(stage.is_due());
  CHECK(stage.said<Grant>(at_north).empty());
  CHECK(stage.said<Delegate>(at_south).empty());
  stage.settle_all();
  CHECK(stage.said<Grant>(alice).size() == 1);
  CHECK(stage.said<Grant>(at_north).size() == 1);
  CHECK_FALSE(stage.said<Delegate>(at_south).empty());
}

namespace {

/// Jobs 1 and 2 run on six of eight processors. Job 4 overtakes the wide job 3, which then waits for 11 s.
void let_overtake(Stage& stage, Request wide) {
  stage.hear(alice, request(alice, 1, 4));
  stage.hear(alice, request(alice, 2, 2));
  stage.said<Grant>(alice);
  stage.hear(alice, std::move(wide));
  stage.hear(alice, request(alice, 4, 1));
  CHECK(stage.said_once<Grant>(alice).request.job == 4);
  stage.pass(seconds(11));
}

}  // namespace

TEST_CASE("scale: a request ahead of one that may not be overtaken lets later ones overtake it") {
  SiteSettings settings = settings_of_home();
  settings.dispatching_policy = "priority";
  settings.delegate = false;
  settings.overtaken_limit = seconds(10);
  Stage stage(settings);
  stage.offer(8);
  let_overtake(stage, request(alice, 3, 8));
  stage.hear(alice, request(alice, 5, 1));
  CHECK(stage.said<Grant>(alice).empty());
  Request urgent = request(alice, 6, 7);
  urgent.priority = 1;
  stage.hear(alice, urgent);
  CHECK(stage.said_once<Grant>(alice).request.job == 5);
}

TEST_CASE("scale: a request that leaves on a delegation behind the one that blocks it calls for no further pass") {
  SiteSettings settings = settings_of_home();
  settings.overtaken_limit = seconds(10);
  Stage stage(settings);
  stage.offer(8);
  Request wide = request(alice, 3, 8);
  wide.dttl = 0;
  let_overtake(stage, wide);
  stage.hear(alice, request(alice, 5, 1));  // the wide job blocks it now, so it goes to a neighbour
  CHECK(stage.said<Grant>(alice).empty());
  CHECK(stage.asked_next().second.request.id.job == 5);
  CHECK(stage.manager.next_deadline() > stage.now);
}

TEST_CASE("scale: a request that was kept for the next pass, and didn't start in it, goes to neighbours") {
  SiteSettings settings = settings_of_home();
  settings.matchmaking_cycle = seconds(10);
  Stage stage(settings);
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 6));
  stage.hear(alice, request(alice, 2, 4));
  CHECK(stage.said<Delegate>(at_north).size() + stage.said<Delegate>(at_south).size() == 0);
  stage.pass(seconds(10));
  CHECK(stage.said_once<Grant>(alice).request.job == 1);
  CHECK(stage.asked_next().second.request.id.job == 2);
}

TEST_CASE("scale: many groups of nodes are added and removed as each by itself would be") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const std::vector<NodeGroup> all = groups_of(random, 40);
    std::vector<NodeGroup> some;
    for (const NodeGroup& group : all) {
      if (random.chance(0.3)) continue;
      some.push_back(group);
      if (random.chance(0.5)) some.back().nodes = {{group.nodes[0].first, group.nodes[0].first + 2}};
    }
    std::vector<NodeGroup> left = all, left_one_by_one = all, removed_one_by_one;
    const std::vector<NodeGroup> removed = remove_nodes(left, some);
    for (const NodeGroup& group : some)
      for (NodeGroup& gone : remove_nodes(left_one_by_one, {group})) removed_one_by_one.push_back(std::move(gone));
    CHECK(left == left_one_by_one);
    CHECK(removed == removed_one_by_one);

    std::vector<NodeGroup> together, merged;
    add_nodes(together, all);
    for (const NodeGroup& added : all) {
      const auto same = std::ranges::find_if(merged, [&](const NodeGroup& group) {
        return group.resource_manager == added.resource_manager && group.component == added.component;
      });
      if (same == merged.end())
        merged.push_back(added);
      else
        same->nodes = unite(same->nodes, added.nodes);
    }
    CHECK(together == merged);
  }
}

}  // namespace dmm::scale_test
