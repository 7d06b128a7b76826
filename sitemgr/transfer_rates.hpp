// TransferRates: how fast files of this site's users went from one site to another of late, as their job managers
// said. Close-to-files estimates by that, rather than by what links carry, where it is known (Mohamed and Epema
// 2005, section 2.6). Soft state: what is old or wrong costs another order of placement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "matchmaking/file_transfer.hpp"

namespace dmm {

class TransferRates {
 public:
  /// Pairs of sites that are remembered; beyond it the one that was heard of longest ago is forgotten.
  static constexpr std::size_t pairs_max = 1'024;
  /// For so long.
  static constexpr Duration remembered = seconds(3600);
  /// Transfers of less tell of round trips, and not of a rate.
  static constexpr std::uint64_t bytes_min = 1'000'000;

  /// These bytes took that long. Of the rate that is known each transfer changes a quarter. One that took over four
  /// times as long as `expected`, and 5 s, may have met a fault: it is set aside, unless the one before it did so, too.
  void heard(Instant now, const SiteName& from, const SiteName& to, std::uint64_t bytes, Duration took,
             Duration expected);
  /// All that are remembered now, by `from`, then by `to`.
  std::vector<MeasuredTransfer> all(Instant now) const;
  std::size_t size() const { return rates_.size(); }

 private:
  struct Rate {
    double bandwidth = 0;              ///< bytes a second; 0: not known
    Instant heard{};                   ///< when a transfer last changed it
    std::optional<Instant> slow = {};  ///< when the last transfer ended, if it was a slow one
    Instant latest() const { return std::max(heard, slow.value_or(heard)); }
  };
  void forget_oldest();

  std::map<std::pair<SiteName, SiteName>, Rate> rates_;
};

}  // namespace dmm
