// WithinReach: which sites could serve a job when idle, by configuration. A refusal is right only if no site could.
// What was configured a short time ago may not be known everywhere yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/faults/capacity.hpp"
#include "simulator/faults/random_grid.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

/// "4 + 2 processors of DTTL 3"
std::string text_of_demand(const JobDescription& job);

class WithinReach {
 public:
  /// An act may change the configuration.
  void note(const Act& act, Instant now);
  /// The present number of nodes of a resource manager that was resized, else `otherwise`.
  std::uint32_t nodes_of(const Party& manager, std::uint32_t otherwise) const;
  /// The sites within reach that could serve the job when idle, as positions in the topology.
  std::vector<std::size_t> sites_that_could_serve(const World& world, const Party& user,
                                                  const JobDescription& job) const;
  /// Whether the job may have components at several sites, and the sites within reach together could hold it when
  /// idle.
  bool could_hold_together(const World& world, const Party& user, const JobDescription& job) const;
  /// Whether the search of the job's home comes to all sites within reach.
  static bool searches_all(const World& world, const Party& user);
  /// Whether idle nodes should soon serve the request. Not if its home site asks neighbours only when its own queue is
  /// longer than the site is wide.
  static bool is_watched(const World& world, const Party& user, const ResourceNeed& need);

 private:
  std::uint32_t nodes_of_late(const World& world, const Party& manager, std::uint32_t nodes) const;
  std::vector<Room> rooms_for(const World& world, const TopologySite& site, const JobDescription& job,
                              bool is_home) const;
  bool could_hold(const World& world, const TopologySite& site, const JobDescription& job, bool is_home) const;
  std::vector<std::size_t> reach_of(const World& world, const Party& user, std::uint32_t dttl) const;
  bool changed_of_late(const World& world, const SiteName& a, const SiteName& b) const;

  /// Of resource managers, by configuration.
  std::map<Party, std::vector<std::pair<Instant, std::uint32_t>>> sizes_;
  std::map<std::pair<SiteName, SiteName>, Instant> links_changed_;  ///< by configuration
};

}  // namespace dmm
