// `dmm exec`: starts one program on each node of the job that it runs in, which has agents.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/managers/processes.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

/// Replaces this process by the launcher, which talks to the agents. Returns the exit code if that fails.
int exec_on_nodes(const std::vector<std::string>& words) {
  const std::string launcher = own_folder() + "/launcher";
  std::vector<std::string> all{launcher, "exec"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(launcher.c_str(), arguments.data());
  return fail("exec", {"can't run " + launcher + ": " + std::strerror(errno), 1});
}

}  // namespace

CLI::App* add_exec_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("exec", "Inside a job: start a program on each of its nodes, and wait");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "The program and its arguments, after --")
      ->type_name("COMMAND...")
      ->required();
  command->footer(
      "For jobs that were submitted with --once or --mpi. Each program has DMM_RANK, DMM_RANKS and DMM_COMPONENT\n"
      "in its environment; their output is merged. The exit code is the greatest of their exit codes (128 + n "
      "for\n"
      "signal n), or 255 if an agent can't be reached.\n"
      "\n"
      "Examples:\n"
      "  dmm exec -- hostname\n"
      "  dmm exec -- sh -c 'tar xf /shared/input.tar -C $TMPDIR'\n");
  command->callback([words, &exit_code] { exit_code = exec_on_nodes(*words); });
  return command;
}

}  // namespace dmm
