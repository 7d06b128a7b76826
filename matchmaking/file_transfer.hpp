// How long it takes until input files are where a component would run. KOALA places jobs close to files by this
// estimate (Mohamed and Epema 2005, section 2.6).
#pragma once

#include <cstdint>
#include <span>

#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// The known properties of the way between this site and another.
struct WayToSite {
  SiteName site;
  Duration round_trip;
  std::uint64_t bandwidth = 0;  ///< bytes a second; 0: not known
};

/// How fast files recently went from one site to another.
struct MeasuredTransfer {
  SiteName from, to;
  std::uint64_t bandwidth = 0;  ///< bytes a second; above 0
};

/// The bandwidth that is assumed for an unknown way, in bytes a second: 100 Mbit/s, as between the clusters of the
/// paper.
constexpr std::uint64_t bandwidth_assumed = 12'500'000;

/// Time until all files are at the site, one after the other, each from the site that is quickest. A file that is there
/// already costs nothing. A measured transfer between two sites decides. Without one, the way between two other sites
/// goes over this one, `self`, and its slower half decides. `measured`: by `from`, then by `to`.
Duration transfer_time(std::span<const FileNeed> files, const SiteName& site, const SiteName& self,
                       std::span<const WayToSite> ways, std::span<const MeasuredTransfer> measured = {});

}  // namespace dmm
