// How long a co-allocated job still runs, as the bandwidth that it gets changes. Times are in seconds.
#pragma once

namespace dmm {

/// What is left of a job if its share of bandwidth stays as it is: T_P^R and T_C^R of Jones et al. 2004, section
/// 3.7.
struct Residual {
  double computation = 0;
  double communication = 0;  ///< at the present share, so longer than within one cluster

  /// T_E^R: until its end.
  double total() const { return computation + communication; }
};

/// What is left when it starts, before its share is known: the run time within one cluster, split by K.
Residual residual_at_start(double run, double computation_share);

/// What is left `elapsed` after the last change, when the share of what it needs goes from one value to another
/// (the slowdown factors BW_sd' and BW_sd, both above 0). Computation and communication wear off in proportion,
/// and communication is scaled: Jones et al. 2004, equations 5 and 6.
Residual residual_after(const Residual& before, double elapsed, double share_before, double share_now);

}  // namespace dmm
