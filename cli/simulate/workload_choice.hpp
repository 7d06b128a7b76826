// The workload of a simulation as the user chose it: logs or a model. It is chosen once and opened for each simulation,
// also by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/recording.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"
#include "simulator/architectures/grid.hpp"
#include "workloads/model.hpp"
#include "workloads/replay.hpp"

namespace CLI {
class App;
}

namespace dmm {

/// The options of a workload.
struct WorkloadChoice {
  std::vector<std::string> logs;  ///< --workload: "FILE", or "CLUSTER=FILE"
  std::string column;         ///< --cluster-column: partition, site, queue; empty: partition, if there is one log
  bool by_unix_time = false;  ///< --align unix
  bool skip_bad_lines = false;
  bool cut_to_estimates = false;
  std::optional<std::int64_t> from_seconds, to_seconds;
  std::uint64_t jobs_max = 0;
  double load_factor = 1;
  double shift_seconds = 0;
  std::int64_t run_cap_seconds = 0;

  std::string recording;  ///< --recording: a folder of live job managers' logs, instead of traces or a model
  double speedup = 1;     ///< how much faster the recorded system ran than the system that it stands for

  std::string model;                  ///< --model: lublin-feitelson; empty: logs
  std::vector<double> loads = {0.7};  ///< one for all clusters, or one for each
  double days = 1;
  std::string variant;                ///< grid, all, types; empty: grid, but all if there is one cluster
  std::string correction = "reject";  ///< none, reject, rescale
  std::uint32_t users = 1;            ///< of each cluster

  bool operator==(const WorkloadChoice&) const = default;
};

/// Adds the options. The option for a model's load is left out if the command compares loads.
void add_workload_options(CLI::App& command, WorkloadChoice& choice);

/// A workload while it is read.
struct OpenWorkload {
  JobStream jobs;
  std::shared_ptr<LogReplay> replay;  ///< of logs: how many of their lines became jobs, and how many were left out
  std::uint64_t jobs_expected = 0;    ///< 0: not known
};

class WorkloadSource {
 public:
  /// A fault (exit code 2) if the choice is contradictory or doesn't fit the clusters.
  static OrFault<WorkloadSource, CommandFault> make(const WorkloadChoice& choice, const Grid& grid,
                                                    std::uint64_t seed);

  OrFault<OpenWorkload, CommandFault> open() const;
  /// "lublin-feitelson, load 0.7, 1 d", or the names of the log files.
  const std::string& title() const { return title_; }
  /// The title as part of a file name: without blanks, commas and quotation marks.
  const std::string& name() const { return name_; }
  /// Notes for people after the workload was read to its end: the rules, what was left out, the resulting load.
  std::vector<std::string> notes(const OpenWorkload& read) const;

 private:
  std::string title_;
  std::string name_;
  ReplayOptions replay_;
  std::optional<Recording> recording_;
  std::shared_ptr<const ModelWorkload> model_;
};

}  // namespace dmm
