// `condor` of Iosup et al. 2007, section 5.2.3: independent clusters operated by matchmaking. A job starts in a
// round of matchmaking only, every 300 s (ModelParameters::cycle), at which the jobs of a cluster are considered
// in the order of arrival; unlike the real one it knows no fair share. The first job that doesn't fit ends the
// round: the cluster level is first come, first served without backfilling (section 5.2.4, assumption 3), and
// bypassing is fcondor's alone. Arrivals and ends at the instant of a round take part in it.
//
// Messages a job, after the paper's figure 4: 2 notify broker (its job manager asks for nodes; they are offered
// again when it ended), 2 negotiate each time that it is considered (the site manager asks, the job manager names
// it), so also for the head that doesn't fit, 1 job data exchange (its description, to its node), 6
// match-claim-release (the match told to both, claim and consent, release told to both).
#pragma once

#include <deque>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/rounds.hpp"

namespace dmm {

class Condor {
 public:
  Condor(const Floor& floor, const ModelParameters& parameters)
      : rounds_(parameters.cycle), queues_(floor.clusters()) {}

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return waiting_ == 0 ? never : rounds_.next(); }
  std::vector<StreamJob> hand_over();

 private:
  void match(Floor& floor, std::uint32_t cluster);

  Rounds rounds_;
  std::vector<std::deque<StreamJob>> queues_;  ///< by cluster
  std::size_t waiting_ = 0;                    ///< in all
};

}  // namespace dmm
