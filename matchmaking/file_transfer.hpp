// How long it takes until input files are where a component would run: the estimate by which KOALA places jobs
// close to files (Mohamed and Epema 2005, section 2.6).
#pragma once

#include <cstdint>
#include <span>

#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// What is known of the way between this site and another.
struct WayToSite {
  SiteName site;
  Duration round_trip;
  std::uint64_t bandwidth = 0;  ///< bytes a second; 0: not known
};

/// How fast files went from one site to another of late.
struct MeasuredTransfer {
  SiteName from, to;
  std::uint64_t bandwidth = 0;  ///< bytes a second; above 0
};

/// What a way carries of which nothing is known, in bytes a second: 100 Mbit/s, as between the clusters of the
/// paper.
constexpr std::uint64_t bandwidth_assumed = 12'500'000;

/// Until all files are at the site, one after the other, each from the site that is quickest. A file that is there
/// costs nothing. What was measured between two sites decides; else the way between two other sites goes over this
/// one, `self`, and its slower half decides. `measured`: by `from`, then by `to`.
Duration transfer_time(std::span<const FileNeed> files, const SiteName& site, const SiteName& self,
                       std::span<const WayToSite> ways, std::span<const MeasuredTransfer> measured = {});

}  // namespace dmm
