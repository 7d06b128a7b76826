// Population: the managers of a simulated world by address, and the topology that they belong to. It says what the
// present configuration is for each of them, and what they show when looked at from outside.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "manager/lookup.hpp"
#include "simulator/world/actor.hpp"
#include "topologies/topology.hpp"

namespace dmm {

class Population {
 public:
  /// An actor for each manager of the topology; none of them is up.
  explicit Population(Topology topology);

  // ---- managers ----
  std::size_t size() const { return actors_.size(); }
  Actor& operator[](Address address) { return *actors_[address]; }
  const Actor& operator[](Address address) const { return *actors_[address]; }
  const std::vector<std::unique_ptr<Actor>>& actors() const { return actors_; }
  const std::vector<Party>& parties() const { return parties_; }
  const Party& party(Address address) const { return parties_[address]; }
  Address address_of(const Party& party) const;
  bool has(const Party& party) const { return addresses_.contains(party); }
  /// nullptr while it is down.
  template <class Manager>
  const Driver<Manager>* driver_of(const Party& party) const {
    const Actor& actor = *actors_[address_of(party)];
    return actor.driver.get<Manager>();
  }

  // ---- configuration ----
  const Topology& topology() const { return topology_; }
  /// Of all clusters.
  std::uint64_t nodes() const { return nodes_; }
  const TopologySite& site_of(const Actor& actor) const { return topology_.sites[actor.site]; }
  /// Changes the settings of the manager's site.
  void configure(const Actor& actor, const SiteSettings& settings) {
    topology_.sites[actor.site].settings = settings;
  }
  /// The peers that the manager accepts, without keys.
  Admission admission_of(const Actor& actor) const;
  ResourceManagerSettings resource_manager_settings(Address address) const;
  /// Whether the present configuration still has this peer: a site doesn't dial a former neighbour.
  bool dials(const Actor& actor, Address listener) const;

  // ---- looking ----
  /// Whether nothing is leased, waits or runs anywhere.
  bool is_at_rest() const;
  /// Nodes that aren't free at their owner.
  std::uint64_t nodes_not_home() const;
  /// How often the managers that are up refused a frame for this reason.
  std::uint64_t refused(const std::string& reason) const;
  /// How a manager's ledger differs from what it should hold by now; empty if it doesn't.
  std::string ledger_fault(const Party& party) const;
  /// The number of records in its ledger; 0 without one.
  std::size_t records_of(const Party& party) const;

 private:
  Address add(Party party, std::size_t site);

  Topology topology_;
  std::uint64_t nodes_;
  std::vector<std::unique_ptr<Actor>> actors_;  ///< a process never moves
  std::vector<Party> parties_;                  ///< by address
  Lookup<Party, Address> addresses_;
};

}  // namespace dmm
