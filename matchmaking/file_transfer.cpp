#include "matchmaking/file_transfer.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

namespace dmm {
namespace {

/// Half of the way between this site and another; to this site itself there is no way to go.
WayToSite way_to(const SiteName& site, const SiteName& self, std::span<const WayToSite> ways) {
  if (site == self) return {site, {}, std::numeric_limits<std::uint64_t>::max()};
  const auto found = std::ranges::find(ways, site, &WayToSite::site);
  WayToSite way = found == ways.end() ? WayToSite{site, {}, 0} : *found;
  if (way.bandwidth == 0) way.bandwidth = bandwidth_assumed;
  return way;
}

Duration time_over(std::uint64_t bytes, const WayToSite& one, const WayToSite& other,
                   std::span<const MeasuredTransfer> measured) {
  const auto pair = std::tie(one.site, other.site);
  const auto pair_of = [](const MeasuredTransfer& transfer) { return std::tie(transfer.from, transfer.to); };
  const auto known = std::ranges::lower_bound(measured, pair, std::less<>{}, pair_of);
  const bool is_known = known != measured.end() && pair_of(*known) == pair;
  const std::uint64_t bandwidth = is_known ? known->bandwidth : std::min(one.bandwidth, other.bandwidth);
  const double seconds = static_cast<double>(bytes) / static_cast<double>(bandwidth);
  return one.round_trip + other.round_trip + Duration{static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e6)};
}

}  // namespace

Duration transfer_time(std::span<const FileNeed> files, const SiteName& site, const SiteName& self,
                       std::span<const WayToSite> ways, std::span<const MeasuredTransfer> measured) {
  const WayToSite to = way_to(site, self, ways);
  Duration whole;
  for (const FileNeed& file : files) {
    Duration soonest = duration_max;
    for (const SiteName& from : file.sites)
      soonest = from == site ? Duration{}
                             : std::min(soonest, time_over(file.bytes, way_to(from, self, ways), to, measured));
    if (!file.sites.empty()) whole = whole + soonest;
  }
  return whole;
}

}  // namespace dmm
