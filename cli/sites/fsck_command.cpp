// `dmm fsck`: asks all managers of a testbed for their beliefs about leases, and a batch manager for its nodes. Names
// every disagreement that lasts.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <thread>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/batch_beliefs.hpp"
#include "cli/sites/batch_question.hpp"
#include "cli/sites/beliefs.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct FsckOptions {
  ManagerOptions manager;
  std::string batchmgr;
  double patience_seconds = 3;
  bool json = false;
};

struct Inquiry {
  std::vector<Believer> believers;
  std::vector<std::string> silent;  ///< managers that didn't answer, with the reason
  std::size_t leases = 0;
  std::vector<std::string> batch;  ///< disagreements between a site and its batch system
};

/// If there is a batch manager: compares its nodes with those of its site.
void ask_batch(const std::vector<Manager>& managers, const std::string& endpoint, Inquiry& inquiry) {
  const Answered batch = ask_batch_manager(endpoint);
  if (!batch.fault.empty()) inquiry.silent.push_back(batch.fault);
  if (endpoint.empty() || !batch.fault.empty()) return;
  for (const Manager& manager : managers) {
    if (manager.party.role != Role::site_manager || manager.party.site.text != text_in(batch.json, "site"))
      continue;
    Answered nodes = ask_one(manager, "nodes");
    if (nodes.fault.empty()) nodes.fault = add_pages(nodes, "nodes");
    if (nodes.fault.empty())
      inquiry.batch = batch_disagreements(rows_in(nodes.json, "nodes"), batch.json);
    else
      inquiry.silent.push_back(nodes.fault);
  }
}

/// All pages of each manager's beliefs.
Inquiry ask_all_managers(const std::vector<Manager>& managers, const std::string& batchmgr) {
  Inquiry inquiry;
  ask_batch(managers, batchmgr, inquiry);
  for (Answered& answered : ask_all(managers, "holdings")) {
    Believer believer{answered.manager.party, {}};
    if (answered.fault.empty()) answered.fault = add_pages(answered, "holdings");
    for (const Json& row : rows_in(answered.json, "holdings")) believer.beliefs.push_back(belief_from(row));
    inquiry.leases += believer.beliefs.size();
    if (answered.fault.empty())
      inquiry.believers.push_back(std::move(believer));
    else
      inquiry.silent.push_back(answered.fault);
  }
  return inquiry;
}

std::vector<std::string> disagreements_in(const Inquiry& inquiry) {
  std::vector<std::string> all = disagreements(inquiry.believers);
  all.insert(all.end(), inquiry.batch.begin(), inquiry.batch.end());
  return all;
}

std::variant<std::vector<Manager>, CommandFault> all_managers(const ManagerOptions& options) {
  std::vector<Manager> all;
  for (const Role role : {Role::site_manager, Role::job_manager, Role::resource_manager}) {
    auto chosen = choose_managers(options, role);
    if (auto* fault = std::get_if<CommandFault>(&chosen)) {
      if (role == Role::site_manager) return *fault;
      continue;  // a site without users or without nodes
    }
    for (Manager& manager : std::get<std::vector<Manager>>(chosen)) all.push_back(std::move(manager));
  }
  return all;
}

/// Some grants and releases are always under way, so a disagreement counts only if every inquiry within the time sees
/// it.
int fsck(const FsckOptions& options) {
  const auto chosen = all_managers(options.manager);
  if (const auto* fault = std::get_if<CommandFault>(&chosen)) return fail("fsck", *fault);
  const auto& managers = std::get<std::vector<Manager>>(chosen);
  Inquiry inquiry = ask_all_managers(managers, options.batchmgr);
  std::vector<std::string> lasting = disagreements_in(inquiry);
  constexpr int surveys = 3;
  for (int again = 1; again < surveys && !lasting.empty(); ++again) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.patience_seconds / (surveys - 1)));
    inquiry = ask_all_managers(managers, options.batchmgr);
    const std::vector<std::string> now = disagreements_in(inquiry);
    const std::set<std::string> still(now.begin(), now.end());
    std::erase_if(lasting, [&](const std::string& one) { return !still.contains(one); });
  }
  if (options.json) {
    print_json({{"managers", inquiry.believers.size()},
                {"leases", inquiry.leases},
                {"disagreements", lasting},
                {"silent", inquiry.silent}});
  } else {
    for (const std::string& one : lasting) std::printf("%s\n", harmless(one).c_str());
    std::printf("%s, %s seen from their sides: %s\n", count_text(inquiry.believers.size(), "manager").c_str(),
                count_text(inquiry.leases, "lease").c_str(),
                lasting.empty() ? "no disagreement" : count_text(lasting.size(), "disagreement").c_str());
  }
  for (const std::string& one : inquiry.silent) fail("fsck", {one, 1});
  return lasting.empty() && inquiry.silent.empty() ? 0 : 1;
}

}  // namespace

CLI::App* add_fsck_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("fsck", "Compare what all managers believe of leases, and name disagreements");
  auto options = std::make_shared<FsckOptions>();
  command->add_option("--testbed", options->manager.testbed, "The testbed (default: the only one that is up)")
      ->type_name("NAME");
  add_batch_manager_option(*command, options->batchmgr,
                           "A batch manager: its nodes are compared with those of its site");
  command
      ->add_option("--patience", options->patience_seconds,
                   "Seconds that a disagreement must last, since grants are under way at any time (default 3)")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("SECONDS");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Compares lender and borrower of each link, site and job managers, owner and resource managers; with a\n"
      "batch manager also pilots and the nodes of its site, borrowed nodes and the jobs that run them. Without a\n"
      "testbed, the managers are those that DMM_SITEMGR and DMM_JOBMGR name.\n"
      "Exit code 1 if there is a disagreement, or a manager doesn't answer.\n"
      "\n"
      "Examples:\n"
      "  dmm fsck\n"
      "  dmm fsck --testbed dual-grid --patience 10 --json\n");
  command->callback([options, &exit_code] { exit_code = fsck(*options); });
  return command;
}

}  // namespace dmm
