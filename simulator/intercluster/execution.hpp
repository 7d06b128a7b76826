// The run time of a job with processors in several clusters (a co-allocated job): the three models that a simulation
// can choose from. A job within one cluster always runs as long as its log or model says.
#pragma once

#include <cstdint>
#include <variant>

namespace dmm {

/// The same as within one cluster: the links are unlimited. `NO_COMM_PENALTY` of Jones et al. 2004, section 5.2.
struct PlainExecution {
  bool operator==(const PlainExecution&) const = default;
};

/// The run time of a co-allocated job is multiplied by a constant, whatever else runs (Ernemann et al. 2002;
/// Jones et al. 2004, section 5.2: BFFF_FIXED_COMM).
struct FixedPenalty {
  double factor = 1;

  bool operator==(const FixedPenalty&) const = default;
};

/// Which bandwidth is the same for all jobs of a run. The other one follows from it and the size of a job (equation
/// 7).
enum class BandwidthKind : std::uint8_t {
  per_processor,  ///< PPBW: what a processor sends, equally to all others
  bisection,      ///< BSBW: traffic between the two halves of a job
};

/// Co-allocated jobs share the links of their clusters, so the end of each depends on all others (Jones et al.
/// 2004, section 3). Each cluster has one link, to an ideal central switch; clusters are ideal within.
struct SharedLinks {
  double link_megabits = 1000;  ///< megabits a second that each link carries; above 0
  BandwidthKind bandwidth_kind = BandwidthKind::bisection;
  double bandwidth_megabits = 0;   ///< megabits a second that jobs need to run at full speed, by bandwidth_kind
  double computation_share = 0.7;  ///< K: the share of computation in a job's run time within one cluster, 0 to 1

  bool operator==(const SharedLinks&) const = default;
};

using Execution = std::variant<PlainExecution, FixedPenalty, SharedLinks>;

}  // namespace dmm
