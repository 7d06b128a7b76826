// See managers.hpp.
#include "cli/managers.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "cli/registry.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

std::string name_of(const Party& party) { return party.site.text + (party.name.empty() ? "" : "/" + party.name); }

std::string list_of(const std::vector<Manager>& managers) {
  std::string text;
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < managers.size() && i < shown; ++i)
    text += (i == 0 ? "" : ", ") + name_of(managers[i].party);
  return managers.size() > shown ? text + ", ..." : text;
}

std::variant<std::vector<Manager>, CommandFault> named_by_endpoint(const ManagerOptions& options, Role role) {
  if (options.as_site.empty() || (role == Role::job_manager && options.as_user.empty()))
    return CommandFault{role == Role::job_manager
                            ? "--jobmgr needs --as-site and --as-user: a job manager is asked by its name"
                            : "--sitemgr needs --as-site: a site manager is asked by its name",
                        2};
  const SiteName site(options.as_site);
  const Party party = role == Role::job_manager ? job_manager_of(site, options.as_user) : site_manager_of(site);
  return std::vector<Manager>{{party, options.endpoint}};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0;
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
                  "Instead of a testbed: where the manager listens")
      ->type_name("ENDPOINT");
  command.add_option("--as-site", options.as_site, "The site of the manager at that endpoint")->type_name("SITE");
  if (jobs) command.add_option("--as-user", options.as_user, "Its user")->type_name("USER");
}

std::variant<Testbed, CommandFault> choose_testbed(const std::string& name) {
  if (!name.empty()) {
    auto loaded = load_testbed(name);
    if (auto* fault = std::get_if<RegistryFault>(&loaded)) return CommandFault{std::move(fault->text), 1};
    return std::move(std::get<Testbed>(loaded));
  }
  if (std::string fault = fault_of_home(); !fault.empty()) return CommandFault{std::move(fault), 1};
  std::vector<Testbed> all = all_testbeds();
  std::erase_if(all, [](const Testbed& testbed) { return count_alive(testbed) == 0; });
  if (all.size() == 1) return std::move(all.front());
  if (all.empty()) return CommandFault{"no testbed is up; `dmm testbed up TOPOLOGY` starts one", 1};
  std::string names;
  for (const Testbed& testbed : all) names += (names.empty() ? "" : ", ") + testbed.name;
  return CommandFault{"several testbeds are up (" + names + "); say which with --testbed", 2};
}

std::variant<std::vector<Manager>, CommandFault> choose_managers(const ManagerOptions& options, Role role) {
  if (!options.endpoint.empty()) return named_by_endpoint(options, role);
  auto chosen = choose_testbed(options.testbed);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return std::move(*fault);
  const auto& testbed = std::get<Testbed>(chosen);
  std::vector<Manager> managers, others;
  for (const TestbedDaemon& daemon : testbed.daemons) {
    if (daemon.party.role != role) continue;
    const bool fits = (options.site.empty() || daemon.party.site.text == options.site) &&
                      (options.user.empty() || daemon.party.name == options.user);
    (fits ? managers : others).push_back({daemon.party, daemon.endpoint});
  }
  if (!managers.empty()) return managers;
  std::string wanted = options.site + (options.user.empty() ? "" : "/" + options.user);
  return CommandFault{"testbed " + testbed.name + " has no " + std::string(to_text(role)) + " " + wanted +
                          "; it has " + list_of(others),
                      2};
}

std::variant<Manager, CommandFault> choose_manager(const ManagerOptions& options, Role role) {
  auto chosen = choose_managers(options, role);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return std::move(*fault);
  auto& managers = std::get<std::vector<Manager>>(chosen);
  if (managers.size() == 1) return std::move(managers.front());
  const std::string question =
      role == Role::job_manager ? "which job manager? Say --site and --user" : "which site? Say --site";
  return CommandFault{question + "; there are " + list_of(managers), 2};
}

std::variant<JobName, CommandFault> parse_job(const std::string& text) {
  JobName name;
  if (read_number(text, name.job)) return name;
  if (const auto id = parse_request_id(text)) {
    name = {id->site.text, id->user, id->job,
            text.find('.', text.rfind('/')) == std::string::npos ? 0 : id->attempt};
    return name;
  }
  return CommandFault{"\"" + text + "\" is no job; expected a number as in 17, or a request as in das-0/alice/17",
                      2};
}

std::variant<Manager, CommandFault> manager_of(const JobName& job, ManagerOptions options) {
  if (!job.site.empty()) options.site = job.site;
  if (!job.user.empty()) options.user = job.user;
  if (!options.endpoint.empty()) {
    if (options.as_site.empty()) options.as_site = job.site;
    if (options.as_user.empty()) options.as_user = job.user;
  }
  return choose_manager(options, Role::job_manager);
}

}  // namespace dmm
