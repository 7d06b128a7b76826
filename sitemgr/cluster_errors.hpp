// ClusterErrors: clusters of other sites with hosts that failed jobs of this site's users many times in a row. For
// a while no part of a co-allocated job is placed there, twice as long each time (Mohamed and Epema 2005,
// section 3.4). One job that is served there makes up for all. Soft state: nothing of it outlives a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

class ClusterErrors {
 public:
  /// Clusters that are remembered; beyond it the one that failed longest ago is forgotten.
  static constexpr std::size_t clusters_max = 4'096;
  static constexpr Duration pause_max = seconds(86'400);

  /// A host of the cluster failed a job. After `most` times in a row (0: never) the cluster is set aside: until
  /// then.
  std::optional<Instant> failed(Instant now, const SiteName& site, const ClusterName& cluster, std::uint32_t most,
                                Duration pause_first);
  /// A job was served there.
  void served(const SiteName& site, const ClusterName& cluster) {
    if (!clusters_.empty()) clusters_.erase({site, cluster});
  }
  /// Whether no job is placed there now. After that a single failure sets it aside again.
  bool is_aside(Instant now, const SiteName& site, const ClusterName& cluster) const;
  std::size_t size() const { return clusters_.size(); }

  /// A cluster that is set aside.
  struct Aside {
    SiteName site;
    ClusterName cluster;
    std::uint32_t failures = 0;  ///< in a row
    Duration left;               ///< how long yet
  };
  /// All that are set aside now, in the order of their names; `most` at most.
  std::vector<Aside> aside(Instant now, std::size_t most) const;
  /// Why no job is placed on the cluster now, for people; empty if it isn't set aside.
  std::string why_aside(Instant now, const SiteName& site, const ClusterName& cluster) const;

 private:
  struct Errors {
    std::uint32_t in_a_row = 0;
    Instant latest{};
    Duration pause;  ///< how long it was last set aside
    Instant aside_until{};
  };
  void forget_oldest();

  std::map<std::pair<SiteName, ClusterName>, Errors> clusters_;
};

}  // namespace dmm
