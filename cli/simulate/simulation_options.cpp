// The options of `dmm simulate` and `dmm compare` that say what is simulated. See simulation.hpp.
#include <CLI/CLI.hpp>

#include "cli/simulate/simulation.hpp"
#include "matchmaking/policy.hpp"
#include "protocol/hints.hpp"

namespace dmm {
namespace {

constexpr double seconds_most = 3.2e8;  // ten years

/// A flag and its opposite, "--NAME,!--no-NAME"; unset if neither is given.
CLI::Option* add_switch(CLI::App& command, const std::string& name, std::optional<bool>& value,
                        const std::string& help) {
  return command.add_flag_function(
      "--" + name + ",!--no-" + name, [&value](std::int64_t count) { value = count > 0; }, help);
}

void add_site_options(CLI::App& command, SiteChoice& sites) {
  const char* const group = "The sites of dmm";
  command
      .add_flag("--paper", sites.paper,
                "The settings of Iosup et al. 2007: cycles of 300 and 150 s, fcfs policies, no hints, --coarse, "
                "no cool-down")
      ->group(group);
  add_switch(command, "coarse", sites.coarse,
             "Keep-alives as in the paper: beats every 300 s, terms of 3000 s, hints at most every 600 s, no "
             "limit of leases")
      ->group(group);
  const auto seconds_option = [&](const char* name, std::optional<double>& value, const char* help) {
    command.add_option(name, value, help)
        ->check(CLI::Range(0.0, seconds_most))
        ->type_name("SECONDS")
        ->group(group);
  };
  seconds_option("--cycle", sites.cycle_seconds, "Time between rounds of matchmaking, also of condor; 0: at once");
  seconds_option("--delegation-cycle", sites.delegation_cycle_seconds,
                 "Time between rounds of delegation (default: half of --cycle)");
  command
      .add_option("--delegation-threshold", sites.delegation_threshold, "Load above which requests are delegated")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("LOAD")
      ->group(group);
  seconds_option("--term", sites.term_seconds, "Term of leases, renewed every tenth of it (default 30)");
  const auto policy = [&](const char* name, std::string& value, const std::string& known) {
    command.add_option(name, value, "Policy: " + known)->type_name("NAME")->group(group);
  };
  policy("--dispatching", sites.dispatching, dispatch_names());
  policy("--delegation", sites.delegation, delegation_names());
  policy("--target", sites.target, target_names());
  policy("--placement", sites.placement, placement_names());
  policy("--flexible-placement", sites.flexible_placement, placement_names());
  add_switch(command, "hints", sites.hints, "Sites tell their neighbours what is free")->group(group);
  add_switch(command, "keep-local", sites.keep_local, "A request that could start at home now isn't sent away")
      ->group(group);
  add_switch(command, "owner-first", sites.owner_first, "Nodes that own users wait for aren't lent")->group(group);
}

void add_model_options(CLI::App& command, SimulationChoice& choice) {
  const char* const group = "Messages and models";
  command.add_option("--dttl", choice.dmm.dttl, "Hops that a request may travel (default 5)")
      ->check(CLI::Range(0u, dttl_max))
      ->type_name("N")
      ->group(group);
  const auto seconds_option = [&](const char* name, Duration& value, const char* help) {
    command
        .add_option_function<double>(
            name, [&value](double text) { value = from_seconds(text); }, help)
        ->check(CLI::Range(0.0, seconds_most))
        ->type_name("SECONDS")
        ->group(group);
  };
  seconds_option("--latency", choice.dmm.latency, "Latency of every message of dmm (default 0)");
  command
      .add_option_function<double>(
          "--input-gb",
          [&choice](double gigabytes) { choice.dmm.input_bytes = static_cast<std::uint64_t>(gigabytes * 1e9); },
          "Each job of dmm reads a file of this size, which lies at two clusters; others get it at 100 Mbit/s "
          "(default 0)")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("GB")
      ->group(group);
  seconds_option("--monitoring", choice.parameters.monitoring, "How often koala learns what is idle (default 60)");
  seconds_option("--usage-half-life", choice.parameters.usage_half_life,
                 "Half-life of past usage in the fair shares of fcondor (default 86400)");
}

}  // namespace

void add_system_options(CLI::App& command, SimulationChoice& choice) {
  command.add_option("--topology", choice.topology, "The grid (JSON)")->type_name("FILE");
  command
      .add_option("--processors", choice.processors,
                  "One cluster with this number of processors, instead of a grid")
      ->check(CLI::Range(1u, 1'000'000u))
      ->type_name("P");
  command.add_option("--set", choice.overrides, "A key of the topology, as in defaults.lend=false")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command
      .add_option("--settings-of", choice.settings_of,
                  "A site manager's configuration: its settings replace the daemons' defaults")
      ->type_name("FILE");
  command
      .add_option("--seed", choice.seed,
                  "Seed of all random numbers (default 1); the same seed gives the same bytes")
      ->type_name("N");
  add_switch(command, "cool-down", choice.cool_down,
             "Go on after the last arrival until all jobs ended (default), or stop there");
  add_site_options(command, choice.sites);
  add_model_options(command, choice);
  add_workload_options(command, choice.workload);
}

}  // namespace dmm
