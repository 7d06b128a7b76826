// The options of one simulation, as the command line says them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/workload_choice.hpp"
#include "protocol/time.hpp"
#include "simulator/architectures/dmm.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/run.hpp"

namespace dmm {

/// What is set for all sites over what the topology says of them; nothing for what isn't.
struct SiteChoice {
  bool paper = false;                              ///< the preset, below the keys of the file
  std::optional<bool> coarse;                      ///< long terms, few hints, no limit; as under paper if not set
  std::optional<double> cycle_seconds;             ///< of matchmaking, of the models also
  std::optional<double> delegation_cycle_seconds;  ///< otherwise half of the other if that was set
  std::optional<double> delegation_threshold;
  std::optional<double> term_seconds;
  std::string dispatching, delegation, target, placement, flexible_placement;  ///< policies; empty: not set
  std::optional<bool> hints;
  std::optional<bool> keep_local;
  std::optional<bool> owner_first;
};

/// The options of one simulation.
struct SimulationChoice {
  std::string topology;          ///< a file
  std::uint32_t processors = 0;  ///< or one cluster of so many
  std::vector<std::string> overrides;
  std::string settings_of;  ///< a site manager's file, whose settings stand for the daemons' defaults; or empty
  SiteChoice sites;
  WorkloadChoice workload;
  std::string architecture = "dmm";
  std::vector<SchedulerChange> changes;
  ModelParameters parameters;
  DmmOptions dmm;
  std::uint64_t seed = 1;
  std::optional<bool> cool_down;  ///< otherwise with, but without under --paper
  Duration sample_every{};
};

}  // namespace dmm
