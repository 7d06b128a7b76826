// `condor` of Iosup et al. 2007, section 5.2.3: independent clusters operated by matchmaking. A job starts only in a
// round of matchmaking, every 300 s (ModelParameters::cycle). A round considers the jobs of a cluster in the order of
// arrival; unlike the real Condor the model has no fair share. The first job that doesn't fit ends the round. So a
// cluster is first come, first served without backfilling (section 5.2.4, assumption 3); only fcondor bypasses jobs.
// Arrivals and ends at the instant of a round take part in it.
//
// Messages a job, after the paper's figure 4: 2 notify broker (its job manager asks for nodes; they are offered again
// when the job ended). 2 negotiate each time the job is considered (the site manager asks, the job manager names it),
// so also for the head that doesn't fit. 1 job data exchange (its description, to its node). 6 match-claim-release
// (the match told to both sides, claim and consent, release told to both sides).
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
