// The workload of a simulation as its user chose it: logs, or a model. Chosen once, and opened as often as it is
// simulated, also by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/recording.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"
#include "simulator/architectures/grid.hpp"
#include "workloads/model.hpp"
#include "workloads/replay.hpp"

namespace CLI {
class App;
}

namespace dmm {

/// The options.
struct WorkloadChoice {
  std::vector<std::string> logs;  ///< --workload: "FILE", or "CLUSTER=FILE"
  std::string column;         ///< --cluster-column: partition, site, queue; empty: partition if there is one log
  bool by_unix_time = false;  ///< --align unix
  bool skip_bad_lines = false;
  bool cut_to_estimates = false;
  std::optional<std::int64_t> from_seconds, to_seconds;
  std::uint64_t jobs_max = 0;
  double load_factor = 1;
  double shift_seconds = 0;
  std::int64_t run_cap_seconds = 0;

  std::string recording;  ///< --recording: a folder of live job managers' logs, instead of traces or a model
  double speedup = 1;     ///< how much faster than it stands for the recorded system ran

  std::string model;                  ///< --model: lublin-feitelson; empty: logs
  std::vector<double> loads = {0.7};  ///< one for all clusters, or one each
  double days = 1;
  std::string variant;                ///< grid, all, types; empty: grid, or all where there is one cluster
  std::string correction = "reject";  ///< none, reject, rescale
  std::uint32_t users = 1;            ///< of each cluster

  bool operator==(const WorkloadChoice&) const = default;
};

/// Adds the options. A model's load is added where it isn't what is compared.
void add_workload_options(CLI::App& command, WorkloadChoice& choice);

/// A workload being read once.
struct OpenWorkload {
  JobStream jobs;
  std::shared_ptr<LogReplay> replay;  ///< of logs: what became of their lines
  std::uint64_t jobs_expected = 0;    ///< 0: not known
};

class WorkloadSource {
 public:
  /// A fault (exit code 2) if the choice makes no sense, or doesn't fit the clusters.
  static OrFault<WorkloadSource, CommandFault> make(const WorkloadChoice& choice, const Grid& grid,
                                                    std::uint64_t seed);

  OrFault<OpenWorkload, CommandFault> open() const;
  /// "lublin-feitelson, load 0.7, 1 d" or the names of the logs' files.
  const std::string& title() const { return title_; }
  /// The same for files: no blanks, commas or quotation marks.
  const std::string& name() const { return name_; }
  /// What is worth knowing once it was read to its end: the rules, what was left out, the load that came of it.
  std::vector<std::string> notes(const OpenWorkload& read) const;

 private:
  std::string title_;
  std::string name_;
  ReplayOptions replay_;
  std::optional<Recording> recording_;
  std::shared_ptr<const ModelWorkload> model_;
};

}  // namespace dmm
