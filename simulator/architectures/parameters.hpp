// What the papers leave unstated about the architectures they compare. Every choice of ours in a model is a field
// here, with its reason. So a choice can be swept, and claims that depend on it are found.
#pragma once

#include <cstdint>

#include "protocol/time.hpp"

namespace dmm {

/// Which cluster a job gets, of those with enough idle processors. Ties: the lower number.
enum class ClusterChoice : std::uint8_t {
  most_idle,  ///< worst fit: spreads the load
  best_fit,   ///< the one with the fewest left over: keeps room for wide jobs
  numbered,   ///< the first one
  home,       ///< the job's home if the job fits there, else most_idle
};

/// The order in which a job manager of fcondor goes from site manager to site manager, beginning at its home.
enum class FlockOrder : std::uint8_t {
  near_first,  ///< its own site, its group, its grid, then the rest; each by number from its own on
  numbered,    ///< by number from its own on
};

/// Each model uses the fields that it knows. A value is our choice, and not in the paper, unless its comment says
/// otherwise.
struct ModelParameters {
  // ---- matchmaking: condor, fcondor ----
  /// Time between rounds. All site managers hold them at the same instants, the multiples of this. 300 s: Iosup et
  /// al. 2007, section 5.2.3. 0: a round at every event.
  Duration cycle = seconds(300);
  /// Half-life of past usage in fair sharing; 0: usage is the present use. The paper says "decayed with time"; one
  /// day is the default of Condor's PRIORITY_HALFLIFE, from memory.
  Duration usage_half_life = seconds(86400);
  /// The paper lets any job manager connect to any site manager, and doesn't say which is next.
  FlockOrder flock_order = FlockOrder::near_first;

  // ---- the central queues: cern, koala ----
  /// The cluster for the head of a central queue. For cern: which site pulls first where several could; sites with
  /// the most free processors pull most often.
  ClusterChoice pull_choice = ClusterChoice::most_idle;
  /// For koala; worst fit is the default of the real one (Sonmez et al. 2006, section 4).
  ClusterChoice push_choice = ClusterChoice::most_idle;
  /// How often koala learns which processors became idle, at the multiples of this; 0: at once. The paper says
  /// "periodically".
  Duration monitoring = seconds(60);

  // ---- messages ----
  /// Heartbeat interval between the two sides of a running job; 0: none. The default of Condor's ALIVE_INTERVAL, from
  /// memory.
  Duration keep_alive = seconds(300);
  /// Messages for each period and cluster of a running job: one each way. The paper's 97 % (of the management
  /// messages) and 16 % (of all) need some 30 for a job of one hour. One way would give 12, both ways give 24.
  std::uint32_t keep_alive_messages = 2;
};

}  // namespace dmm
