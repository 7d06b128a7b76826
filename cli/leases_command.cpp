// `dmm leases`: which nodes are leased to whom, as every site sees it; and `dmm usage`: who lent whom how much.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "cli/json_text.hpp"
#include "cli/questions.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

struct LeaseOptions {
  ManagerOptions manager;
  bool records = false;
  bool json = false;
};

std::string shown(const Json& json, const char* key) { return harmless(text_in(json, key)); }

std::string seconds_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? length_text(found->get<double>()) : std::string();
}

/// The same question to every chosen site; each answer is shown by `show`, all of them are one JSON object.
template <class Show>
int ask_sites(const char* command, const LeaseOptions& options, const std::string& verb, Show&& show) {
  auto chosen = choose_managers(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail(command, *fault);
  const auto& managers = std::get<std::vector<Manager>>(chosen);
  Json list = Json::array();
  std::vector<std::string> faults;
  for (Answered& answered : ask_all(managers, verb)) {
    if (!answered.fault.empty()) {
      faults.push_back(answered.fault);
      continue;
    }
    Json one{{"site", answered.manager.party.site.text}};
    one.update(answered.json);
    list.push_back(std::move(one));
  }
  if (options.json)
    print_json({{"sites", std::move(list)}, {"faults", faults}});
  else
    show(list);
  for (const std::string& fault : faults) fail(command, {fault, 1});
  return faults.empty() ? 0 : 1;
}

void show_leases(const Json& sites) {
  const Style style = style_of(STDOUT_FILENO);
  Table table({{"site"},
               {"lease"},
               {"state"},
               {"from"},
               {"to"},
               {"processors", true},
               {"left", true},
               {"request"},
               {"chain"}});
  for (const Json& site : sites)
    for (const Json& lease : site.value("leases", Json::array())) {
      std::string chain;
      for (const Json& name : lease.value("chain", Json::array()))
        chain += (chain.empty() ? "" : std::string(style.pick(" → ", " > "))) + harmless(name.get<std::string>());
      std::string left = seconds_in(lease, "from_seconds_left");
      if (left.empty()) left = seconds_in(lease, "to_seconds_left");
      const bool wanted = lease.value("wanted", false);
      table.add({shown(site, "site"), shown(lease, "lease"),
                 shown(lease, "state") + (wanted ? ", wanted back" : ""), shown(lease, "from"),
                 shown(lease, "to"), grouped(lease.value("processors", std::uint64_t{0})), left,
                 shown(lease, "request"), chain});
    }
  std::printf("%s", table.empty() ? "no leases\n" : table.text(style).c_str());
  for (const Json& site : sites) {
    const std::uint64_t total = site.value("total", std::uint64_t{0});
    if (const std::size_t shown_here = site.value("leases", Json::array()).size(); shown_here < total)
      std::printf("%s: %s more leases aren't shown\n", shown(site, "site").c_str(),
                  grouped(total - shown_here).c_str());
  }
}

void show_usage(const Json& sites, bool records) {
  const Style style = style_of(STDOUT_FILENO);
  Table sums({{"site"}, {"direction"}, {"with"}, {"ended", true}, {"running", true}, {"processor-hours", true}});
  Table list({{"site"},
              {"lease"},
              {"direction"},
              {"with"},
              {"processors", true},
              {"processor-seconds", true},
              {"request"}});
  for (const Json& site : sites) {
    for (const Json& sum : site.value("sums", Json::array()))
      sums.add({shown(site, "site"), shown(sum, "direction"), shown(sum, "site"),
                grouped(sum.value("records", std::uint64_t{0})), grouped(sum.value("running", std::uint64_t{0})),
                decimal((sum.value("processor_seconds", 0.0) + sum.value("running_processor_seconds", 0.0)) / 3600,
                        3)});
    for (const Json& record : site.value("records", Json::array()))
      list.add({shown(site, "site"), shown(record, "lease"), shown(record, "direction"),
                shown(record, "site"), grouped(record.value("processors", std::uint64_t{0})),
                decimal(record.value("processor_seconds", 0.0), 1), shown(record, "request")});
  }
  const Table& table = records ? list : sums;
  std::printf("%s", table.empty() ? "no use on record\n" : table.text(style).c_str());
}

}  // namespace

CLI::App* add_leases_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("leases", "List leases, hop by hop");
  auto options = std::make_shared<LeaseOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Every site of a chain shows the lease: \"from\" is its neighbour towards the owner, \"to\" the one\n"
      "towards the borrower; neither is set where the owner's own users have the nodes.\n"
      "\n"
      "Examples:\n"
      "  dmm leases\n"
      "  dmm leases --site das-3 --json\n");
  command->callback([options, &exit_code] { exit_code = ask_sites("leases", *options, "leases", show_leases); });
  return command;
}

CLI::App* add_usage_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("usage", "Show who lent whom how many processor-hours");
  auto options = std::make_shared<LeaseOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--records", options->records, "One line a lease instead of sums");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Sums are by neighbour and direction, over all leases, those that run included; with --records, leases\n"
      "that have ended.\n"
      "\n"
      "Examples:\n"
      "  dmm usage\n"
      "  dmm usage --site das-3 --records\n");
  command->callback([options, &exit_code] {
    exit_code =
        ask_sites("usage", *options, "usage", [&](const Json& sites) { show_usage(sites, options->records); });
  });
  return command;
}

}  // namespace dmm
