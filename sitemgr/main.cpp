// The site manager's daemon: reads its configuration and runs the machine; everything it decides is in
// site_manager.hpp, everything it does in runtime/.
#include "runtime/daemon_main.hpp"
#include "runtime/files.hpp"
#include "sitemgr/site_manager.hpp"
#include "topologies/daemon_config.hpp"
#include "views/holdings.hpp"
#include "views/site_orders.hpp"
#include "views/site_view.hpp"

namespace {

using namespace dmm;

/// A site manager has nothing beside its machine.
struct SiteShell {
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Process<SiteManager>&) { return false; }
  bool perform(Instant, Process<SiteManager>&) { return false; }
  bool finish(Instant, Process<SiteManager>&, Farewell) { return true; }
  std::string_view verbs() const { return site_verbs; }
  std::optional<Answer> answer(Instant now, Process<SiteManager>& process, const Ask& ask) {
    const ViewTime time{now, wall_microseconds()};
    if (ask.verb == "holdings") return holdings_of(process.machine, ask);
    if (auto answer = order_site(process.machine, time, ask, process.effects)) return answer;
    return answer_site(process.machine, time, ask);
  }
};

Admission admission_of(const SiteConfig& config) {
  Admission admission;
  for (const LinkConfig& link : config.links) admission.parties.insert(site_manager_of(link.site));
  for (const std::string& user : config.users)
    admission.parties.insert(job_manager_of(config.settings.name, user));
  admission.job_managers_of_site = config.users.empty();
  admission.resource_managers = true;
  return admission;
}

DaemonSettings settings_of(const SiteConfig& config) {
  DaemonSettings settings = daemon_settings(config, site_manager_of(config.settings.name));
  settings.endpoint.ancestors = config.settings.ancestors;
  settings.endpoint.admission = admission_of(config);
  for (const LinkConfig& link : config.links)
    if (!link.connect.empty()) settings.dials.push_back({site_manager_of(link.site), link.connect});
  return settings;
}

/// The number of this start: greater than all before, with a directory to keep it in also if the clock was set back.
std::variant<std::uint64_t, std::string> incarnation_of(const std::string& directory) {
  if (directory.empty()) return incarnation_now();
  return next_incarnation(directory + "/incarnation");
}

int run(const SiteConfig& config, bool die_with_parent) {
  DaemonSettings settings = settings_of(config);
  settings.die_with_parent = die_with_parent;
  Foundation foundation;
  const auto fail = [&](const std::string& fault) { return fail_daemon(foundation, settings.endpoint.self, fault); };
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);
  if (!config.directory.empty())
    if (const std::string fault = make_directory(config.directory); !fault.empty()) return fail(fault);

  auto kept = open_kept<SiteRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<SiteRecord>>(kept);
  if (ledger == nullptr) foundation.log.write(Level::warning, "no_ledger", {{"text", "a restart forgets all leases"}});
  const auto incarnation = incarnation_of(config.directory);
  if (const auto* fault = std::get_if<std::string>(&incarnation)) return fail(*fault);
  settings.endpoint.incarnation = std::get<std::uint64_t>(incarnation);

  SiteManager machine(config.settings, settings.endpoint.incarnation);
  if (ledger != nullptr) machine.restore(monotonic_now(), std::move(rows));
  SiteShell shell;
  return run_daemon(foundation, settings, std::move(machine), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  const auto read = [](const DaemonArguments& given) {
    return read_site_config(given.file, {.overrides = given.overrides});
  };
  const auto describe = [](const SiteConfig& config) {
    return "site manager of " + config.settings.name.text;
  };
  const DaemonText text{"sitemgr",
                        "Site manager of DMM: serves a site's users, and delegates what it can't serve.",
                        "--config das-0.json --set log.level=debug"};
  return daemon_main(argc, argv, text, read, describe, run);
}
