// Loading: read all, sort, thin out, then cap and add up what is left.
#include "workloads/multicluster.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace dmm {
namespace {

/// Keeps `wanted` jobs at even distances over the list.
void thin_out(std::vector<ClusterJob>& jobs, std::size_t wanted) {
  const std::size_t count = jobs.size();
  if (wanted == 0 || wanted >= count) return;
  // i * count / wanted is never less than i, so no job is overwritten before it is moved.
  for (std::size_t i = 0; i < wanted; ++i) jobs[i] = jobs[i * count / wanted];
  jobs.resize(wanted);
}

void cap_and_add_up(Workload& workload, std::int64_t run_cap_seconds) {
  for (ClusterJob& entry : workload.jobs) {
    if (run_cap_seconds > 0 && entry.job.run_seconds > run_cap_seconds) {
      entry.job.run_seconds = run_cap_seconds;
      ++workload.capped;
    }
    if (entry.job.partition < 0) ++workload.without_cluster;
    workload.clusters = std::max(workload.clusters, entry.cluster + 1);
    workload.widest_processors = std::max(workload.widest_processors, entry.job.processors);
    workload.processor_seconds += static_cast<double>(entry.job.run_seconds) * entry.job.processors;
  }
}

}  // namespace

OrFault<Workload, WorkloadError> load_workload(const WorkloadOptions& options) {
  if (options.run_cap_seconds < 0) {
    return WorkloadError{options.path + ": the cap of run times is " + std::to_string(options.run_cap_seconds) +
                         " s; expected 0 for none, or more"};
  }
  SwfReader reader(options.path, options.bad_lines);
  Workload workload;
  while (const std::optional<TraceJob> job = reader.next()) {
    workload.jobs.push_back({job->partition < 0 ? 0u : static_cast<std::uint32_t>(job->partition), *job});
  }
  if (!reader.error().empty()) return WorkloadError{reader.error()};
  workload.file = reader.counts();
  if (workload.jobs.empty()) {
    const SwfCounts& file = workload.file;
    return WorkloadError{options.path + ": no job that can be replayed in " + std::to_string(file.lines) +
                         " lines (" + std::to_string(file.unusable) + " without submit time, run time or size, " +
                         std::to_string(file.bad) + " bad)"};
  }
  std::stable_sort(workload.jobs.begin(), workload.jobs.end(), [](const ClusterJob& a, const ClusterJob& b) {
    return a.job.submit_seconds < b.job.submit_seconds;
  });
  thin_out(workload.jobs, options.jobs_max);
  cap_and_add_up(workload, options.run_cap_seconds);
  return workload;
}

}  // namespace dmm
