#include "resmgr/keeper/output_sizes.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock output_pause = 500'000;  // until the keeper looks again at what jobs have written

}  // namespace

Clock OutputSizes::next_look() const { return looked_at_ + output_pause; }

std::vector<OutputSize> OutputSizes::look(const RunningJobs& jobs, const JobFolder& folder) {
  std::vector<OutputSize> grown;
  looked_at_ = now();
  for (const auto& [serial, job] : jobs) {
    const auto sizes = folder.stream_sizes(job.order.directory);
    StreamSizes& told = told_[serial];
    if (sizes == told) continue;
    told = sizes;
    grown.push_back({serial, sizes.output, sizes.error});
  }
  return grown;
}

}  // namespace dmm::keeper
