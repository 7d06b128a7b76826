// The links between clusters: every equation of Jones et al. 2004, section 3, against values worked out by hand in the
// comments; and what must hold for any allotment.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "matchmaking/link_allotment.hpp"
#include "matchmaking/link_demand.hpp"
#include "simulator/architectures/engine.hpp"
#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/table.hpp"
#include "simulator/intercluster/links.hpp"
#include "simulator/intercluster/residual.hpp"
#include "workloads/mini_grid.hpp"
#include "workloads/random.hpp"

namespace intercluster_test {

using namespace dmm;
using doctest::Approx;

namespace {

constexpr Instant at(double t) { return Instant{} + from_seconds(t); }

StreamJob job_of(std::uint64_t number, std::uint32_t processors, double run) {
  return {.number = number, .run = from_seconds(run), .estimate = from_seconds(run), .processors = processors};
}

/// Starts a job on the floor now, half of it in each of two clusters.
void start_halves(Floor& floor, const StreamJob& job, std::uint32_t a, std::uint32_t b) {
  floor.submitted(job);
  const std::vector<ClusterShare> pieces = {{a, job.processors / 2}, {b, job.processors / 2}};
  floor.start(job, pieces);
}

/// Ends the job that ends next: its number, and the time in seconds.
std::pair<std::uint64_t, double> end_next(Floor& floor) {
  floor.set_now(floor.next_end());
  const RunningJob& job = floor.end_next();
  CHECK(job.end == floor.now());
  return {job.job.number, (job.end - Instant{}).in_seconds()};
}

/// Two jobs of 50 processors and 100 s in halves on the same two clusters, the second 40 s after the first.
Floor two_jobs(const Grid& grid, const Execution& execution) {
  Floor floor(grid, execution);
  start_halves(floor, job_of(1, 50, 100), 0, 1);
  floor.set_now(at(40));
  start_halves(floor, job_of(2, 50, 100), 0, 1);
  return floor;
}

}  // namespace

TEST_CASE("equation 1: what a job needs on each of its links") {
  // 50 processors that each send 7.84: (50 - 25) / 49 x 7.84 x 25 = 25 x 25 x 0.16 = 100.
  CHECK(link_demand(50, 25, 7.84) == Approx(100).epsilon(1e-12));
  // 10 processors as 8 + 2, each sends 9: 2 / 9 x 9 x 8 = 16 and 8 / 9 x 9 x 2 = 16. Between two clusters both links
  // carry the same.
  CHECK(link_demand(10, 8, 9) == Approx(16));
  CHECK(link_demand(10, 2, 9) == Approx(16));
  // 10 as 5 + 3 + 2, each sends 9: 5 x 5 = 25, 7 x 3 = 21, 8 x 2 = 16.
  CHECK(link_demand(10, 5, 9) == Approx(25));
  CHECK(link_demand(10, 3, 9) == Approx(21));
  CHECK(link_demand(10, 2, 9) == Approx(16));
  // The whole job is in one cluster: nothing leaves it.
  CHECK(link_demand(10, 10, 9) == 0);
}

TEST_CASE("equation 7: what a processor sends, from the bisection bandwidth") {
  // 100 x 4 x 9 / 100 = 36; 100 x 4 x 49 / 2500 = 7.84; 100 x 4 x 89 / 8100 = 4.39506...
  CHECK(per_processor_bandwidth(100, 10) == Approx(36.0).epsilon(1e-12));
  CHECK(per_processor_bandwidth(100, 50) == Approx(7.84).epsilon(1e-12));
  CHECK(per_processor_bandwidth(100, 90) == Approx(4.3951).epsilon(1e-5));
  // A job of 50 in halves needs its bisection bandwidth on both links, whatever its size.
  CHECK(link_demand(50, 25, per_processor_bandwidth(100, 50)) == Approx(100).epsilon(1e-12));
  CHECK(link_demand(90, 45, per_processor_bandwidth(100, 90)) == Approx(100).epsilon(1e-12));
}

TEST_CASE("equation 2: saturation") {
  const std::vector<JobDemand> jobs = {{{0, 150}, {1, 150}}, {{1, 50}, {2, 50}}};
  const std::vector<double> demand = total_demand(4, jobs);
  CHECK(demand == std::vector<double>{150, 200, 50, 0});
  CHECK(saturation(100, demand[0]) == Approx(2.0 / 3));
  CHECK(saturation(100, demand[1]) == 0.5);
  CHECK(saturation(100, demand[2]) == 2.0);  // not saturated
  CHECK(saturation(100, demand[3]) == std::numeric_limits<double>::infinity());
}

TEST_CASE("intercluster: the five steps of the allotment give the values worked out by hand") {
  const std::vector<double> links(4, 100.0);
  const auto shares = [&](const std::vector<JobDemand>& jobs) { return allot(links, jobs); };

  SUBCASE("no link is saturated, up to the last megabit") {
    CHECK(shares({{{0, 60}, {1, 60}}, {{0, 40}, {2, 40}}}) == std::vector<double>{1, 1});
    CHECK(shares({}).empty());
  }
  SUBCASE("one link too many jobs") {
    CHECK(shares({{{0, 100}, {1, 100}}, {{1, 100}, {2, 100}}}) == std::vector<double>{0.5, 0.5});
  }
  SUBCASE("the ratio is that of the free jobs, not that of all") {
    // Ratios: link 0 100/150 = 0.667, link 1 100/200 = 0.5, link 2 100/130 = 0.769, link 3 100/80. Link 1 holds
    // the first two jobs to 0.5; on link 2 the second leaves 100 - 25 = 75 for the third: 75/80 = 0.9375. By the
    // ratio of equation 2 it would get 0.769, and 13.5 of link 2 would be left idle.
    CHECK(shares({{{0, 150}, {1, 150}}, {{1, 50}, {2, 50}}, {{2, 80}, {3, 80}}}) ==
          std::vector<double>{0.5, 0.5, 0.9375});
  }
  SUBCASE("what a constrained job leaves can be enough") {
    // Link 0: 100/200 = 0.5 limits the first job. It leaves 100 - 50 = 50 of link 1, which is all that the second
    // needs.
    CHECK(shares({{{0, 200}, {1, 100}}, {{1, 50}, {2, 50}}}) == std::vector<double>{0.5, 1});
  }
  SUBCASE("links of different capacity") {
    const std::vector<double> uneven = {100, 10};
    CHECK(allot(uneven, std::vector<JobDemand>{{{0, 40}, {1, 40}}}) == std::vector<double>{0.25});
  }
}

TEST_CASE(
    "intercluster: any allotment has no link above its capacity, and one full link for each job that is held") {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const auto links = static_cast<std::uint32_t>(2 + random.below(6));
    std::vector<double> capacities(links);
    for (double& capacity : capacities) capacity = 50 + 100 * random.uniform();
    std::vector<JobDemand> jobs(1 + random.below(8));
    for (JobDemand& job : jobs) {
      for (std::uint32_t link = 0; link < links; ++link)
        if (random.chance(0.4)) job.push_back({link, 1 + 80 * random.uniform()});
    }
    const std::vector<double> shares = allot(capacities, jobs);
    std::vector<double> used(links, 0.0);
    std::vector<double> greatest(links, 0.0);  // share on each link
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      for (const LinkDemand& demand : jobs[j]) {
        used[demand.link] += shares[j] * demand.megabits;
        greatest[demand.link] = std::max(greatest[demand.link], shares[j]);
      }
    }
    for (std::uint32_t link = 0; link < links; ++link) CHECK(used[link] <= capacities[link] * (1 + 1e-12));
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      CHECK(shares[j] > 0);
      CHECK(shares[j] <= 1);
      const auto is_bottleneck = [&](const LinkDemand& demand) {
        return used[demand.link] >= capacities[demand.link] * (1 - 1e-12) && greatest[demand.link] == shares[j];
      };
      CHECK((shares[j] == 1 || std::any_of(jobs[j].begin(), jobs[j].end(), is_bottleneck)));
    }
  }
}

