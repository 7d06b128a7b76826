// How many messages a job costs near saturation and beyond, on the dual grid and on a grid with long chains. The load
// is a Poisson stream of mostly serial jobs, spread unevenly over the clusters. The test also prints the messages by
// kind. DMM_MEASURE=seconds submits for longer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/simulation/life_stage.hpp"
#include "workloads/random.hpp"

namespace dmm::overload_test {
namespace {

using namespace life_stage;

struct Figures {
  double median = 0, mean = 0;
  std::uint32_t high = 0;  ///< the 95th percentile
  std::size_t jobs = 0, unfinished = 0;
  double remote = 0;                      ///< the fraction that ran elsewhere
  double wait = 0;                        ///< mean seconds
  double delegating = 0;                  ///< messages between sites, mean a job
  std::map<std::string, double> by_type;  ///< mean a job, keep-alives too
};

class LoadedGrid {
 public:
  LoadedGrid(Topology topology, double load, double submit_seconds, std::uint64_t seed, std::uint32_t dttl = 5)
      : load_(load),
        submit_seconds_(submit_seconds),
        dttl_(dttl),
        random_(seed),
        topology_(std::move(topology)),
        world_(topology_, settings()) {}

  Figures run() {
    homes_ = workload_homes(topology_);
    for (const WorkloadHome& home : homes_) {
      const TopologyCluster& cluster = topology_.sites[home.site].clusters[home.cluster];
      const double share = static_cast<double>(processors_of(cluster)) * (0.5 + random_.uniform());
      if (!home.user.empty()) weight_ += share;
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

  static WorldSettings settings() {
    WorldSettings settings = quiet_world(milliseconds(2));
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
    job.dttl = dttl_;
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
      const auto job = world_.job_manager(submission.job_manager)->manager.job(submission.number);
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
    const auto sent = world_.messages_by_kind();
    figures.delegating = static_cast<double>(sent[static_cast<std::size_t>(MessageKind::dmm)]) / jobs;
    for (auto& [type, count] : figures.by_type) count /= jobs;
    return figures;
  }

  double load_, submit_seconds_;
  std::uint32_t dttl_;
  Random random_;
  Topology topology_;
  World world_;
  std::vector<WorkloadHome> homes_;
  std::vector<double> weights_;  ///< running sums
  double weight_ = 0;
};

Figures measure(double load) {
  const char* longer = std::getenv("DMM_MEASURE");
  auto dual = std::get<Topology>(read_topology(std::string(DMM_SOURCE_DIR) + "/topologies/dual-grid.json"));
  const Figures figures = LoadedGrid(std::move(dual), load, longer ? std::strtod(longer, nullptr) : 250, 1).run();
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

/// Twenty sites: a trunk of twelve, each the parent of the next, and a leaf at eight of them. Users are at every fourth
/// site, so that most nodes for their jobs are far away.
Topology long_chains(std::uint32_t hint_distance) {
  std::string text =
      R"({"name": "chains", "defaults": {"hint_distance": )" + std::to_string(hint_distance) + R"(}, "sites": [)";
  int sites = 0;
  const auto add = [&](const std::string& name, const std::string& parent) {
    text += std::string(sites > 0 ? ", " : "") + R"({"name": ")" + name + '"' +
            (parent.empty() ? "" : R"(, "parent": ")" + parent + '"') +
            (sites % 4 == 0 ? R"(, "users": ["u"])" : "") + R"(, "clusters": [{"name": "c", "nodes": 16}]})";
    ++sites;
  };
  for (int i = 0; i < 12; ++i) add("t" + std::to_string(i), i == 0 ? "" : "t" + std::to_string(i - 1));
  for (int i = 0; i < 8; ++i) add("l" + std::to_string(i), "t" + std::to_string(i + 2));
  return topology_of(text + "]}");
}

}  // namespace

TEST_CASE("overload: messages between sites stay bounded at any DTTL, within the hints' horizon and beyond it") {
  for (const std::uint32_t horizon : {2, 16})
    for (const double load : {0.3, 1.0, 1.5})
      for (const std::uint32_t dttl : {1, 3, 5, 8, 16}) {
        const Figures figures = LoadedGrid(long_chains(horizon), load, 200, 1, dttl).run();
        std::printf(
            "horizon %u, load %.1f, DTTL %u: %zu jobs, %.1f messages between sites a job; %.0f %% elsewhere\n",
            horizon, load, dttl, figures.jobs, figures.delegating, 100 * figures.remote);
        CHECK(figures.unfinished == 0);
        CHECK(figures.delegating <= 20);
      }
}

TEST_CASE("overload: messages a job stay bounded near saturation and beyond it") {
  CHECK(measure(0.95).median <= 20);
  CHECK(measure(1.2).median <= 60);
}

}  // namespace dmm::overload_test
