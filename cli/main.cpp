// `dmm`, the command for people: reads the command line and runs one of the commands (cli/WING/commands.hpp).
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "cli/experiments/commands.hpp"
#include "cli/jobs/commands.hpp"
#include "cli/jobs/submit_options.hpp"
#include "cli/logs/commands.hpp"
#include "cli/simulate/commands.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/help_text.hpp"
#include "cli/terminal/output.hpp"
#include "cli/testbed/commands.hpp"
#include "topologies/text_rules.hpp"

namespace {

using namespace dmm;

constexpr const char* main_footer =
    "`dmm COMMAND --help` has the options of a command, with examples. All that print results have --json.\n"
    "Exit codes: 0 done, 1 failed (also to write what it found), 2 bad usage or bad input, 3 (`dmm sites`)\n"
    "something is down.\n"
    "DMM_JOBMGR and DMM_SITEMGR, if set, say where your managers listen: then --jobmgr and --sitemgr needn't.\n"
    "DMM_KEYS, if set, names the folder with the keys that you prove yourself with over tcp (`dmm certify`).\n"
    "\n"
    "Examples:\n"
    "  dmm run topologies/two-sites.json --workload workloads/two-sites-morning.swf.gz --speedup 600\n"
    "  dmm simulate --topology topologies/dual-grid.json --model lublin-feitelson --load 0.7\n"
    "  dmm testbed up topologies/two-sites.json\n"
    "  dmm submit --site alpha -n 4 --wait -- hostname\n"
    "  dmm queue\n"
    "  dmm testbed down two-sites\n";

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// CLI11 only says that a word was not expected; this finds the command that was probably meant.
int unknown_command(const CLI::App& app, const std::string& word) {
  std::string all;
  for (const std::string& name : names_of(app)) all += " " + name;
  std::fprintf(stderr, "dmm: there is no command \"%s\"%s; the commands are%s\n", word.c_str(),
               suggestion(word, names_of(app)).c_str(), all.c_str());
  return 2;
}

/// The command with a fault in its options: "testbed up".
std::string name_of_parsed(const CLI::App* app) {
  std::string name;
  for (auto parsed = app->get_subcommands(); !parsed.empty(); parsed = parsed.front()->get_subcommands())
    name += (name.empty() ? "" : " ") + parsed.front()->get_name();
  return name;
}

/// The first word that looks like an option but isn't one of the command. CLI11 names the rest of the line instead.
std::string unknown_option(const CLI::App* app, const std::vector<std::string>& words) {
  const CLI::App* command = app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  for (const std::string& word : words) {
    if (word == "--") return {};
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 2 && name.starts_with("--") && command->get_option_no_throw(name) == nullptr) return name;
  }
  return {};
}

std::string option_fault(const CLI::App* app, const CLI::Error& error, const std::vector<std::string>& words) {
  const std::string name = name_of_parsed(app);
  const std::string command = name.empty() ? "dmm" : "dmm " + name;
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    if (const std::string option = unknown_option(app, words); !option.empty())
      what = "there is no option " + option;
  return command + ": " + what + "; `" + command + " --help` has the options, with examples\n";
}

int help(CLI::App& app, int argc, char** argv) {
  const std::string about = argc > 2 ? argv[2] : "";
  if (about.empty()) return std::printf("%s", folded_help(app.help()).c_str()) < 0;
  const std::vector<std::string> names = names_of(app);
  if (std::find(names.begin(), names.end(), about) == names.end()) return unknown_command(app, about);
  return std::printf("%s", folded_help(app.get_subcommand(about)->help("dmm")).c_str()) < 0;
}

int run(CLI::App& app, int argc, char** argv, const int& exit_code) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "help") return help(app, argc, argv);
  const std::vector<std::string> names = names_of(app);
  if (!first.empty() && first[0] != '-' && std::find(names.begin(), names.end(), first) == names.end())
    return unknown_command(app, first);
  if (argc == 1) return std::fprintf(stderr, "%s", folded_help(app.help()).c_str()), 2;
  try {
    std::vector<std::string> words = with_key_marked(with_script_marked(app, {argv + 1, argv + argc}));
    std::ranges::reverse(words);  // the order that the parser expects
    app.parse(std::move(words));
    return exit_code;
  } catch (const CLI::CallForHelp&) {
    return std::printf("%s", folded_help(app.help()).c_str()) < 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
}

/// If standard input, output or error is closed, the next file or socket would get its number, and with it the text for
/// people.
void open_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int useless = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(number, F_GETFD) < 0 && ::open("/dev/null", useless) != number) return;
  }
}

int run(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("DMM: delegated matchmaking for clusters", "dmm");
  app.set_version_flag("--version", "dmm " DMM_VERSION);
  app.footer(main_footer);
  app.require_subcommand(1);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  app.failure_message(
      [words](const CLI::App* all, const CLI::Error& error) { return option_fault(all, error, words); });
  for (auto* add :
       {add_run_command,    add_simulate_command, add_compare_command, add_whatif_command, add_testbed_command,
        add_submit_command, add_queue_command,    add_cancel_command,  add_hold_command,   add_release_command,
        add_exec_command,   add_alter_command,    add_output_command,  add_sites_command,  add_nodes_command,
        add_leases_command, add_usage_command,    add_reclaim_command, add_drain_command,  add_resume_command,
        add_forget_command, add_fsck_command,     add_keygen_command,  add_keys_command,   add_certify_command,
        add_revoke_command, add_rotate_command,   add_invite_command,  add_join_command,   add_user_command,
        add_node_command,   add_login_command,    add_chain_command,   add_why_command,    add_place_command,
        add_doctor_command, add_slurm_command,    add_expect_command,  add_files_command})
    add(app, exit_code);
  return run(app, argc, argv, exit_code);
}

}  // namespace

int main(int argc, char** argv) try {
  open_standard_files();
  return finish_output(run(argc, argv));
} catch (const std::exception& error) {
  std::fprintf(stderr, "dmm: %s\n", error.what());
  return 1;
}
