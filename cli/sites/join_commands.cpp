// `dmm invite`, `dmm user add` and `dmm node add` at a site, `dmm join` and `dmm login` at the newcomer. Two commands
// make a neighbour, a user or a node known to the site, with keys of its own.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/processes.hpp"
#include "cli/managers/questions.hpp"
#include "cli/managers/ready_pipes.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/enrolment.hpp"
#include "runtime/files.hpp"
#include "runtime/keyring.hpp"

namespace dmm {
namespace {

constexpr Duration start_limit = seconds(10);

struct InviteOptions {
  ManagerOptions manager;
  std::string kind;  ///< "neighbour", "user", "node"
  std::string name, at, relation = "sibling";
  double hours = 24;
  bool json = false;
};

struct JoinOptions {
  ManagerOptions manager;
  std::string token, folder, cluster = "nodes";
  std::uint32_t nodes = 0;
  bool no_start = false, json = false;
};

const char* command_of(const InviteOptions& options) {
  return options.kind == "neighbour" ? "invite" : options.kind == "user" ? "user add" : "node add";
}

/// What the newcomer types, for people to pass on with the token.
std::string next_command(const InviteOptions& options) {
  if (options.kind == "user") return options.name + " types: dmm login TOKEN --directory ~/.dmm";
  if (options.kind == "neighbour") return "The administrator of " + options.name + " types: dmm join TOKEN";
  return "At the host of " + options.name + ": dmm join TOKEN --directory /var/lib/dmm/" + options.name +
         " --nodes 32";
}

int invite(const InviteOptions& options) {
  auto chosen = choose_manager(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail(command_of(options), *fault);
  Json argument{{"kind", options.kind}, {"name", options.name}, {"at", options.at}, {"hours", options.hours}};
  if (options.kind == "neighbour") argument["relation"] = options.relation;
  const Answered answered = order_one(std::get<Manager>(chosen), "invite", argument);
  if (!answered.fault.empty()) return fail(command_of(options), {answered.fault, 1});
  if (options.json) {
    print_json(answered.json);
    return 0;
  }
  const std::string token = answered.json.value("token", "");
  std::printf("%s\n", token.c_str());
  std::fprintf(stderr, "The token is good once, until %s. %s\n",
               utc_text(answered.json.value("until", std::int64_t{0}) * 1'000'000).c_str(),
               next_command(options).c_str());
  return 0;
}

/// Lists the code of a token at the site that made it; returns the site's answer.
Answered show(const Token& token, Json argument) {
  argument["code"] = token.code;
  return order_one({site_manager_of(token.site), token.endpoint, {}}, "enrol", argument);
}

/// Starts a daemon in the background, and waits until it is ready. Returns an error text, or empty.
std::string start_daemon(const std::string& program, const std::string& config, const std::string& output) {
  ReadyPipes pipes;
  const int ready = pipes.add(0);
  if (ready < 0) return "no descriptor is left";
  const auto started = spawn({.program = own_folder() + "/" + program,
                              .arguments = {"--config", config},
                              .output_file = output,
                              .ready_descriptor = ready});
  ::close(ready);
  if (const auto* fault = std::get_if<std::string>(&started)) return *fault;
  if (!pipes.wait(start_limit) && pipes.all_ready()) return {};
  return program + " doesn't start; " + output + " says why";
}

/// Makes the keys and the configuration of a manager with a token, and starts the manager.
int enter(const char* command, const JoinOptions& options, const Token& token, const Party& self, Json config,
          const std::string& program) {
  const std::string folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  const std::string file = folder + "/" + program + ".json";
  auto link = link_secret_in(folder);
  if (auto* fault = std::get_if<std::string>(&link)) return fail(command, {*fault, 1});
  Keyring keyring{std::get<LinkSecret>(link), {}, token.key};
  const Answered answered = show(token, {{"link", to_text(public_of(keyring.link))}});
  if (!answered.fault.empty()) return fail(command, {answered.fault, 1});
  keyring.certificate = answered.json.value("certificate", "");
  const auto read = read_certificate(keyring.certificate, token.key);
  const auto* certificate = std::get_if<Certificate>(&read);
  if (!certificate || certificate->party != self || certificate->link != public_of(keyring.link))
    return fail(command, {"the site answered with a certificate that isn't for " + to_text(self), 1});
  if (WhyNot fault = write_keyring(folder, keyring); !fault.empty()) return fail(command, {fault, 1});
  config["directory"] = folder;
  config["log"] = {{"file", folder + "/" + program + ".jsonl"}, {"terminal", false}};
  if (std::filesystem::exists(file)) {
    std::printf("%s has its keys; %s is kept as it is\n", to_text(self).c_str(), file.c_str());
  } else if (WhyNot fault = replace_private_file(file, config.dump(2) + "\n"); !fault.empty()) {
    return fail(command, {fault, 1});
  }
  if (!options.no_start)
    if (std::string fault = start_daemon(program, file, folder + "/" + program + ".out"); !fault.empty())
      return fail(command, {fault, 1});
  if (options.json)
    print_json({{"party", to_text(self)}, {"configuration", file}, {"started", !options.no_start}});
  else
    std::printf("%s %s with %s\n", to_text(self).c_str(), options.no_start ? "may be started" : "runs",
                file.c_str());
  return 0;
}

int login(const JoinOptions& options) {
  const auto parsed = parse_token(options.token);
  if (const auto* fault = std::get_if<std::string>(&parsed)) return fail("login", {*fault, 2});
  const Token& token = std::get<Token>(parsed);
  if (token.newcomer != Newcomer::user) return fail("login", {"the token isn't for a user; try `dmm join`", 2});
  const std::string folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  const std::string endpoint = "ipc://" + folder + "/jobmgr.ipc";
  const Json config{{"site", token.site.text},
                    {"user", token.name},
                    {"site_endpoint", token.endpoint},
                    {"listen", {endpoint}},
                    {"files_listen", "0.0.0.0:0"}};
  const int code = enter("login", options, token, job_manager_of(token.site, token.name), config, "jobmgr");
  if (code == 0 && !options.json) std::printf("export DMM_JOBMGR=%s\n", endpoint.c_str());
  return code;
}

int join_node(const JoinOptions& options, const Token& token) {
  if (options.folder.empty() || options.nodes == 0)
    return fail("join", {"the token is for a node: expected --directory FOLDER and --nodes N", 2});
  const Json config{{"site", token.site.text},
                    {"name", token.name},
                    {"cluster", options.cluster},
                    {"nodes", options.nodes},
                    {"site_endpoint", token.endpoint}};
  return enter("join", options, token, resource_manager_of(token.site, token.name), config, "resmgr");
}

/// The newcomer's site manager learns of the inviting site, and the inviting site then learns of the newcomer.
int join_site(const JoinOptions& options, const Token& token) {
  auto chosen = choose_manager(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("join", *fault);
  const Manager& ours = std::get<Manager>(chosen);
  const Answered key = ask_one(ours, "site_key");
  if (!key.fault.empty()) return fail("join", {key.fault, 1});
  if (key.manager.party.site.text != token.name)
    return fail(
        "join",
        {"the token is for site " + token.name + ", and this is " + std::string(key.manager.party.site.text), 1});
  const Answered shown = show(token, {{"key", key.json.value("key", "")}});
  if (!shown.fault.empty()) return fail("join", {shown.fault, 1});
  const Answered linked = order_one(ours, "link",
                                    {{"site", token.site.text},
                                     {"relation", token.relation},
                                     {"connect", token.endpoint},
                                     {"key", to_text(token.key)},
                                     {"ancestors", token.ancestors}});
  if (!linked.fault.empty()) return fail("join", {linked.fault, 1});
  const bool restart = linked.json.value("restart", false);
  if (options.json)
    print_json({{"site", token.name},
                {"neighbour", token.site.text},
                {"relation", token.relation},
                {"restart", restart}});
  else
    std::printf("%s is linked to %s, its %s%s\n", token.name.c_str(), std::string(token.site.text).c_str(),
                token.relation.c_str(), restart ? ", once its site manager is restarted" : "");
  return 0;
}

int join(const JoinOptions& options) {
  const auto parsed = parse_token(options.token);
  if (const auto* fault = std::get_if<std::string>(&parsed)) return fail("join", {*fault, 2});
  const Token& token = std::get<Token>(parsed);
  if (token.newcomer == Newcomer::user) return fail("join", {"the token is for a user: `dmm login TOKEN`", 2});
  return token.newcomer == Newcomer::node ? join_node(options, token) : join_site(options, token);
}

void add_invite_options(CLI::App* command, const std::shared_ptr<InviteOptions>& options, int& exit_code) {
  command->add_option("--at", options->at, "Where the invited site, user or node reaches this site")
      ->required()
      ->type_name("tcp://HOST:PORT");
  command->add_option("--hours", options->hours, "Hours for which the token is valid (default 24)")
      ->check(CLI::Range(0.01, 720.0))
      ->type_name("HOURS");
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->callback([options, &exit_code] { exit_code = invite(*options); });
}

/// `dmm user add` and `dmm node add`.
CLI::App* add_newcomer_command(CLI::App& app, int& exit_code, const char* kind, const char* help,
                               const char* footer) {
  auto* group = app.add_subcommand(kind, help);
  group->require_subcommand(1);
  auto* command = group->add_subcommand("add", "Print a token that is valid once");
  auto options = std::make_shared<InviteOptions>();
  options->kind = kind;
  command->add_option("name", options->name, "The name")->required()->type_name("NAME");
  add_invite_options(command, options, exit_code);
  command->footer(footer);
  return group;
}

}  // namespace

CLI::App* add_invite_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("invite", "Print a token by which another site becomes a neighbour");
  auto options = std::make_shared<InviteOptions>();
  options->kind = "neighbour";
  command->add_option("peer", options->name, "The name of the other site")->required()->type_name("SITE");
  command
      ->add_option("--relation", options->relation,
                   "The other site's relation to this one: sibling (the default), child or parent")
      ->check(CLI::IsMember({"sibling", "child", "parent"}))
      ->type_name("RELATION");
  add_invite_options(command, options, exit_code);
  command->footer(
      "The administrator of the other site types `dmm join TOKEN`. Both sites then have the link.\n"
      "\n"
      "Example:\n"
      "  dmm invite beta --at tcp://alpha-head.example.org:7700\n");
  return command;
}

CLI::App* add_user_command(CLI::App& app, int& exit_code) {
  return add_newcomer_command(app, exit_code, "user", "Make a user known to the site",
                              "The user types `dmm login TOKEN`.\n"
                              "\n"
                              "Example:\n"
                              "  dmm user add ann --at tcp://alpha-head.example.org:7700\n");
}

CLI::App* add_node_command(CLI::App& app, int& exit_code) {
  return add_newcomer_command(app, exit_code, "node", "Make a resource manager known to the site",
                              "At the host that runs jobs: `dmm join TOKEN --directory DIR --nodes 32`.\n"
                              "\n"
                              "Example:\n"
                              "  dmm node add node01 --at tcp://alpha-head.example.org:7700\n");
}

CLI::App* add_login_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("login", "Make your job manager known to a site by its token, and start it");
  auto options = std::make_shared<JoinOptions>();
  command->add_option("token", options->token, "The token that `dmm user add` printed")
      ->required()
      ->type_name("TOKEN");
  command->add_option("--directory", options->folder, "The folder for keys, configuration, jobs and logs")
      ->required()
      ->type_name("FOLDER");
  command->add_flag("--no-start", options->no_start, "Don't start the job manager");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "An existing configuration is kept. Later starts: jobmgr --config FOLDER/jobmgr.json\n"
      "\n"
      "Example:\n"
      "  dmm login TOKEN --directory ~/.dmm\n");
  command->callback([options, &exit_code] { exit_code = login(*options); });
  return command;
}

