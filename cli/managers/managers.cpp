#include "cli/managers/managers.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/managers/questions.hpp"
#include "cli/managers/registry.hpp"
#include "cli/terminal/figures.hpp"
#include "protocol/messages.hpp"
#include "protocol/numbers.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

std::string name_of(const Party& party) { return party.site.text + (party.name.empty() ? "" : "/" + party.name); }

std::string list_of_managers(const std::vector<Manager>& managers) {
  std::string text;
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < managers.size() && i < shown; ++i)
    text += (i == 0 ? "" : ", ") + name_of(managers[i].party);
  return managers.size() > shown ? text + ", ..." : text;
}

constexpr Duration name_limit = seconds(5);

/// Greets the manager at an endpoint by a name that no manager has. The sender of the answer is its real name.
OrFault<Party, CommandFault> reached_at(const std::string& endpoint, Role role) {
  ClientPool pool;
  pool.give_up_early();
  const auto connected = pool.connect({SiteName("?"), role, "?"}, endpoint);
  if (const auto* fault = std::get_if<std::string>(&connected)) return CommandFault{*fault, 2};
  Reply reply = pool.wait(pool.ask(0, "status"), name_limit);
  if (const auto party = pool.another_name()) return *party;
  if (reply.why == Unanswered::silence)
    reply.fault = "no manager at " + endpoint + " told its name within " + length_text(name_limit.in_seconds()) +
                  ": is it stopped, very busy, or of an older version? " +
                  (role == Role::job_manager ? "--as-site and --as-user name it" : "--as-site names it");
  return CommandFault{reply.fault + remedy_of({{SiteName(), role, {}}, endpoint}, reply), 1};
}

OrFault<Party, CommandFault> name_at(const std::string& endpoint, Role role) {
  auto reached = reached_at(endpoint, role);
  const auto* party = std::get_if<Party>(&reached);
  if (!party || party->role == role) return reached;
  return CommandFault{
      "the manager at " + endpoint + " is " + to_text(*party) + ", not a " + std::string(to_text(role)), 2};
}

std::variant<std::vector<Manager>, CommandFault> named_by_endpoint(const ManagerOptions& options, Role role) {
  const bool jobs = role == Role::job_manager;
  const SiteName site(options.as_site.empty() ? options.site : options.as_site);
  const std::string& user = options.as_user.empty() ? options.user : options.as_user;
  if (!site.empty() && (!jobs || !user.empty()))
    return std::vector<Manager>{{jobs ? job_manager_of(site, user) : site_manager_of(site), options.endpoint}};
  auto named = name_at(options.endpoint, role);
  if (auto* fault = std::get_if<CommandFault>(&named)) return std::move(*fault);
  const Party& party = std::get<Party>(named);
  if ((site.empty() || site == party.site) && (user.empty() || user == party.name))
    return std::vector<Manager>{{party, options.endpoint}};
  return CommandFault{"the manager at " + options.endpoint + " is " + to_text(party) + ", and not of " +
                          (site.empty() ? "" : std::string(site.text) + "/") + user,
                      2};
}

}  // namespace

void add_manager_options(CLI::App& command, ManagerOptions& options, Role role) {
  const bool jobs = role == Role::job_manager;
  command.add_option("--testbed", options.testbed, "A testbed that is up (default: the only one)")
      ->type_name("NAME");
  command.add_option("--site", options.site, jobs ? "The site of the job manager" : "Only this site")
      ->type_name("SITE");
  if (jobs) command.add_option("--user", options.user, "The user of the job manager")->type_name("USER");
  command
      .add_option(jobs ? "--jobmgr" : "--sitemgr", options.endpoint,
                  jobs ? "Instead of a testbed: where the manager listens (default: $DMM_JOBMGR)"
                       : "Instead of a testbed: where the manager listens (default: $DMM_SITEMGR)")
      ->type_name("ENDPOINT");
  command
      .add_option("--as-site", options.as_site,
                  "The site of the manager at that endpoint (default: the manager is asked)")
      ->type_name("SITE");
  if (jobs)
    command.add_option("--as-user", options.as_user, "Its user (default: the manager is asked)")
        ->type_name("USER");
}

