// The commands of `dmm`, one file each. Each adds itself to the command line; when it is parsed it runs, and puts
// its exit code where main finds it: 0 done, 1 failed, 2 bad usage or bad input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/managers.hpp"
#include "cli/place.hpp"

namespace CLI {
class App;
}

namespace dmm {

CLI::App* add_run_command(CLI::App& app, int& exit_code);
CLI::App* add_simulate_command(CLI::App& app, int& exit_code);
CLI::App* add_whatif_command(CLI::App& app, int& exit_code);
CLI::App* add_compare_command(CLI::App& app, int& exit_code);
CLI::App* add_testbed_command(CLI::App& app, int& exit_code);
CLI::App* add_submit_command(CLI::App& app, int& exit_code);
CLI::App* add_queue_command(CLI::App& app, int& exit_code);
CLI::App* add_cancel_command(CLI::App& app, int& exit_code);
CLI::App* add_hold_command(CLI::App& app, int& exit_code);
CLI::App* add_release_command(CLI::App& app, int& exit_code);
CLI::App* add_alter_command(CLI::App& app, int& exit_code);
CLI::App* add_exec_command(CLI::App& app, int& exit_code);
CLI::App* add_output_command(CLI::App& app, int& exit_code);
CLI::App* add_sites_command(CLI::App& app, int& exit_code);
CLI::App* add_leases_command(CLI::App& app, int& exit_code);
CLI::App* add_nodes_command(CLI::App& app, int& exit_code);
CLI::App* add_usage_command(CLI::App& app, int& exit_code);
CLI::App* add_reclaim_command(CLI::App& app, int& exit_code);
CLI::App* add_drain_command(CLI::App& app, int& exit_code);
CLI::App* add_resume_command(CLI::App& app, int& exit_code);
CLI::App* add_forget_command(CLI::App& app, int& exit_code);
CLI::App* add_expect_command(CLI::App& app, int& exit_code);
CLI::App* add_files_command(CLI::App& app, int& exit_code);
CLI::App* add_fsck_command(CLI::App& app, int& exit_code);
CLI::App* add_keygen_command(CLI::App& app, int& exit_code);
CLI::App* add_keys_command(CLI::App& app, int& exit_code);
CLI::App* add_certify_command(CLI::App& app, int& exit_code);
CLI::App* add_revoke_command(CLI::App& app, int& exit_code);
CLI::App* add_rotate_command(CLI::App& app, int& exit_code);
CLI::App* add_invite_command(CLI::App& app, int& exit_code);
CLI::App* add_join_command(CLI::App& app, int& exit_code);
CLI::App* add_user_command(CLI::App& app, int& exit_code);
CLI::App* add_node_command(CLI::App& app, int& exit_code);
CLI::App* add_login_command(CLI::App& app, int& exit_code);
CLI::App* add_doctor_command(CLI::App& app, int& exit_code);
CLI::App* add_slurm_command(CLI::App& app, int& exit_code);
CLI::App* add_chain_command(CLI::App& app, int& exit_code);
CLI::App* add_why_command(CLI::App& app, int& exit_code);

/// Says on standard error why a command failed; returns the exit code.
int fail(const std::string& command, const CommandFault& fault);

/// Writes what was printed. Returns the exit code: 1, said on standard error, if it could not be written and the
/// command did well otherwise.
int finish_output(int exit_code);

/// Prints one JSON value on standard output; text that isn't UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& json);
void print_lines(const std::vector<std::string>& lines);

}  // namespace dmm
