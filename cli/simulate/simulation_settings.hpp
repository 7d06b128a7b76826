// How the sites of a simulation are set. They are what daemons with the same files would be: what the topology and
// --set say, and the daemons' defaults for the rest. What an option replaces goes below the file's keys (--paper,
// --coarse) or is one setting of all sites (--cycle, --target, ...); either way the output lists it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"
#include "protocol/time.hpp"
#include "simulator/architectures/dmm.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct SimulationChoice;

/// A setting that the simulated sites have, and daemons with the same files would not.
struct Replacement {
  std::string key;        ///< as in the file: "term_seconds", "policies.target"
  std::string daemons;    ///< what a daemon would have, as JSON
  std::string used;       ///< what was simulated, as JSON
  std::string by;         ///< which option replaced it, or "simulation" for what every simulation replaces
  std::size_t sites = 0;  ///< at how many sites
};

/// The replaced settings, by key. Empty for the models, which have no site managers.
std::variant<std::vector<Replacement>, CommandFault> replaced_in(const SimulationChoice& choice);
/// "term_seconds 3000 instead of 30 (--coarse)".
std::string to_text(const Replacement& replacement, std::size_t sites);
/// An array of objects: key, daemon, used, by, sites.
nlohmann::ordered_json to_json(const std::vector<Replacement>& replaced);

/// The grid alone, under the settings of the choice.
OrFault<Topology, CommandFault> topology_of(const SimulationChoice& choice);
/// The options of dmm, with the beats of links as daemons have them unless they are replaced.
OrFault<DmmOptions, CommandFault> dmm_options_of(const SimulationChoice& choice);

}  // namespace dmm
