#include "simulator/architectures/table.hpp"

namespace dmm {
namespace {

template <class Model>
Scheduler make(const Floor& floor, const ModelParameters& parameters) {
  return Model(floor, parameters);
}

}  // namespace

const std::vector<ArchitectureEntry>& architectures() {
  static const std::vector<ArchitectureEntry> table = {
      {"sep-c", "independent clusters, each with a first-come queue of its own", make<Fcfs>},
      {"condor", "independent clusters, matched in rounds, first come, first served", make<Condor>},
      {"cern", "a central queue that clusters with idle processors pull from", make<Cern>},
      {"koala", "a central queue that pushes jobs to clusters that were reported idle", make<Koala>},
      {"fcondor", "condor with flocking: users go from cluster to cluster, with fair share", make<Fcondor>},
      {"no-sharing", "each job on its home cluster; whatever fits starts", make<NoSharing>},
      {"migration-only", "each job whole on the cluster that it fits best; whatever fits starts",
       make<MigrationOnly>},
      {"bfff", "jobs are split over clusters where none has room; whatever fits starts", make<Bfff>},
      {"fcfs", "one cluster: first come, first served, without backfilling", make<Fcfs>},
      {"easy", "one cluster: backfilling that never delays the first job that waits", make<Easy>},
      {"conservative", "one cluster: backfilling that never delays any job that waits", make<Conservative>},
  };
  return table;
}

const ArchitectureEntry* find_architecture(std::string_view name) {
  for (const ArchitectureEntry& entry : architectures())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace dmm
