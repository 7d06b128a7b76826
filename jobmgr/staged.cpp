// The steps of staged.hpp.
#include "jobmgr/staged.hpp"

#include <algorithm>
#include <optional>
#include <utility>

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

void tell_staged(JobStep& s, const Job& job, const ComponentRun& ready) {
  const InputFiles& files = job.description.program.inputs;
  if (files.empty() || ready.due == never) return;
  const SiteName& owner = job.run->lease_of(ready).lease.owner;
  const auto source = source_of(files, owner);
  if (!source) return;
  // Its Start left so long before it would have been too late.
  const Duration took = s.now - (ready.due - s.parts.start_limit_of(job));
  if (took <= Duration{}) return;
  tell_site(s, Staged{s.parts.request_of(job), source->first, owner, source->second, took},
            s.parts.request_of(job));
}

}  // namespace dmm::job_steps
