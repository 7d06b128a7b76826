// The commands of `dmm` that read logs, a file each. Each adds itself to the command line. When the
// command line is parsed, the command runs and sets `exit_code`, which must outlive the parse: 0 done, 1 failed,
// 2 bad usage or input.
#pragma once

namespace CLI {
class App;
}

namespace dmm {

CLI::App* add_chain_command(CLI::App& app, int& exit_code);

}  // namespace dmm
