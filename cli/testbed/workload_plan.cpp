#include "cli/testbed/workload_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace dmm {
namespace {

CommandFault no_such_cluster(const Topology& topology, const ClusterJob& job, std::size_t clusters,
                             const std::string& file) {
  return {file + ": job " + std::to_string(job.job.number) + " belongs to cluster " + std::to_string(job.cluster) +
              " (column 16), but the topology " + topology.name + " has clusters 0 to " +
              std::to_string(clusters - 1),
          2};
}

std::uint64_t largest_cluster(const Topology& topology) {
  std::uint64_t largest = 0;
  for (const TopologySite& site : topology.sites)
    for (const TopologyCluster& cluster : site.clusters) largest = std::max(largest, processors_of(cluster));
  return largest;
}

}  // namespace

OrFault<WorkloadPlan, CommandFault> plan_workload(const Topology& topology, const Workload& workload,
                                                  double speedup, const std::string& file) {
  const std::vector<WorkloadHome> homes = workload_homes(topology);
  if (homes.empty()) return CommandFault{"the topology " + topology.name + " has no cluster to run jobs on", 2};
  const std::uint64_t largest = largest_cluster(topology);
  const std::int64_t first = workload.jobs.empty() ? 0 : workload.jobs.front().job.submit_seconds;
  WorkloadPlan plan;
  std::map<Party, std::size_t> numbers;
  for (const ClusterJob& job : workload.jobs) {
    if (job.cluster >= homes.size()) return no_such_cluster(topology, job, homes.size(), file);
    const WorkloadHome& home = homes[job.cluster];
    if (home.user.empty())
      return CommandFault{file + ": cluster " + std::to_string(job.cluster) + " is in site " +
                              home.site_name.text +
                              ", which has no user to submit its jobs; add one to \"users\" in the topology",
                          2};
    if (job.job.processors > largest)
      return CommandFault{file + ": job " + std::to_string(job.job.number) + " needs " +
                              std::to_string(job.job.processors) +
                              " processors in one cluster, but the largest of " + topology.name + " has " +
                              std::to_string(largest),
                          2};
    const Party manager = job_manager_of(home.site_name, home.user);
    const auto [known, added] = numbers.emplace(manager, plan.managers.size());
    if (added) plan.managers.push_back(manager);
    PlannedJob planned;
    planned.number = job.job.number;
    planned.cluster = job.cluster;
    planned.manager = known->second;
    planned.at_seconds = static_cast<double>(job.job.submit_seconds - first) / speedup;
    planned.run_seconds = static_cast<double>(job.job.run_seconds) / speedup;
    planned.processors = job.job.processors;
    plan.longest_run_seconds = std::max(plan.longest_run_seconds, planned.run_seconds);
    plan.jobs.push_back(planned);
  }
  return plan;
}

JobDescription description_of(const PlannedJob& job, std::uint32_t dttl) {
  std::array<char, 64> seconds{};
  const auto [end, error] =
      std::to_chars(seconds.data(), seconds.data() + seconds.size(), job.run_seconds, std::chars_format::fixed, 6);
  JobDescription description;
  description.name = "swf-" + std::to_string(job.number);
  description.program.arguments = {"sleep",
                                   std::string(seconds.data(), error == std::errc{} ? end : seconds.data())};
  description.need.kind = RequestKind::non_fixed;
  description.need.components.push_back({job.processors, {}, {}});
  description.dttl = dttl;
  description.keep_output = false;
  return description;
}

}  // namespace dmm
