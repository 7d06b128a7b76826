// The steps of staged.hpp.
#include "jobmgr/staged.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "protocol/home_paths.hpp"

namespace dmm::job_steps {
namespace {

/// Where the files came from that didn't lie at the owner of the nodes, and their bytes. Nothing if there are
/// none, if they came from several sites, or if a size or a site isn't known.
std::optional<std::pair<SiteName, std::uint64_t>> source_of(const InputFiles& files, const SiteName& owner) {
  SiteName from;
  std::uint64_t bytes = 0;
  for (InputFile file : files) {
    order_replicas(file, owner);
    const SiteName first = file.replicas.empty() ? SiteName{} : file.replicas[0].site;
    if (first == owner) continue;
    if (file.bytes == 0 || first.empty() || (!from.empty() && from != first)) return std::nullopt;
    from = first;
    bytes += file.bytes;
  }
  if (from.empty()) return std::nullopt;
  return std::pair(from, bytes);
}

}  // namespace

void order_replicas(InputFile& file, const SiteName& owner) {
  std::erase_if(file.replicas, [&](const Replica& replica) {
    return replica.url.view().starts_with("file:") && !replica.site.empty() && replica.site != owner;
  });
  std::ranges::stable_partition(file.replicas, [&](const Replica& replica) { return replica.site == owner; });
}

void on(JobStep& s, FromSite, const Planned& planned) {
  const Job* job = s.parts.jobs.find(planned.request.job);
  if (!job || job->state != JobState::waiting || s.parts.request_of(*job) != planned.request)
    return s.parts.ignore("not_waiting");
  for (const PlannedPlace& place : planned.places) {
    Prefetch prefetch{planned.request, place.site, place.cluster, {}, {}};
    for (InputFile file : job->description.program.inputs) {
      if (!can_be_kept(file)) continue;
      order_replicas(file, place.site);
      std::erase_if(file.replicas, [](const Replica& replica) { return is_at_home(replica.url); });
      if (!file.replicas.empty()) prefetch.files.push_back(std::move(file));
    }
    if (!prefetch.files.empty()) tell_site(s, std::move(prefetch), planned.request);
  }
}

void tell_staged(JobStep& s, const Job& job, const ComponentRun& ready) {
  const InputFiles& files = job.description.program.inputs;
  if (files.empty() || ready.due == never) return;
  const LeaseId& lease = job.run->lease_of(ready).lease;
  Staged staged{s.parts.request_of(job), {}, lease.owner, 0, {}, lease, ready.component, {}};
  // Its Start left so long before it would have been too late.
  const Duration took = s.now - (ready.due - s.parts.start_limit_of(job));
  if (const auto source = source_of(files, lease.owner); source && took > Duration{}) {
    std::tie(staged.from, staged.bytes) = *source;
    staged.took = took;
  }
  for (const InputFile& file : files)
    if (can_be_kept(file)) staged.files.push_back(file.sha256);
  if (staged.from.empty() && staged.files.empty()) return;
  const RequestId request = staged.request;
  tell_site(s, std::move(staged), request);
}

}  // namespace dmm::job_steps
