// `dmm slurm configure`: what slurm.conf lacks for lending and borrowing, as a diff; written only on demand.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "batchmgr/runner/command_runner.hpp"
#include "batchmgr/systems/slurm_configuration.hpp"
#include "cli/batch_configuration.hpp"
#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

struct ConfigureOptions {
  std::string config, file;
  bool write = false, json = false;
};

constexpr std::size_t file_bytes_max = 16 * 1024 * 1024;

/// Where this host's Slurm has its configuration, by its own word.
std::string file_of_slurm(const CommandEnded& configuration) {
  const std::string mark = "SLURM_CONF";
  const std::size_t at = configuration.output.find("\n" + mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = configuration.output.find("= ", at) + 2;
  return configuration.output.substr(begin, configuration.output.find('\n', begin) - begin);
}

std::string diff_of(const std::string& file, const std::string& text) {
  return run_all({{{"diff", "--unified", "--label", file, "--label", file, file, "-"}, text}}, seconds(10))
      .front()
      .output;
}

struct Changes {
  std::string diff;
  slurm::Configured configured;
  std::vector<std::string> others;  ///< what no change of this file mends
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

/// Keeps the old file beside it. The new one has the same owner and rights: Slurm's users read it.
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

}  // namespace

CLI::App* add_slurm_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("slurm", "Show what Slurm's configuration lacks for lending and borrowing");
  command->require_subcommand(1);
  auto options = std::make_shared<ConfigureOptions>();
  auto* change =
      command->add_subcommand("configure", "Print the lines of slurm.conf that are to change, as a diff");
  change->add_option("--config", options->config, "The batch manager's configuration")
      ->required()
      ->type_name("FILE");
  change->add_option("--file", options->file, "The file slurm.conf (default: the one that Slurm uses here)")
      ->type_name("FILE");
  change->add_flag("--write", options->write, "Also write the file; the old one stays beside it");
  change->add_flag("--json", options->json, "Print a JSON object");
  change->footer(
      "Compared is what Slurm says of itself with what the batch manager's configuration asks for.\n"
      "\n"
      "Examples:\n"
      "  dmm slurm configure --config /etc/dmm/batch.json\n"
      "  dmm slurm configure --config /etc/dmm/batch.json --write\n");
  change->callback([options, &exit_code] { exit_code = configure(*options); });
  return command;
}

}  // namespace dmm
