// The commands of `dmm` about jobs, a file each. Each adds itself to the command line. When the
// command line is parsed, the command runs and sets `exit_code`, which must outlive the parse: 0 done, 1 failed,
// 2 bad usage or input.
#pragma once

namespace CLI {
class App;
}

namespace dmm {

CLI::App* add_submit_command(CLI::App& app, int& exit_code);
CLI::App* add_queue_command(CLI::App& app, int& exit_code);
CLI::App* add_cancel_command(CLI::App& app, int& exit_code);
CLI::App* add_hold_command(CLI::App& app, int& exit_code);
CLI::App* add_release_command(CLI::App& app, int& exit_code);
CLI::App* add_alter_command(CLI::App& app, int& exit_code);
CLI::App* add_exec_command(CLI::App& app, int& exit_code);
CLI::App* add_output_command(CLI::App& app, int& exit_code);
CLI::App* add_files_command(CLI::App& app, int& exit_code);
CLI::App* add_why_command(CLI::App& app, int& exit_code);

}  // namespace dmm
