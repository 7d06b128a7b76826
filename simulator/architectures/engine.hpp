// How a modelled architecture is run: events in virtual time, ends before arrivals, then the architecture decides
// once for the instant.
//
// Messages that every model has are counted here, for each cluster that a job runs on: 2 of match-claim-release
// (it started, it ended; protocol/messages.hpp counts Started and Ended so too), and
// ModelParameters::keep_alive_messages for each full period of running. All others are counted by the model, whose
// header says which a job costs and why.
#pragma once

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/architectures/table.hpp"

namespace dmm {

struct ModelRun {
  const Grid& grid;
  const ArchitectureEntry& architecture;
  JobStream jobs;
  ModelParameters parameters = {};
  SimulationOptions options = {};
  SimulationSinks sinks = {};
};

/// Runs it to its end. All names in options.changes must exist.
SimulationTotals run_model(ModelRun run);

}  // namespace dmm
