// `dmm slurm configure`: what slurm.conf lacks for lending and borrowing, as a diff; written only on request. `dmm
// slurm scripts`: a prolog and an epilog, for lending without pilots.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "batchmgr/node_scripts.hpp"
#include "batchmgr/runner/command_runner.hpp"
#include "batchmgr/systems/slurm_configuration.hpp"
#include "batchmgr/systems/slurm_facts.hpp"
#include "cli/managers/processes.hpp"
#include "cli/sites/batch_configuration.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

struct ConfigureOptions {
  std::string config, file;
  bool write = false, json = false;
};

constexpr std::size_t file_bytes_max = 16 * 1024 * 1024;

/// The path of this host's Slurm configuration, as Slurm itself says; empty if it doesn't.
std::string file_of_slurm(const CommandEnded& configuration) {
  const auto facts = slurm::read_facts(configuration.output, {}, {});
  const auto* read = std::get_if<slurm::Facts>(&facts);
  return read ? slurm::value_in(read->configuration, "SLURM_CONF") : std::string();
}

std::string diff_of(const std::string& file, const std::string& text) {
  return run_all({{{"diff", "--unified", "--label", file, "--label", file, file, "-"}, text}}, seconds(10))
      .front()
      .output;
}

struct Changes {
  std::string diff;
  slurm::Configured configured;
  std::vector<std::string> others;  ///< faults that no change of this file can repair
};

Changes changes_of(const std::string& file, const std::string& text, const std::vector<Finding>& findings) {
  std::vector<Edit> edits;
  Changes all;
  for (const Finding& one : findings) {
    if (one.kind != FindingKind::change) continue;
    if (one.edits.empty()) all.others.push_back(one.subject + ": " + one.found + "; " + one.change);
    edits.insert(edits.end(), one.edits.begin(), one.edits.end());
  }
  all.configured = slurm::configured(text, edits);
  for (const std::string& line : all.configured.by_hand)
    all.others.push_back(line + ": its line is in a file that " + file + " includes");
  if (all.configured.text != text) all.diff = diff_of(file, all.configured.text);
  return all;
}

/// Keeps the old file beside the new one. The new one has the same owner and rights, since Slurm's users read it.
std::string write(const std::string& file, const std::string& text) {
  struct stat was {};
  std::error_code failed;
  std::filesystem::copy_file(file, file + ".before-dmm", std::filesystem::copy_options::overwrite_existing,
                             failed);
  if (failed) return file + ".before-dmm: " + failed.message();
  if (::stat(file.c_str(), &was) != 0) return file + " can't be read";
  if (std::string fault = replace_file(file, text); !fault.empty()) return fault;
  const bool is_as_before =
      ::chown(file.c_str(), was.st_uid, was.st_gid) == 0 && ::chmod(file.c_str(), was.st_mode) == 0;
  return is_as_before ? std::string()
                      : file + ": its owner and rights can't be kept; they were those of " + file + ".before-dmm";
}

void print_changes(const std::string& file, const Changes& changes, bool is_written) {
  std::printf("%s", changes.diff.c_str());
  for (const std::string& one : changes.others) std::printf("by hand: %s\n", harmless(one).c_str());
  if (changes.diff.empty()) {
    if (changes.others.empty()) std::printf("%s has all that lending and borrowing need\n", file.c_str());
  } else if (is_written) {
    std::printf("\n%s is written. On all hosts: copy it there, and restart slurmctld and slurmd; jobs go on.\n",
                file.c_str());
  } else {
    std::printf("\nNothing is written: --write does it, and keeps the old file as %s.before-dmm\n", file.c_str());
  }
}

int configure(const ConfigureOptions& options) {
  const auto read = batch_configuration(options.config);
  if (const auto* fault = std::get_if<CommandFault>(&read)) return fail("slurm configure", *fault);
  const auto& [settings, system] = std::get<BatchConfiguration>(read);
  if (system->name != "slurm")
    return fail("slurm configure", {options.config + ": system: expected \"slurm\" for this command", 2});
  const std::vector<CommandEnded> ends = run_all(system->questions(settings), settings.command_max);
  const std::string file = options.file.empty() ? file_of_slurm(ends.front()) : options.file;
  const auto text = file.empty() ? std::nullopt : read_small_file(file, file_bytes_max);
  const std::vector<Finding> findings = system->examine(settings, ends);
  if (!text) {
    const std::string why = file.empty() ? findings.front().found : file + " can't be read here";
    return fail("slurm configure", {why + "; --file names the file slurm.conf", 1});
  }
  const Changes changes = changes_of(file, *text, findings);
  const bool is_written = options.write && !changes.diff.empty();
  if (is_written)
    if (const std::string fault = write(file, changes.configured.text); !fault.empty())
      return fail("slurm configure", {fault, 1});
  if (options.json)
    print_json({{"file", file}, {"diff", changes.diff}, {"by_hand", changes.others}, {"written", is_written}});
  else
    print_changes(file, changes, is_written);
  return 0;
}

