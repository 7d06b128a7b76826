// How much jobs have written to their streams, as the manager was told. The keeper looks again every half second.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/running_job.hpp"

namespace dmm::keeper {

class OutputSizes {
 public:
  /// When to look again, while a manager listens and streams are held.
  Clock next_look() const;
  /// The jobs that wrote something since the last report.
  std::vector<OutputSize> look(const RunningJobs& jobs, const JobFolder& folder);
  /// The job is over.
  void forget(std::uint64_t serial) { told_.erase(serial); }
  /// Another manager listens, which was told nothing.
  void forget_all() { told_.clear(); }

 private:
  std::unordered_map<std::uint64_t, StreamSizes> told_;
  Clock looked_at_ = 0;
};

}  // namespace dmm::keeper