TEST_CASE("equations 4 to 6: what is left as the share changes") {
  // 100 s with K = 0.7: 70 + 30. At half of its bandwidth: 70 + 60 = 130.
  const Residual start = residual_at_start(100, 0.7);
  CHECK(start.computation == Approx(70));
  CHECK(start.communication == Approx(30));
  const Residual held = residual_after(start, 0, 1, 0.5);
  CHECK(held.computation == Approx(70));
  CHECK(held.communication == Approx(60));
  // 65 s later half of both parts is over: 35 + 30; at full bandwidth again 35 + 15 = 50.
  const Residual freed = residual_after(held, 65, 0.5, 1);
  CHECK(freed.computation == Approx(35));
  CHECK(freed.communication == Approx(15));
  // At its end, and half a tick of the clock later, nothing is left.
  CHECK(residual_after(freed, 50, 1, 0.5).total() == Approx(0));
  CHECK(residual_after(freed, 50.0000005, 1, 0.5).total() == 0);
  CHECK(residual_after({}, 0, 1, 0.5).total() == 0);
}

TEST_CASE("intercluster: ends slide forward when a job joins the link, and back when one leaves it") {
  const Grid grid = equal_clusters(3, 100);
  // Each job needs 1000 on both links, all that they carry. For 40 s the first runs at full speed, and has 42 + 18
  // left. Then both get half: 42 + 36 = 78, so it ends at 118 instead of 100; the second would run 70 + 60 = 130,
  // to 170. At 118 it has 40 % left, 28 + 24; alone it needs 28 + 12 = 40, and ends at 158.
  Floor floor = two_jobs(grid, SharedLinks{.bandwidth_megabits = 1000});
  CHECK(floor.next_end() == at(118));
  CHECK(floor.running()[1]->end == at(170));
  CHECK(floor.link_sample()[0].load == Approx(2));
  CHECK(floor.link_sample()[2].load == 0);
  CHECK(end_next(floor) == std::pair<std::uint64_t, double>(1, 118));
  CHECK(floor.running()[0]->end == at(158));
  CHECK(floor.link_sample()[0].load == Approx(1));
  CHECK(end_next(floor) == std::pair<std::uint64_t, double>(2, 158));
  CHECK(floor.next_end() == never);
}

