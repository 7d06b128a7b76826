#include "simulator/intercluster/residual.hpp"

#include <algorithm>

namespace dmm {

Residual residual_at_start(double run, double computation_share) {
  const double computation = run * computation_share;
  return {.computation = computation, .communication = run - computation};
}

Residual residual_after(const Residual& before, double elapsed, double share_before, double share_now) {
  const double total = before.total();
  // Ends are rounded to the clock's ticks, so a job can be up to half a tick beyond its end.
  const double left = total > 0 ? std::max(0.0, 1 - elapsed / total) : 0;
  return {.computation = before.computation * left,
          .communication = before.communication * left * share_before / share_now};
}

}  // namespace dmm
