// Runs a modelled architecture: events in virtual time, ends before arrivals, then the architecture decides once for
// the instant.
//
// The engine counts the messages that every model has, for each cluster of a job. These are 2 match-claim-release (it
// started, it ended; protocol/messages.hpp also counts Started and Ended so), and
// ModelParameters::keep_alive_messages for each full period of running. The model counts all other messages, and its
// header says what a job costs and why.
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