TEST_CASE("intercluster: only jobs that share a full link slide") {
  const Grid grid = equal_clusters(4, 100);
  SUBCASE("a link that is not full") {
    Floor floor = two_jobs(grid, SharedLinks{.bandwidth_megabits = 500});
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(1, 100));
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(2, 140));
  }
  SUBCASE("other links, and jobs within one cluster") {
    Floor floor(grid, SharedLinks{.bandwidth_megabits = 1000});
    start_halves(floor, job_of(1, 50, 100), 0, 1);
    start_halves(floor, job_of(2, 50, 90), 2, 3);
    const StreamJob whole = job_of(3, 50, 80);
    floor.submitted(whole);
    floor.start(whole, 0);
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(3, 80));
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(2, 90));
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(1, 100));
  }
  SUBCASE("two pieces in one cluster use no link") {
    Floor floor(grid, SharedLinks{.bandwidth_megabits = 5000});
    start_halves(floor, job_of(1, 50, 100), 1, 1);
    CHECK(floor.link_sample()[1].load == 0);
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(1, 100));
  }
}

TEST_CASE("intercluster: a job on its own is held by a link that is too narrow") {
  // 2500 needed of 1000: a share of 0.4, so 70 + 30 / 0.4 = 145 s. The bandwidth of each processor states the same
  // demand: 25 x 25 / 49 x 196 = 2500.
  const Grid grid = equal_clusters(2, 100);
  for (const SharedLinks& settings :
       {SharedLinks{.bandwidth_megabits = 2500},
        SharedLinks{.bandwidth_kind = BandwidthKind::per_processor, .bandwidth_megabits = 196}}) {
    Floor floor(grid, settings);
    start_halves(floor, job_of(1, 50, 100), 0, 1);
    CHECK(end_next(floor) == std::pair<std::uint64_t, double>(1, 145));
  }
}

