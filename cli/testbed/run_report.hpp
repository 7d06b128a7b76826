// What `dmm run` prints at its end, as text for people and as one JSON object. Pure: figures in, text out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// Everything known after a run. Times of `figures` are trace seconds, all others real.
struct RunReport {
  std::string topology;
  std::string workload;
  double speedup = 1;
  std::int64_t run_cap_seconds = 0;
  double elapsed_seconds = 0;  ///< from the first submission to the end of the last job
  std::uint64_t sites = 0;
  std::uint64_t processors = 0;

  Summary figures;
  std::uint64_t jobs_in_workload = 0;  ///< to be submitted; an interrupted run submitted fewer
  std::uint64_t jobs_rerun = 0;
  std::uint64_t capped = 0;            ///< jobs with a run time that was cut to the cap
  double overhead_median_seconds = 0;  ///< time that DMM added to a job from its grant to its known end
  double grant_median_seconds = 0;  ///< from a job's submission to its grant: waiting for nodes and finding them
  std::map<std::string, std::uint64_t> messages;  ///< sent by all processes, by kind
  std::uint64_t messages_resent = 0;

  std::vector<std::string> not_home;  ///< one line each: "das-3: 2 of 64 processors busy"
  std::uint64_t nodes_not_home = 0;
  std::vector<std::string> trouble;  ///< what else went wrong, one line each
  std::uint64_t processes_ended = 0;
  std::uint64_t processes_killed = 0;    ///< processes that didn't end by a signal to stop
  std::vector<std::string> left_behind;  ///< processes, sockets and files that should be gone
  bool stopped = false;                  ///< the testbed was stopped, and checked for remains
  bool interrupted = false;              ///< by Ctrl-C
  bool timed_out = false;                ///< by --timeout

  std::string chain_request;             ///< the request of the drawn chain
  std::vector<std::string> chain_lines;  ///< the drawing
  std::string logs;                      ///< the folder that holds them
};

/// Blanks before each line of the chain.
constexpr std::size_t chain_indent = 2;

/// Whether DMM's own time, times the speed-up, exceeds what jobs waited for nodes. The waits then describe this
/// machine, not the schedule.
bool is_too_fast(const RunReport& report);

/// Whether the run succeeded: every job ended well, and every node is home.
bool all_well(const RunReport& report);

/// Lines for people.
std::vector<std::string> render_report(const RunReport& report, const Style& style);
/// One object.
nlohmann::ordered_json to_json(const RunReport& report);

}  // namespace dmm
