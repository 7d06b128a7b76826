#include "workloads/mini_grid.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "workloads/portable_math.hpp"
#include "workloads/random.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

/// One cluster's jobs; `pending` is the next of them.
class ClusterJobs {
 public:
  ClusterJobs(const MiniGridWorkload& workload, std::uint32_t home, std::uint64_t seed)
      : workload_(workload), random_(seed), left_(workload.jobs_per_cluster) {
    pending_.home = home;
    draw();
  }

  Instant next() const { return pending_.submit; }
  StreamJob take() {
    const StreamJob taken = pending_;
    draw();
    return taken;
  }

 private:
  void draw() {
    if (left_ == 0) {
      pending_.submit = never;
      return;
    }
    --left_;
    const std::uint32_t sizes = workload_.processors_most - workload_.processors_least + 1;
    pending_.submit = pending_.submit + exponential(workload_.mean_interarrival);
    pending_.run = std::max(exponential(workload_.mean_run), microseconds(1));
    pending_.estimate = pending_.run;
    pending_.processors = workload_.processors_least + static_cast<std::uint32_t>(random_.below(sizes));
  }

  // By inversion, with the logarithm that is the same on every machine.
  Duration exponential(Duration mean) {
    return from_seconds(-mean.in_seconds() * portable::log(1 - random_.uniform()));
  }

  MiniGridWorkload workload_;
  Random random_;
  std::uint64_t left_;
  StreamJob pending_;
};

}  // namespace

JobStream mini_grid_jobs(const MiniGridWorkload& workload) {
  std::vector<ClusterJobs> clusters;
  for (std::uint32_t home = 0; home < workload.clusters; ++home)
    clusters.emplace_back(workload, home, derived_seed(workload.seed, home));
  return [clusters = std::move(clusters), number = std::uint64_t{0}]() mutable -> std::optional<StreamJob> {
    const auto first = std::min_element(clusters.begin(), clusters.end(),
                                        [](const auto& a, const auto& b) { return a.next() < b.next(); });
    if (first == clusters.end() || first->next() == never) return std::nullopt;
    StreamJob job = first->take();
    job.number = ++number;
    return job;
  };
}

double mini_grid_load(const MiniGridWorkload& workload, std::uint32_t processors) {
  const double mean_processors = (static_cast<double>(workload.processors_least) + workload.processors_most) / 2;
  return mean_processors * workload.mean_run.in_seconds() / (workload.mean_interarrival.in_seconds() * processors);
}

}  // namespace dmm
