// The settings of simulated sites: those that daemons with the same files would have, from the topology, --set and the
// daemons' defaults. Options replace some: --paper and --coarse below the file's keys, --cycle, --target and others for
// all sites. The output lists every replaced setting.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/time.hpp"
#include "simulator/architectures/dmm.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct SimulationChoice;

/// A setting of the simulated sites that daemons with the same files would not have.
struct Replacement {
  std::string key;        ///< as in the file: "term_seconds", "policies.target"
  std::string daemons;    ///< the daemon's value, as JSON
  std::string used;       ///< the simulated value, as JSON
  std::string by;         ///< which option replaced it, or "simulation" for what every simulation replaces
  std::size_t sites = 0;  ///< how many sites have it
};

/// The replaced settings, by key. Empty for the models, which have no site managers.
std::variant<std::vector<Replacement>, CommandFault> replaced_in(const SimulationChoice& choice);
/// "term_seconds 3000 instead of 30 (--coarse)".
std::string to_text(const Replacement& replacement, std::size_t sites);
/// An array of objects: key, daemon, used, by, sites.
nlohmann::ordered_json to_json(const std::vector<Replacement>& replaced);

/// The grid alone, under the settings of the choice.
OrFault<Topology, CommandFault> topology_of(const SimulationChoice& choice);
/// The options of dmm. Links beat as those of daemons do, unless an option replaces that.
OrFault<DmmOptions, CommandFault> dmm_options_of(const SimulationChoice& choice);

}  // namespace dmm
