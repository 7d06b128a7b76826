// The command line of `dmm run`.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/testbed/commands.hpp"
#include "cli/testbed/run.hpp"
#include "protocol/hints.hpp"

namespace dmm {

CLI::App* add_run_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("run", "Run a workload on a grid of real processes, and sum it up");
  auto options = std::make_shared<RunOptions>();
  TestbedOptions& testbed = options->testbed;
  command->add_option("topology", testbed.topology, "The grid (JSON)")->required()->type_name("TOPOLOGY");
  command->add_option("--workload", options->workload.path, "The jobs: Standard Workload Format, plain or gzip")
      ->required()
      ->type_name("FILE");
  command->add_option("--speedup", testbed.speedup, "Divides arrivals, run times and cycles (default 1)")
      ->check(CLI::Range(1e-3, 1e9))
      ->type_name("X");
  command
      ->add_option("--jobs", options->workload.jobs_max,
                   "Only this number of jobs, spread over the whole workload")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->type_name("N");
  command
      ->add_option("--run-cap", options->workload.run_cap_seconds,
                   "Longer run times are cut to this; 0 for none (default 21600, six hours)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->type_name("SECONDS");
  command->add_option("--dttl", options->dttl, "Hops that a request may travel (default 5)")
      ->check(CLI::Range(0u, dttl_max))
      ->type_name("N");
  command->add_option("--set", testbed.overrides, "A key of the topology, as in defaults.lend=false")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command->add_option("--name", testbed.name, "The name of the testbed (default: the topology's)")
      ->type_name("NAME");
  command->add_option("--output", options->output, "The folder for logs, jobs.jsonl and summary.json")
      ->type_name("FOLDER");
  command
      ->add_option(
          "--timeout", options->timeout_seconds,
          "Give up when no job started or ended for the longest run time and this time more (default 600)")
      ->check(CLI::Range(1.0, 1e9))
      ->type_name("SECONDS");
  command->add_flag("--keep", options->keep, "Leave the testbed up afterwards");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "A job of n processors and r seconds is one real process that holds n slots for r / X seconds.\n"
      "Progress goes to standard error, in place on a terminal; Ctrl-C stops everything in order.\n"
      "Exit codes: 0 all jobs finished and every node is home, 1 not so, 2 bad input, 130 interrupted.\n"
      "\n"
      "Examples:\n"
      "  dmm run topologies/two-sites.json --workload workloads/two-sites-morning.swf.gz --speedup 600\n"
      "  dmm run topologies/dual-grid.json --workload workloads/dual-grid-day.swf.gz --speedup 2880\n"
      "  dmm run topologies/dual-grid.json --workload workloads/dual-grid-day.swf.gz --speedup 2880 \\\n"
      "      --jobs 1000 --set defaults.policies.target=round_robin --json\n");
  command->callback([options, &exit_code] { exit_code = run_workload(*options); });
  return command;
}

}  // namespace dmm
