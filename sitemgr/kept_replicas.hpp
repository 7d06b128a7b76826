// KeptReplicas: input files that clusters keep since jobs of this site's users had them there, as their job
// managers said. Close-to-files takes them for near. Soft state: what is gone there by now costs a transfer that
// no estimate had.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>

#include "protocol/ids.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

class KeptReplicas {
 public:
  /// Files at clusters that are remembered; beyond it the one that was used longest ago is forgotten.
  static constexpr std::size_t files_max = 4'096;
  /// For so long after a job last had it.
  static constexpr Duration remembered = seconds(6 * 3600);

  /// A task of a cluster that keeps files had this one, by its SHA-256.
  void heard(Instant now, const ShortText& sha256, const SiteName& site, const ClusterName& cluster);
  bool has(Instant now, const ShortText& sha256, const SiteName& site, const ClusterName& cluster) const;
  std::size_t size() const { return files_.size(); }

 private:
  void forget_oldest();

  std::map<std::tuple<ShortText, SiteName, ClusterName>, Instant> files_;  ///< when a job last had it
};

}  // namespace dmm
