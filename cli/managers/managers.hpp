// Which managers a command asks: managers of a testbed, found by name; or one that the user names by its endpoint, on
// the command line or in DMM_JOBMGR and DMM_SITEMGR.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/managers/manager.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"

namespace CLI {
class App;
}

namespace dmm {

/// The options by which a user names managers.
struct ManagerOptions {
  std::string testbed;   ///< --testbed; empty: the only one that is up
  std::string site;      ///< --site; empty: any
  std::string user;      ///< --user; empty: any
  std::string endpoint;  ///< --jobmgr or --sitemgr; excludes a testbed
  std::string as_site;   ///< --as-site: the site of the manager at that endpoint; empty: whatever it says
  std::string as_user;   ///< --as-user: its user; empty: whatever it says
};

/// Adds --testbed and --site. For a job manager also --user, --jobmgr, --as-site and --as-user; for a site manager also
/// --sitemgr and --as-site.
void add_manager_options(CLI::App& command, ManagerOptions& options, Role role);

/// Adds --batchmgr, with DMM_BATCHMGR as its default; empty: none.
void add_batch_manager_option(CLI::App& command, std::string& endpoint, const std::string& about);

/// The options with the endpoint of DMM_JOBMGR or DMM_SITEMGR, unless they already name an endpoint or a testbed.
ManagerOptions with_environment(ManagerOptions options, Role role);

/// All managers of a role that match the options; at least one. A manager at an endpoint is asked for its name, unless
/// the options give it.
std::variant<std::vector<Manager>, CommandFault> choose_managers(const ManagerOptions& options, Role role);
/// The one manager of a role that matches the options. If several do, the fault lists them.
OrFault<Manager, CommandFault> choose_manager(const ManagerOptions& options, Role role);

/// The manager that listens at an endpoint, of any role; it is asked for its name.
OrFault<Manager, CommandFault> manager_at(const std::string& endpoint);

/// The testbed of that name, or the only one that is up.
struct Testbed;
OrFault<Testbed, CommandFault> choose_testbed(const std::string& name);

/// A job as a user names it: "17", "das-0/alice/17", with an attempt "das-0/alice/17.2", or an array element "17_3" or
/// "das-0/alice/17_3".
struct JobName {
  std::string site;  ///< empty: not said
  std::string user;
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;                ///< 0: not said
  std::optional<std::uint32_t> index = {};  ///< of an element of the array `job`

  /// As questions and orders name the job: 17 or "17_3".
  nlohmann::ordered_json argument() const;
};
OrFault<JobName, CommandFault> parse_job(const std::string& text);
/// The job manager of a job. The job's site and user override those of the options.
OrFault<Manager, CommandFault> manager_of(const JobName& job, ManagerOptions options);

}  // namespace dmm
