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

/// Settings for all sites that override the topology. What isn't set stays as in the topology.
struct SiteChoice {
  bool paper = false;                   ///< the preset of the paper, below the keys of the file
  std::optional<bool> coarse;           ///< long terms, few hints, no longest lease; not set: if `paper` is
  std::optional<double> cycle_seconds;  ///< of matchmaking, also in the models
  std::optional<double> delegation_cycle_seconds;  ///< not set: half of cycle_seconds, if that is set
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
  std::uint32_t processors = 0;  ///< instead of a topology: one cluster with this number of processors
  std::vector<std::string> overrides;
  std::string settings_of;  ///< a site manager's file with settings that replace the daemons' defaults; or empty
  SiteChoice sites;
  WorkloadChoice workload;
  std::string architecture = "dmm";
  std::vector<SchedulerChange> changes;
  ModelParameters parameters;
  DmmOptions dmm;
  std::uint64_t seed = 1;
  std::optional<bool> cool_down;  ///< not set: true, but false under --paper
  Duration sample_every{};
};

}  // namespace dmm
