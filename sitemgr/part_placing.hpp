// What a co-allocated request is placed on, and the parts that a placement makes of it (docs/protocol.md section 6.6).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "matchmaking/file_transfer.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// The clusters that the request may be placed on: this site's own first, and how those of others are reached.
struct CoMap {
  std::vector<ClusterView> views;
  std::size_t own = 0;
  std::vector<ClusterBoard::Known> others;
  const HopLease* leased =
      nullptr;  ///< the last of the views is of its nodes, which this site has and no job uses
  std::map<std::size_t, std::string> notes;  ///< by view: why none of its nodes may be used; empty: all are in use

  bool is_own(std::size_t cluster) const { return cluster < own; }
  /// Whether none of its nodes may be used, whatever becomes free there.
  bool is_barred(std::size_t cluster) const {
    const auto note = notes.find(cluster);
    return note != notes.end() && !note->second.empty();
  }
  bool is_leased(std::size_t cluster) const { return leased && cluster + 1 == views.size(); }
};

/// The way to the site of a cluster, as it was reported.
WayToSite way_of(const ClusterBoard::Known& known);
/// How a request stands among others that are co-allocated.
Precedence precedence_of(const SiteParts& parts, const LocalRequest& request);
/// `with_held`: nodes that are held for other requests count as idle, since they would be freed for an older one.
CoMap co_map_for(SiteParts& parts, Instant now, const LocalRequest& request, bool with_held);
/// Whether hosts of the cluster keep input files for later jobs, as far as this site knows.
bool keeps_files(const SiteParts& parts, Instant now, const SiteName& site, const ClusterName& cluster);
/// Leased nodes as a place: what a job has given back, in one cluster. False: they lie in several.
bool add_leased(CoMap& map, const HopLease& lease, const Constraints& constraints);
/// "alpha/c1 6 of 18, beta/c1 12 of 15": what was free where, for people.
std::string text_of(const CoMap& map);
/// Why a placement is as it is, as far as a person would read.
std::string text_of(const SiteParts& parts, const ResourceNeed& need, const Placement& placement,
                    const CoMap& map);
/// The components of a placement by site, in the order of the components.
std::vector<CoPart> parts_of(const LocalRequest& request, const Placement& placement, const CoMap& map);

}  // namespace dmm::site_steps
