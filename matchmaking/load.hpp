// The load of a site, whether it is over the delegation threshold, and what the site may lend while its own
// users wait.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace dmm {

/// What the load of a site is made of, in processors (Iosup et al. 2007, section 4.4). Leased-in nodes and
/// foreign requests are in no term.
struct Load {
  std::uint64_t used = 0;    ///< owned processors in use or lent
  std::uint64_t queued = 0;  ///< asked for by local requests that wait here and are not out on a delegation
  std::uint64_t owned = 0;

  auto operator<=>(const Load&) const = default;
};

/// (used + queued) / owned, for people to read; infinite where nothing is owned.
double value(const Load& load);

/// Whether the load is over the threshold, which counts in steps of a millionth. Compared in integers, so
/// that a load of exactly the threshold is never over it by rounding. A site that owns nothing is always
/// over.
bool over(const Load& load, double threshold);

/// What may be lent of each cluster, given the free processors of each: the demand of queued local requests
/// is taken away first, from the clusters with most free (the earlier of equal ones), until it is used up.
std::vector<std::uint32_t> lendable(std::span<const std::uint32_t> free_processors,
                                    std::uint64_t queued_local_demand);

}  // namespace dmm