TEST_CASE(
    "intercluster: K = 1 and unlimited links have no effect; a fixed penalty slows all co-allocated jobs alike") {
  const Grid grid = equal_clusters(2, 100);
  const auto ends = [&](const Execution& execution) {
    Floor floor = two_jobs(grid, execution);
    const StreamJob whole = job_of(3, 20, 200);
    floor.submitted(whole);
    floor.start(whole, 1);  // at 40
    std::vector<double> all;
    while (floor.next_end() != never) all.push_back(end_next(floor).second);
    return all;
  };
  CHECK(ends(PlainExecution{}) == std::vector<double>{100, 140, 240});
  CHECK(ends(SharedLinks{.bandwidth_megabits = 8000, .computation_share = 1}) ==
        std::vector<double>{100, 140, 240});
  CHECK(ends(SharedLinks{.bandwidth_megabits = 0}) == std::vector<double>{100, 140, 240});
  CHECK(ends(FixedPenalty{1.25}) == std::vector<double>{125, 165, 240});
}

TEST_CASE("intercluster: every architecture runs on shared links") {
  // Whichever jobs are co-allocated, all end, and none ends before its run time within one cluster is over.
  const Grid grid = equal_clusters(3, 100);
  for (const ArchitectureEntry& entry : architectures()) {
    CAPTURE(entry.name);
    std::uint64_t finished = 0, coallocated = 0, stretched = 0;
    const auto outcome = [&](const SimulatedOutcome& done) {
      finished += done.outcome.state == JobOutcome::State::finished ? 1 : 0;
      const double ran = done.outcome.end_seconds - done.outcome.start_seconds;
      const double run = done.job.run.in_seconds();
      CHECK(ran > run - 1e-5);
      if (ran > run + 1e-5) ++stretched;
      if (done.pieces.size() > 1) ++coallocated;
    };
    double load = 0;
    run_model({.grid = grid,
               .architecture = entry,
               .jobs = mini_grid_jobs({.clusters = 3, .jobs_per_cluster = 100}),
               .options = {.sample_every = seconds(600), .execution = SharedLinks{.bandwidth_megabits = 1500}},
               .sinks = {.outcome = outcome, .sample = [&](const Sample& sample) {
                           REQUIRE(sample.links.size() == 3);
                           for (const LinkSample& link : sample.links) load = std::max(load, link.load);
                         }}});
    CHECK(finished == 300);
    CHECK(stretched <= coallocated);
    if (entry.name == "bfff") CHECK(stretched > 50);
    CHECK((load > 0) == (coallocated > 0));
  }
}

TEST_CASE("intercluster: with K = 0 the links carry at any time what the jobs have to say, no more and no less") {
  // Megabits of a job: demand x run time within one cluster. With two clusters and an always full link, the last job
  // ends when all megabits are sent. Jobs of 1000 Mbit/s over 10, 20, ... 100 s, all from the start, need 550 s of a
  // link of 1000 Mbit/s.
  const Grid grid = equal_clusters(2, 100);
  Floor floor(grid, SharedLinks{.bandwidth_megabits = 1000, .computation_share = 0});
  for (std::uint64_t number = 1; number <= 10; ++number)
    start_halves(floor, job_of(number, 10, 10.0 * static_cast<double>(number)), 0, 1);
  double last = 0;
  for (std::uint64_t number = 1; number <= 10; ++number) {
    const auto [ended, when] = end_next(floor);
    CHECK(ended == number);
    last = when;
  }
  CHECK(last == Approx(550).epsilon(1e-8));
}

}  // namespace intercluster_test
