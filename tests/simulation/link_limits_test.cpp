// What an owner keeps for its other borrowers by the limits of a link, and how often a borrower at its limit asks in
// vain.
#include <cstdio>
#include <string>

#include "tests/simulation/life_stage.hpp"

namespace dmm::link_limits_test {
namespace {

using namespace life_stage;

/// An owner of 8 processors, and two siblings with one processor each. `limits` are those of b at the owner.
Topology owner_of_eight(const std::string& limits) {
  return topology_of(R"({"name": "limits", "sites": [
    {"name": "owner", "clusters": [{"name": "c", "nodes": 8}], "siblings": ["b", "c"],
     "limits": [{"site": "b", )" +
                     limits + R"(}]},
    {"name": "b", "clusters": [{"name": "c", "nodes": 1}], "users": ["u"]},
    {"name": "c", "clusters": [{"name": "c", "nodes": 1}], "users": ["u"]}]})");
}

struct Hour {
  double utilisation = 0;               ///< of the owner's processors
  std::size_t started = 0, failed = 0;  ///< jobs of b
  std::uint64_t delegations = 0;        ///< messages of all kinds for these jobs, from the start on
};

Hour hour_of(World& world) {
  const Instant end = Instant{} + seconds(3600);
  world.run_until(end);
  Hour hour;
  for (const Submission& submission : world.submissions()) {
    const JobView job = view_of(world, submission);
    const bool is_of_b = submission.job_manager.site.text == "b";
    hour.failed += is_of_b && job.state == JobState::failed;
    if (!job.started || job.places.empty() || job.places[0].lease.owner.text != "owner") continue;
    hour.started += is_of_b;
    hour.utilisation += (std::min(job.ended.value_or(end), end) - *job.started).in_seconds() * job.processors;
  }
  hour.utilisation /= 8 * 3600;
  hour.delegations = world.messages_by_kind()[static_cast<std::size_t>(MessageKind::dmm)];
  return hour;
}

}  // namespace

TEST_CASE("link limits: nothing is kept for a borrower that may have nothing more, and it doesn't ask for it") {
  struct Row {
    const char* limits;
    std::uint32_t width;  ///< of b's jobs
    std::size_t failed;   ///< jobs that no owner may ever serve
  };
  for (const Row& row : {Row{R"("processors": 1)", 8, 2000}, Row{R"("processors": 1)", 2, 2000},
                         Row{R"("leases": 1)", 2, 0}, Row{R"("processors": 2)", 1, 0}}) {
    World world(owner_of_eight(row.limits), quiet_world());
    world.run_until(Instant{} + seconds(5));
    world.submit(job_manager_of(SiteName("b"), "u"), sleeper(row.width, 60, 1), 2000);
    world.submit(job_manager_of(SiteName("c"), "u"), sleeper(2, 60, 1), 4000);
    const Hour hour = hour_of(world);
    std::printf("b may have %s, and wants %u: utilisation %.4f, %llu messages of delegation\n", row.limits,
                row.width, hour.utilisation, static_cast<unsigned long long>(hour.delegations));
    CHECK(hour.utilisation >= 0.99);
    CHECK(hour.delegations <= 20 * 8 * 60);  // the owner serves this many jobs of one processor in an hour
    CHECK(hour.failed == row.failed);
  }
}

TEST_CASE("link limits: a borrower that has all that it may have asks as often as its jobs end") {
  World world(owner_of_eight(R"("processors": 2)"), quiet_world());
  world.run_until(Instant{} + seconds(5));
  world.submit(job_manager_of(SiteName("b"), "u"), sleeper(1, 300, 1), 200);
  const Hour hour = hour_of(world);
  std::printf("%zu jobs at the owner, %llu messages of delegation\n", hour.started,
              static_cast<unsigned long long>(hour.delegations));
  CHECK(hour.started >= 22);
  CHECK(hour.delegations <= 20 * hour.started);
}

}  // namespace dmm::link_limits_test
