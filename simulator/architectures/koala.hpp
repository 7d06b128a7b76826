// `koala` of Iosup et al. 2007, section 5.2.3: one central queue to which all users submit. It pushes an arriving job
// to a site with free processors, or keeps the job until there is such a site. The queue knows at once what it gave
// away, but hears what became free only from the next periodic report (ModelParameters::monitoring). As in cern, all
// jobs wait behind the head of the queue (section 5.4). The real KOALA backfills and co-allocates; the paper's model,
// which this is, doesn't.
//
// Where several sites have room, ModelParameters::push_choice decides.
//
// Messages a job: 2 job data exchange (user to queue, queue to site), 3 match-claim-release (the queue claims the
// processors, the site agrees, and tells when they are free again). Each report costs 1 notify broker a site, also
// without jobs, until the last event.
#pragma once

#include <deque>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"

namespace dmm {

class Koala {
 public:
  Koala(const Floor& floor, const ModelParameters& parameters);

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return next_report_; }
  std::vector<StreamJob> hand_over();

 private:
  struct Ended {
    Instant at{};
    ClusterShare piece;
  };

  Instant last_report_before_or_at(Instant now) const;
  void hear(Floor& floor);

  ClusterChoice choice_;
  Duration monitoring_;
  std::deque<StreamJob> queue_;
  std::vector<std::uint32_t> known_idle_;  ///< by cluster
  std::deque<Ended> unknown_;              ///< became idle since the last report
  Instant heard_{};                        ///< the last report
  Instant next_report_ = never;            ///< `never` if no decision depends on it
};

}  // namespace dmm
