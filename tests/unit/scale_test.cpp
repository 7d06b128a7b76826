// Where much happens at once: nodes for many come free in one step, and leases of many resource managers.
#include "sitemgr/lease.hpp"
#include "tests/unit/site_manager_stage.hpp"
#include "workloads/random.hpp"

namespace dmm {
namespace {

using namespace site_stage;

SiteSettings without_size() {
  SiteSettings settings = settings_of_home();
  settings.clusters[0].nodes = 0;
  return settings;
}

/// Requests of one processor come in one batch.
void ask_many(Stage& stage, std::uint64_t jobs) {
  for (std::uint64_t job = 1; job <= jobs; ++job)
    stage.manager.receive(stage.now, Received{alice, request(alice, job, 1), {}, {}}, stage.out);
  stage.settle();
}

/// Groups of nodes of so many resource managers, several of some of them.
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

TEST_CASE("where nodes for many come free at once, a step starts a thousand of them, and foreign ones come after all") {
  SiteSettings settings = without_size();
  settings.owner_first = false;
  Stage stage(settings);
  ask_many(stage, 2'500);
  stage.manager.receive(stage.now, Received{at_north, delegate(job_manager_of(north, "eve"), 1, 1), {}, {}}, stage.out);
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

TEST_CASE("a strict order starts a thousand a step, too, in that order") {
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

TEST_CASE("many groups of nodes are added and removed as each by itself would be") {
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

}  // namespace dmm
