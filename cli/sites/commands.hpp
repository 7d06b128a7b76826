// The commands of `dmm` about sites and their managers, a file each. Each adds itself to the command line. When the
// command line is parsed, the command runs and sets `exit_code`, which must outlive the parse: 0 done, 1 failed,
// 2 bad usage or input.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dmm {

CLI::App* add_sites_command(CLI::App& app, int& exit_code);
CLI::App* add_leases_command(CLI::App& app, int& exit_code);
CLI::App* add_nodes_command(CLI::App& app, int& exit_code);
CLI::App* add_usage_command(CLI::App& app, int& exit_code);
CLI::App* add_reclaim_command(CLI::App& app, int& exit_code);
CLI::App* add_drain_command(CLI::App& app, int& exit_code);
CLI::App* add_resume_command(CLI::App& app, int& exit_code);
CLI::App* add_forget_command(CLI::App& app, int& exit_code);
CLI::App* add_expect_command(CLI::App& app, int& exit_code);
CLI::App* add_fsck_command(CLI::App& app, int& exit_code);
CLI::App* add_keygen_command(CLI::App& app, int& exit_code);
CLI::App* add_keys_command(CLI::App& app, int& exit_code);
CLI::App* add_certify_command(CLI::App& app, int& exit_code);
CLI::App* add_revoke_command(CLI::App& app, int& exit_code);
/// The words of a command line of `dmm`. A key for `dmm revoke` that begins with '-' is marked: it isn't an option.
std::vector<std::string> with_key_marked(std::vector<std::string> words);
CLI::App* add_rotate_command(CLI::App& app, int& exit_code);
CLI::App* add_invite_command(CLI::App& app, int& exit_code);
CLI::App* add_join_command(CLI::App& app, int& exit_code);
CLI::App* add_user_command(CLI::App& app, int& exit_code);
CLI::App* add_node_command(CLI::App& app, int& exit_code);
CLI::App* add_login_command(CLI::App& app, int& exit_code);
CLI::App* add_doctor_command(CLI::App& app, int& exit_code);
CLI::App* add_slurm_command(CLI::App& app, int& exit_code);

}  // namespace dmm
