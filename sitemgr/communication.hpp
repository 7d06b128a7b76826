// Communication: which of this site's jobs run on several clusters, and how much each of their processors sends to
// the others, as their users said. Later placements mind the links that these jobs use.
#pragma once

#include <map>

#include "protocol/ids.hpp"

namespace dmm {

class Communication {
 public:
  /// The request got its nodes. `per_processor`: what each processor sends, in megabits a second.
  void began(const RequestId& request, double per_processor) { jobs_[request] = per_processor; }
  /// 0: nothing is known of it.
  double of(const RequestId& request) const {
    const auto at = jobs_.find(request);
    return at == jobs_.end() ? 0 : at->second;
  }
  /// Those without any nodes are forgotten.
  template <class HasNodes>
  void keep(HasNodes has_nodes) {
    std::erase_if(jobs_, [&](const auto& job) { return !has_nodes(job.first); });
  }
  bool empty() const { return jobs_.empty(); }

 private:
  std::map<RequestId, double> jobs_;
};

}  // namespace dmm
