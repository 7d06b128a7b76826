// The modelled architectures by name. A new one needs a file with a class like Fcfs, a type here and a line in
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

/// Any modelled architecture. All of them have:
///   a constructor of (const Floor&, const ModelParameters&), which may look at jobs that run already.
///   arrive(floor, job)      A job is submitted: keep it, or let the floor refuse it.
///   ended(floor, running)   A job left its processors. An earlier architecture may have started it.
///   settle(floor)           Decide, once after all events of an instant, and at each wake.
///   next_wake()             When time alone requires a decision, later than now; `never` if there is none.
///   hand_over()             All waiting jobs in the order of arrival, for another one; this one isn't used again.
using Scheduler =
    std::variant<Fcfs, Easy, Conservative, Cern, Koala, Condor, Fcondor, NoSharing, MigrationOnly, Bfff>;

struct ArchitectureEntry {
  std::string_view name;
  std::string_view about;  ///< one line for --help
  Scheduler (*make)(const Floor&, const ModelParameters&);
};

/// All of them, in the order of documentation.
const std::vector<ArchitectureEntry>& architectures();
const ArchitectureEntry* find_architecture(std::string_view name);

}  // namespace dmm
