// The modelled architectures by name. A new one is a file with a class like Fcfs, a word here and a line in
// table.cpp. `dmm`, which is no model, has its own file (dmm.hpp).
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "simulator/architectures/bfff.hpp"
#include "simulator/architectures/cern.hpp"
#include "simulator/architectures/condor.hpp"
#include "simulator/architectures/conservative.hpp"
#include "simulator/architectures/easy.hpp"
#include "simulator/architectures/fcfs.hpp"
#include "simulator/architectures/fcondor.hpp"
#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/koala.hpp"
#include "simulator/architectures/migration_only.hpp"
#include "simulator/architectures/no_sharing.hpp"
#include "simulator/architectures/parameters.hpp"

namespace dmm {

/// Any of them. What all of them have:
///   a constructor of (const Floor&, const ModelParameters&), which may look at what runs already
///   arrive(floor, job)      a job is submitted: keep it, or have the floor refuse it
///   ended(floor, running)   a job, whoever started it, left its processors
///   settle(floor)           decide, once after all events of an instant, and at each wake
///   next_wake()             when time alone calls for a decision: later than now; never if none waits
///   hand_over()             all that waits, in the order of arrival, to another one; it isn't used again
using Scheduler =
    std::variant<Fcfs, Easy, Conservative, Cern, Koala, Condor, Fcondor, NoSharing, MigrationOnly, Bfff>;

struct ArchitectureEntry {
  std::string_view name;
  std::string_view about;  ///< one line for --help
  Scheduler (*make)(const Floor&, const ModelParameters&);
};

/// All of them, in the order in which people read of them.
const std::vector<ArchitectureEntry>& architectures();
const ArchitectureEntry* find_architecture(std::string_view name);

}  // namespace dmm