struct ScriptsOptions {
  NodeScriptSettings settings;
  std::string into;
  double grace = 5;
};

std::string write_script(const std::string& file, const std::string& text) {
  if (std::string fault = replace_file(file, text); !fault.empty()) return fault;
  constexpr mode_t mode = 0755;
  return ::chmod(file.c_str(), mode) == 0 ? std::string() : file + " can't be made a program";
}

int scripts(ScriptsOptions options) {
  const std::string folder = std::filesystem::absolute(options.into).lexically_normal().string();
  options.settings.grace = microseconds(static_cast<std::int64_t>(options.grace * 1e6));
  if (options.settings.programs.empty()) options.settings.programs = own_folder();
  const std::string prolog = folder + "/prolog", epilog = folder + "/epilog";
  for (const auto& [file, text] :
       {std::pair{prolog, prolog_text(options.settings)}, {epilog, epilog_text(options.settings)}})
    if (const std::string fault = write_script(file, text); !fault.empty())
      return fail("slurm scripts", {fault, 1});
  std::printf(
      "Written: %s and %s, for each node. In slurm.conf:\n\n"
      "Prolog=%s\nEpilog=%s\nPrologFlags=Alloc\n\n"
      "A node joins once: `dmm node add NAME --at ENDPOINT` at the site, and there, as root,\n"
      "`dmm join TOKEN --directory %s/NAME --cluster CLUSTER --nodes 1 --no-start`.\n"
      "Run %s there at each start of the node: it offers the node.\n",
      prolog.c_str(), epilog.c_str(), prolog.c_str(), epilog.c_str(), options.settings.node_folder.c_str(),
      epilog.c_str());
  return 0;
}

void add_scripts_command(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<ScriptsOptions>();
  auto* write =
      command.add_subcommand("scripts", "Write a prolog and an epilog, for lending nodes without pilots");
  write->add_option("--into", options->into, "The folder for the two scripts")
      ->required()
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
  write
      ->add_option("--node-folder", options->settings.node_folder,
                   "On a node: keys, jobs and logs, in a subfolder of the node's name")
      ->required()
      ->type_name("FOLDER");
  write
      ->add_option("--programs", options->settings.programs,
                   "On a node: DMM's programs (default: where they are here)")
      ->type_name("FOLDER");
  write->add_option("--grace", options->grace, "Time for a job of another site to end when a local one comes")
      ->check(CLI::Range(0.0, 8.0))
      ->type_name("SECONDS");
  write
      ->add_option("--set", options->settings.settings,
                   "A setting of the nodes' resource managers; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  write->footer(
      "The prolog stops a node's agent before a local job starts; the epilog starts it after the last one.\n"
      "\n"
      "Examples:\n"
      "  dmm slurm scripts --into /etc/dmm --node-folder /var/lib/dmm/nodes\n");
  write->callback([options, &exit_code] { exit_code = scripts(*options); });
}

}  // namespace

CLI::App* add_slurm_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("slurm", "Make Slurm ready for lending and borrowing: its configuration, scripts");
  command->require_subcommand(1);
  add_scripts_command(*command, exit_code);
  auto options = std::make_shared<ConfigureOptions>();
  auto* change = command->add_subcommand("configure", "Print the necessary changes of slurm.conf, as a diff");
  change->add_option("--config", options->config, "The batch manager's configuration")
      ->required()
      ->type_name("FILE");
  change->add_option("--file", options->file, "The file slurm.conf (default: the one that Slurm uses here)")
      ->type_name("FILE");
  change->add_flag("--write", options->write, "Also write the file; the old one stays beside it");
  change->add_flag("--json", options->json, "Print a JSON object");
  change->footer(
      "Compares Slurm's own settings with those that the batch manager's configuration needs.\n"
      "\n"
      "Examples:\n"
      "  dmm slurm configure --config /etc/dmm/batch.json\n"
      "  dmm slurm configure --config /etc/dmm/batch.json --write\n");
  change->callback([options, &exit_code] { exit_code = configure(*options); });
  return command;
}

}  // namespace dmm
