// What the papers leave unstated about the architectures they compare, declared in one place: every choice of ours
// that a model makes is a field here, with its reason, so that it can be swept and a claim that depends on it be
// found out.
#pragma once

#include <cstdint>

#include "protocol/time.hpp"

namespace dmm {

/// Which of the clusters with enough idle processors a job gets. Ties: the lower number.
enum class ClusterChoice : std::uint8_t {
  most_idle,  ///< worst fit: spreads the load
  best_fit,   ///< the one with the fewest left over: keeps room for wide jobs
  numbered,   ///< the first one
  home,       ///< that of the job if it fits, else most_idle
};

/// In which order a job manager of fcondor goes from site manager to site manager, from its home on.
enum class FlockOrder : std::uint8_t {
  near_first,  ///< those of its own site, of its group, of its grid, the others; each by number from its own on
  numbered,    ///< by number from its own on
};

/// Each model takes what it knows. Unless said otherwise a value isn't in the paper, and is our choice.
struct ModelParameters {
  // ---- matchmaking: condor, fcondor ----
  /// Between rounds, which all site managers hold at the same instants, at its multiples. 300 s: Iosup et al.
  /// 2007, section 5.2.3. 0: a round at every event.
  Duration cycle = seconds(300);
  /// Of past usage in fair sharing; 0: usage is what is in use. The paper says "decayed with time"; one day is
  /// the default of Condor's PRIORITY_HALFLIFE, from memory.
  Duration usage_half_life = seconds(86400);
  /// The paper lets any job manager connect to any site manager, and doesn't say which is next.
  FlockOrder flock_order = FlockOrder::near_first;

  // ---- the central queues: cern, koala ----
  /// Whose free processors a central queue's head gets. For cern: which site pulls first where several could;
  /// those with the most free pull the most often.
  ClusterChoice pull_choice = ClusterChoice::most_idle;
  /// For koala; worst fit is the default of the real one (Sonmez et al. 2006, section 4).
  ClusterChoice push_choice = ClusterChoice::most_idle;
  /// How often koala learns which processors became idle, at its multiples; 0: at once. "Periodically" in the
  /// paper.
  Duration monitoring = seconds(60);

  // ---- messages ----
  /// How often the two sides of a running job show that they live; 0: never. The default of Condor's
  /// ALIVE_INTERVAL, from memory.
  Duration keep_alive = seconds(300);
  /// Messages a period and cluster of a running job: one each way. The paper's 97 % (of the management messages)
  /// and 16 % (of all) ask for some 30 a job of one hour; one way would give 12, both ways give 24.
  std::uint32_t keep_alive_messages = 2;
};

}  // namespace dmm
