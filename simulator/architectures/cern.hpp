// `cern` of Iosup et al. 2007, section 5.2.3: one central queue to which all users submit. Sites with free processors
// pull jobs from it in the order of arrival. It knows at once what is free, so in a lightly loaded grid first come,
// first served can't do better. Under load the head of the queue waits for a cluster with room, and all jobs behind
// it wait too (section 5.4). There is no backfilling (section 5.2.4, assumption 3).
//
// Where several sites could pull the head, ModelParameters::pull_choice decides.
//
// Messages a job: 2 job data exchange (user to queue, queue to site), 1 notify broker (the pull: the site says that
// it has room), 2 match-claim-release (inside the site: claimed, free again). A site doesn't repeat a pull that finds
// no job: the answer comes when there is one.
#pragma once

#include <deque>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"

namespace dmm {

class Cern {
 public:
  Cern(const Floor&, const ModelParameters& parameters) : choice_(parameters.pull_choice) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

 private:
  ClusterChoice choice_;
  std::deque<StreamJob> queue_;
};

}  // namespace dmm
