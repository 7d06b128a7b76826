// Communication: which of this site's jobs run on several clusters, and how much each of their processors sends to
// the others, as their users said. Later placements mind the links that these jobs use.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "protocol/ids.hpp"

namespace dmm {

class Communication {
 public:
  struct Job {
    double per_processor = 0;     ///< what each processor sends, in megabits a second
    std::vector<LeaseId> leases;  ///< that its nodes are under
  };

  /// The request got its nodes under these leases.
  void began(const RequestId& request, double per_processor, std::vector<LeaseId> leases) {
    jobs_[request] = {per_processor, std::move(leases)};
  }
  /// Calls `visit(request, job)` for each job; one for which it returns false has no nodes any more and is forgotten.
  template <class Visit>
  void each(Visit visit) {
    std::erase_if(jobs_, [&](const auto& job) { return !visit(job.first, job.second); });
  }
  bool empty() const { return jobs_.empty(); }

 private:
  std::map<RequestId, Job> jobs_;
};

}  // namespace dmm
