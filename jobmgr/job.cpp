// Where output goes, and words for its state; see job.hpp.
#include "jobmgr/job.hpp"

#include "manager/assert.hpp"
#include "protocol/programs.hpp"

namespace dmm {

std::optional<std::size_t> Attempt::find(const LeaseId& lease) const {
  for (std::size_t i = 0; i < leases.size(); ++i)
    if (leases[i].lease == lease) return i;
  return std::nullopt;
}

std::vector<NodeGroup> Attempt::granted_under(std::size_t lease) const {
  DMM_ASSERT(lease < leases.size());
  if (leases.size() == 1) return granted;
  std::vector<NodeGroup> groups;
  // Tasks are in the order of their components; those of one component are under one lease.
  const auto lease_of_group = [&](const NodeGroup& group) {
    return std::ranges::lower_bound(components, group.component, {}, &ComponentRun::component)->lease;
  };
  for (const NodeGroup& group : granted)
    if (lease_of_group(group) == lease) groups.push_back(group);
  return groups;
}

std::vector<NodeGroup> Attempt::held_under(std::size_t lease) const {
  DMM_ASSERT(lease < leases.size());
  return leases[lease].holds ? without(granted_under(lease), lost) : std::vector<NodeGroup>();
}

std::vector<NodeGroup> Attempt::held() const {
  if (leases.size() == 1) return held_under(0);
  std::vector<NodeGroup> all;
  for (std::size_t i = 0; i < leases.size(); ++i)
    for (NodeGroup& group : held_under(i)) all.push_back(std::move(group));
  return all;
}

bool awaits_go(const Job& job) {
  const Program& program = job.description.program;
  return job.run->components.size() > 1 || program.runner != Runner::per_component || has_files(program);
}

OutputNames output_names_of(const Job& job, std::uint32_t task) {
  return {job.number, job.array == 0 ? job.number : job.array, job.index, task};
}

std::string path_of(const Job& job, std::uint32_t component, Stream stream) {
  if (job.own_files) return {};
  const JobDescription& wanted = job.description;
  const ShortText& pattern = stream == Stream::output ? wanted.output_path : wanted.error_path;
  const std::string path = expanded(pattern, output_names_of(job, component));
  return path.empty() || component == 0 || names_task(pattern) ? path : path + '.' + std::to_string(component);
}

std::string_view to_text(OutputState state) {
  switch (state) {
    case OutputState::pending: return "pending";
    case OutputState::complete: return "complete";
    case OutputState::cut: return "cut";
    case OutputState::unfetched: return "unfetched";
    case OutputState::unwritten: return "unwritten";
    case OutputState::lost: return "lost";
  }
  return "unknown";
}

}  // namespace dmm
