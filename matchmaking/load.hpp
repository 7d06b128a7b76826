// The load of a site, whether it is over the delegation threshold, and what the site may lend while its own
// users wait.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace dmm {

/// The terms of a site's load, in processors (Iosup et al. 2007, section 4.4). Leased-in nodes and foreign requests are
/// in no term.
struct Load {
  std::uint64_t used = 0;    ///< owned processors in use or lent
  std::uint64_t queued = 0;  ///< asked for by local requests that wait here and are not out on a delegation
  std::uint64_t owned = 0;

  auto operator<=>(const Load&) const = default;
};

/// (used + queued) / owned, for people to read; infinite where nothing is owned.
double value(const Load& load);

/// Whether the load is over the threshold, which counts in steps of a millionth. Compared in integers: rounding never
/// puts a load of exactly the threshold over it. A site that owns nothing is always over.
bool over(const Load& load, double threshold);

/// The processors of each cluster that may be lent, given the free ones. The demand of queued local requests is
/// subtracted first, always from the cluster with most free processors (the earlier of equal ones), until it is used
/// up.
std::vector<std::uint32_t> lendable(std::span<const std::uint32_t> free_processors,
                                    std::uint64_t queued_local_demand);

}  // namespace dmm
