// Where output goes, and words for its state; see job.hpp.
#include "jobmgr/job.hpp"

#include "jobmgr/output_paths.hpp"

namespace dmm {

std::string path_of(const Job& job, std::uint32_t component, Stream stream) {
  if (job.own_files) return {};
  const JobDescription& wanted = job.description;
  const std::string path = expanded(stream == Stream::output ? wanted.output_path : wanted.error_path, job.number);
  return path.empty() || component == 0 ? path : path + '.' + std::to_string(component);
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