CLI::App* add_join_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("join", "Become a neighbour, or a node, of the site that made a token");
  auto options = std::make_shared<JoinOptions>();
  command->add_option("token", options->token, "The token that `dmm invite` or `dmm node add` printed")
      ->envname("DMM_TOKEN")
      ->required()
      ->type_name("TOKEN");
  add_manager_options(*command, options->manager, Role::site_manager);
  command
      ->add_option("--directory", options->folder, "For a node: the folder for keys, configuration, jobs and logs")
      ->type_name("FOLDER");
  command->add_option("--nodes", options->nodes, "For a node: the number of nodes that it offers")->type_name("N");
  command->add_option("--cluster", options->cluster, "For a node: its cluster (default: nodes)")
      ->type_name("NAME");
  command->add_flag("--no-start", options->no_start, "For a node: don't start the resource manager");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "For a neighbour, --sitemgr or DMM_SITEMGR says where your own site manager listens.\n"
      "\n"
      "Examples:\n"
      "  dmm join TOKEN --sitemgr ipc:///var/lib/dmm/beta/sitemgr.ipc\n"
      "  dmm join TOKEN --directory /var/lib/dmm/node01 --cluster nodes --nodes 32\n");
  command->callback([options, &exit_code] { exit_code = join(*options); });
  return command;
}

}  // namespace dmm
