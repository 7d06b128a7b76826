// The steps of staged.hpp.
#include "jobmgr/staged.hpp"

#include <optional>

#include "jobmgr/asking.hpp"
#include "manager/assert.hpp"

namespace dmm::job_steps {
namespace {

/// Where the files came from that didn't lie at the owner of the nodes, and their bytes. Nothing if there are
/// none, if they came from several sites, or if a size or a site isn't known.
std::optional<std::pair<SiteName, std::uint64_t>> source_of(const InputFiles& files, const SiteName& owner) {
  SiteName from;
  std::uint64_t bytes = 0;
  for (const InputFile& file : files) {
    const auto is_there = [&](const Replica& replica) { return replica.site == owner; };
    if (std::ranges::any_of(file.replicas, is_there)) continue;
    if (file.bytes == 0 || file.replicas.empty() || file.replicas[0].site.empty()) return std::nullopt;
    if (!from.empty() && from != file.replicas[0].site) return std::nullopt;
    from = file.replicas[0].site;
    bytes += file.bytes;
  }
  if (from.empty()) return std::nullopt;
  return std::pair(from, bytes);
}

}  // namespace

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
