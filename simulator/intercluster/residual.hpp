// The residual run time of a co-allocated job, as its bandwidth changes. Times are in seconds.
#pragma once

namespace dmm {

/// The rest of a job if its share of bandwidth stays as it is: T_P^R and T_C^R of Jones et al. 2004, section 3.7.
struct Residual {
  double computation = 0;
  double communication = 0;  ///< at the present share, so longer than within one cluster

  /// T_E^R: until its end.
  double total() const { return computation + communication; }
};

/// The rest at the start of a job, before its share is known: the run time within one cluster, split by K.
Residual residual_at_start(double run, double computation_share);

/// The rest `elapsed` after the last change, when the job's share of its needed bandwidth changes (the slowdown
/// factors BW_sd' and BW_sd, both above 0). Computation and communication decrease in proportion, and communication
/// is scaled: Jones et al. 2004, equations 5 and 6.
Residual residual_after(const Residual& before, double elapsed, double share_before, double share_now);

}  // namespace dmm
