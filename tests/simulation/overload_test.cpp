// How many messages a job costs on the dual grid, near saturation and beyond: a Poisson stream of mostly serial
// jobs, spread unevenly over the clusters. Beside the test's bound it prints what the messages are;
// DMM_MEASURE=seconds submits for longer than the test does.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "workloads/random.hpp"
#include "simulator/world.hpp"

namespace dmm {
namespace {

struct Figures {
  double median = 0, mean = 0;
  std::uint32_t high = 0;  ///< the 95th percentile
  std::size_t jobs = 0, unfinished = 0;
  double remote = 0;                      ///< the fraction that ran elsewhere
  double wait = 0;                        ///< mean seconds
  std::map<std::string, double> by_type;  ///< mean a job, keep-alives too
};

class Stream {
 public:
  Stream(double load, double submit_seconds, std::uint64_t seed)
      : load_(load),
        submit_seconds_(submit_seconds),
        random_(seed),
        topology_(read()),
        world_(topology_, settings()) {}

  Figures run() {
    homes_ = workload_homes(topology_);
    for (const WorkloadHome& home : homes_) {
      const TopologyCluster& cluster = topology_.sites[home.site].clusters[home.cluster];
      weight_ += static_cast<double>(processors_of(cluster)) * (0.5 + random_.uniform());
      weights_.push_back(weight_);
    }
    const double rate = load_ * static_cast<double>(processors_of(topology_)) / (mean_processors * mean_seconds);
    double at = 2;
    while (at < submit_seconds_) {
      at += random_.exponential(1 / rate);
      world_.run_until(Instant{} + from_seconds(at));
      submit();
    }
    const Instant limit = world_.now() + seconds(4000);
    while (!world_.quiet() && world_.next_instant() <= limit) {
      world_.run_until(world_.now() + seconds(1));
      world_.take_happenings();
    }
    return figures();
  }

 private:
  static constexpr double mean_seconds = 100;
  static constexpr double mean_processors = 0.95 + 0.05 * 8.5;

  static Topology read() {
    return std::get<Topology>(read_topology(std::string(DMM_SOURCE_DIR) + "/topologies/dual-grid.json"));
  }
  static WorldSettings settings() {
    WorldSettings settings;
    settings.level = Level::error;
    settings.count_by_request = true;
    settings.network.latency = milliseconds(2);
    settings.network.jitter = milliseconds(8);
    return settings;
  }

  void submit() {
    const double where = random_.uniform() * weight_;
    const auto home =
        static_cast<std::size_t>(std::upper_bound(weights_.begin(), weights_.end(), where) - weights_.begin());
    JobDescription job;
    const bool serial = random_.chance(0.95);
    job.need.components = {{serial ? 1 : 2 + static_cast<std::uint32_t>(random_.below(14)), {}, {}}};
    job.program.arguments = {"sleep", std::to_string(random_.exponential(mean_seconds))};
    world_.submit(job_manager_of(homes_[home].site_name, homes_[home].user), job);
  }

  Figures figures() {
    world_.end_all_quiet();
    Figures figures;
    std::map<RequestId, std::uint32_t> messages;
    for (const Party& party : world_.parties()) {
      const Endpoint& endpoint = party.role == Role::site_manager  ? world_.site(party.site)->endpoint
                                 : party.role == Role::job_manager ? world_.job_manager(party)->endpoint
                                                                   : world_.resource_manager(party)->endpoint;
      for (const auto& [request, count] : endpoint.sent_by_request())
        messages[{request.site, request.user, request.job, 0}] += count;
      for (const auto& [type, count] : endpoint.counters().sent)
        figures.by_type[std::string(name_of(type))] += static_cast<double>(count);
    }
    std::vector<std::uint32_t> counts;
    for (const Submission& submission : world_.submissions()) {
      const auto job = world_.job_manager(submission.job_manager)->machine.job(submission.number);
      figures.unfinished += !job || job->state != JobState::finished;
      if (!job || !job->granted) continue;
      figures.remote += job->hops > 0;
      figures.wait += (*job->granted - job->submitted).in_seconds();
      counts.push_back(messages[{job->request.site, job->request.user, job->number, 0}]);
    }
    std::sort(counts.begin(), counts.end());
    const auto jobs = static_cast<double>(counts.size());
    figures.jobs = counts.size();
    figures.median = counts[counts.size() / 2];
    figures.high = counts[counts.size() * 95 / 100];
    for (const std::uint32_t count : counts) figures.mean += count / jobs;
    figures.remote /= jobs;
    figures.wait /= jobs;
    for (auto& [type, count] : figures.by_type) count /= jobs;
    return figures;
  }

  double load_, submit_seconds_;
  Random random_;
  Topology topology_;
  World world_;
  std::vector<WorkloadHome> homes_;
  std::vector<double> weights_;  ///< running sums
  double weight_ = 0;
};

Figures measure(double load) {
  const char* longer = std::getenv("DMM_MEASURE");
  const Figures figures = Stream(load, longer ? std::strtod(longer, nullptr) : 250, 1).run();
  std::printf(
      "load %.2f: %zu jobs, messages a job: median %.0f, mean %.1f, 95 %% below %u; %.0f %% elsewhere, waited "
      "%.0f s\n",
      load, figures.jobs, figures.median, figures.mean, figures.high, 100 * figures.remote, figures.wait);
  std::vector<std::pair<double, std::string>> types;
  for (const auto& [type, count] : figures.by_type) types.emplace_back(count, type);
  std::sort(types.rbegin(), types.rend());
  for (const auto& [count, type] : types) std::printf("  %s %.2f", type.c_str(), count);
  std::printf("\n");
  CHECK(figures.unfinished == 0);
  return figures;
}

}  // namespace

TEST_CASE("messages a job stay bounded near saturation and beyond it") {
  CHECK(measure(0.95).median <= 20);
  CHECK(measure(1.2).median <= 60);
}

}  // namespace dmm