OrFault<Testbed, CommandFault> choose_testbed(const std::string& name) {
  if (!name.empty()) {
    auto loaded = load_testbed(name);
    if (auto* fault = std::get_if<RegistryFault>(&loaded)) return CommandFault{std::move(fault->text), 1};
    return std::move(std::get<Testbed>(loaded));
  }
  if (std::string fault = fault_of_home(); !fault.empty()) return CommandFault{std::move(fault), 1};
  std::vector<Testbed> all = all_testbeds();
  std::erase_if(all, [](const Testbed& testbed) { return count_alive(testbed) == 0; });
  if (all.size() == 1) return std::move(all.front());
  if (all.empty())
    return CommandFault{
        "no testbed is up; `dmm testbed up TOPOLOGY` starts one. Managers of your own are named by "
        "DMM_JOBMGR and DMM_SITEMGR",
        1};
  std::string names;
  for (const Testbed& testbed : all) names += (names.empty() ? "" : ", ") + testbed.name;
  return CommandFault{"several testbeds are up (" + names + "); choose one with --testbed", 2};
}

void add_batch_manager_option(CLI::App& command, std::string& endpoint, const std::string& about) {
  command.add_option("--batchmgr", endpoint, about)->envname("DMM_BATCHMGR")->type_name("ENDPOINT");
}

ManagerOptions with_environment(ManagerOptions options, Role role) {
  const char* const value = std::getenv(role == Role::job_manager ? "DMM_JOBMGR" : "DMM_SITEMGR");
  if (options.endpoint.empty() && options.testbed.empty() && value != nullptr) options.endpoint = value;
  return options;
}

std::variant<std::vector<Manager>, CommandFault> choose_managers(const ManagerOptions& given, Role role) {
  const ManagerOptions options = with_environment(given, role);
  if (!options.endpoint.empty()) return named_by_endpoint(options, role);
  auto chosen = choose_testbed(options.testbed);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return std::move(*fault);
  const auto& testbed = std::get<Testbed>(chosen);
  std::vector<Manager> managers, others;
  for (const TestbedDaemon& daemon : testbed.daemons) {
    if (daemon.party.role != role) continue;
    const bool fits = (options.site.empty() || daemon.party.site.text == options.site) &&
                      (options.user.empty() || daemon.party.name == options.user);
    (fits ? managers : others).push_back({daemon.party, daemon.endpoint, testbed.name});
  }
  if (!managers.empty()) return managers;
  std::string wanted = options.site + (options.user.empty() ? "" : "/" + options.user);
  return CommandFault{"testbed " + testbed.name + " has no " + std::string(to_text(role)) + " " + wanted +
                          "; it has " + list_of_managers(others),
                      2};
}

OrFault<Manager, CommandFault> choose_manager(const ManagerOptions& options, Role role) {
  auto chosen = choose_managers(options, role);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return std::move(*fault);
  auto& managers = std::get<std::vector<Manager>>(chosen);
  if (managers.size() == 1) return std::move(managers.front());
  const std::string question =
      role == Role::job_manager ? "which job manager? Say --site and --user" : "which site? Say --site";
  return CommandFault{question + "; there are " + list_of_managers(managers), 2};
}

OrFault<Manager, CommandFault> manager_at(const std::string& endpoint) {
  auto reached = reached_at(endpoint, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&reached)) return std::move(*fault);
  return Manager{std::get<Party>(reached), endpoint};
}

OrFault<JobName, CommandFault> parse_job(const std::string& text) {
  JobName name;
  const CommandFault fault{"\"" + text +
                               "\" is no job; expected a number as in 17, a request as in das-0/alice/17, or "
                               "an element of an array as in 17_3",
                           2};
  const std::size_t number = text.rfind('/') == std::string::npos ? 0 : text.rfind('/') + 1;
  const std::size_t underscore = std::min(text.find('_', number), text.size());
  if (underscore < text.size() &&
      !parse_number(std::string_view(text).substr(underscore + 1), name.index.emplace()))
    return fault;
  const std::string job = text.substr(0, underscore);
  if (parse_number(job, name.job) && name.job > 0) return name;
  const auto id = parse_request_id(job);
  if (!id) return fault;
  return JobName{id->site.text, id->user, id->job, job.find('.', number) == std::string::npos ? 0 : id->attempt,
                 name.index};
}

nlohmann::ordered_json JobName::argument() const {
  if (!index) return job;
  return std::to_string(job) + '_' + std::to_string(*index);
}

OrFault<Manager, CommandFault> manager_of(const JobName& job, ManagerOptions options) {
  if (!job.site.empty()) options.site = job.site;
  if (!job.user.empty()) options.user = job.user;
  if (!options.endpoint.empty()) {
    if (options.as_site.empty()) options.as_site = job.site;
    if (options.as_user.empty()) options.as_user = job.user;
  }
  return choose_manager(options, Role::job_manager);
}

}  // namespace dmm
