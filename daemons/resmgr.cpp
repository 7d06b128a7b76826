// The resource manager's daemon: reads its configuration, runs the manager, and carries its orders to the backend that
// runs the jobs. Everything it decides is in resmgr/resource_manager.hpp.
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "daemons/answers/holdings.hpp"
#include "daemons/answers/resource_view.hpp"
#include "daemons/daemon_main.hpp"
#include "daemons/running_config.hpp"
#include "protocol/given_back.hpp"
#include "resmgr/backends/process/backend.hpp"
#include "resmgr/backends/process/unexplained_ends.hpp"
#include "resmgr/resource_manager.hpp"
#include "topologies/config_notes.hpp"
#include "topologies/daemon_config.hpp"

namespace {

using namespace dmm;

/// Between SIGTERM and SIGKILL for jobs, when the daemon itself is to end.
constexpr Duration stop_grace = seconds(2);

/// However the manager ends, also if it couldn't start or its disk failed: what runs goes on for the next start, unless
/// a person wanted it ended.
class Parting {
 public:
  Parting(ProcessBackend& backend, const Signals& signals, bool may_leave)
      : backend_(backend), signals_(signals), may_leave_(may_leave) {}
  ~Parting() {
    if (may_leave_ && signals_.farewell() == Farewell::leave) backend_.leave();
  }
  Parting(const Parting&) = delete;
  Parting& operator=(const Parting&) = delete;

 private:
  ProcessBackend& backend_;
  const Signals& signals_;
  bool may_leave_;
};

ResourceManagerConfigOrError read_config(const DaemonArguments& given) {
  return read_resource_manager_config(given.file, {.overrides = given.overrides, .folder = given.folder});
}

class ResourceShell {
 public:
  /// `may_leave`: what runs can go on without this process. `settings`: with the endpoint as job managers dial it.
  ResourceShell(ProcessBackend& backend, bool may_leave, ResourceManagerConfig config, DaemonArguments arguments,
                ResourceManagerSettings settings)
      : backend_(backend),
        may_leave_(may_leave),
        config_(std::move(config)),
        arguments_(std::move(arguments)),
        settings_(std::move(settings)) {}

  static constexpr std::string_view state_verb = "resource";
  std::vector<int> descriptors() const { return {backend_.descriptor()}; }
  std::optional<Answer> answer(Instant now, Driver<ResourceManager>& driver, const Ask& ask) {
    if (ask.verb == "holdings") return holdings_of(driver.manager, ask);
    return answer_resource(driver.manager, backend_.state(), {now, wall_microseconds()}, ask);
  }

  Reloaded reload(Instant now, Driver<ResourceManager>& driver) {
    const auto read = read_config(arguments_);
    if (const auto* error = std::get_if<ConfigError>(&read)) return {.fault = error->text};
    const ResourceManagerConfig& wanted = std::get<ResourceManagerConfig>(read);
    ResourceManagerSettings chosen = wanted.settings;
    chosen.endpoint = settings_.endpoint;  // it listens where it did
    chosen.users_apart = backend_.state().users_apart;
    chosen.stages_files = settings_.stages_files;
    Reloaded reloaded{.fault = driver.manager.reconfigure(now, chosen, driver.effects)};
    if (!reloaded.fault.empty()) return reloaded;
    settings_ = std::move(chosen);
    config_.take(wanted, reloaded);
    return reloaded;
  }

  bool collect(Instant now, Driver<ResourceManager>& driver) {
    std::vector<TaskReport> reports = backend_.take_reports();
    if (config_.started_with().in_pilot) reports = ends_.pass(now, std::move(reports));
    hand_over(now, driver, reports);
    std::vector<LogEvent> events = backend_.take_events();
    for (LogEvent& event : events)
      if (driver.effects.wants(event.level)) driver.effects.events.push_back(std::move(event));
    if (backend_.replaced() && !std::exchange(told_, true)) ::raise(SIGTERM);  // ends it in order; see `run`
    return !reports.empty() || !events.empty();
  }

  bool perform(Instant, Driver<ResourceManager>& driver) {
    for (const TaskOrder& order : driver.effects.tasks) backend_.perform(order);
    driver.effects.tasks.clear();
    return false;
  }

  /// Job managers are told to dial the endpoint with the new key.
  void take_key(Instant now, Driver<ResourceManager>& driver, const Transport& transport, const LinkKey&) {
    settings_.endpoint = transport.published(config_.started_with().settings.endpoint);
    driver.manager.reconfigure(now, settings_, driver.effects);
  }

  bool finish(Instant now, Driver<ResourceManager>& driver, Farewell farewell) {
    if (may_leave_ && farewell == Farewell::leave) return true;
    if (farewell == Farewell::hand_back || config_.started_with().in_pilot) {
      const bool is_done =
          driver.manager.hand_back(now, settings_.hand_back_grace, std::string(given_back_text), driver.effects);
      std::vector<TaskReport> ends = ends_.release();
      hand_over(now, driver, ends);
      return is_done && ends.empty();
    }
    return driver.manager.stop_all(now, stop_grace, driver.effects);
  }

 private:
  void hand_over(Instant now, Driver<ResourceManager>& driver, std::vector<TaskReport>& reports) {
    for (TaskReport& report : reports) std::visit([&](auto& one) { driver.local(now, std::move(one)); }, report);
  }

  ProcessBackend& backend_;
  bool may_leave_;
  UnexplainedEnds ends_;  ///< in a pilot
  RunningConfig<ResourceManagerConfig> config_;
  DaemonArguments arguments_;
  ResourceManagerSettings settings_;  ///< of now
  bool told_ = false;                 ///< that it is replaced
};

ProcessBackendSettings backend_of(const ResourceManagerConfig& config, bool outlive) {
  return {.directory = config.directory,
          .keep = config.settings.term,
          .keeper_executable = {},
          .outlive = outlive,
          .jobs = config.settings.jobs,
          .node_memory_bytes = config.settings.memory_bytes,
          .node_processors = config.settings.processors_per_node,
          .site = config.settings.site,
          .address = config.settings.address};
}

DaemonSettings settings_of(const ResourceManagerConfig& config) {
  DaemonSettings settings =
      daemon_settings(config, resource_manager_of(config.settings.site, config.settings.name));
  settings.endpoint.admission.parties = {site_manager_of(config.settings.site)};
  settings.endpoint.admission.job_managers = true;
  settings.dials = {{site_manager_of(config.settings.site), config.site_endpoint}};
  return settings;
}

int run(const ResourceManagerConfig& config, const DaemonArguments& arguments) {
  DaemonSettings settings = settings_of(config);
  settings.die_with_parent = arguments.die_with_parent;
  settings.needs_root = config.settings.jobs.accounts.first > 0;  // else jobs may run as root, too
  Foundation foundation;
  const auto fail = [&](const std::string& fault) {
    return fail_daemon(foundation, settings.endpoint.self, fault);
  };
  if (const std::string fault = take_keys(settings); !fault.empty()) return fail(fault);
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);

  auto kept = open_kept<ResourceRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<ResourceRecord>>(kept);
  // With a ledger a restarted manager knows what it had running: then it may run on meanwhile.
  const bool outlive = ledger != nullptr;
  const auto opened = ProcessBackend::open(backend_of(config, outlive));
  if (const auto* fault = std::get_if<std::string>(&opened)) return fail(*fault);
  ProcessBackend& backend = *std::get<std::unique_ptr<ProcessBackend>>(opened);
  const bool may_leave = outlive && !config.in_pilot;  // nothing outlives a pilot
  const Parting parting(backend, foundation.signals, may_leave);
  if (const std::string fault = number_start(settings, config.directory); !fault.empty()) return fail(fault);

  ResourceManagerSettings published = config.settings;
  published.users_apart = backend.state().users_apart;
  published.stages_files = true;
  published.endpoint = foundation.transport.published(config.settings.endpoint);
  ResourceManager manager(published);
  // A host that was started again ended all that ran there, and no job did that.
  const bool keeper_died = ledger != nullptr && ledger->is_of_this_boot() && backend.keeper_is_new();
  if (ledger != nullptr) manager.restore(monotonic_now(), std::move(rows), backend.living(), keeper_died);
  ResourceShell shell(backend, may_leave, config, arguments, published);
  const int code = run_daemon(foundation, settings, std::move(manager), shell, ledger.get());
  if (!backend.replaced()) return code;
  foundation.log.write(Level::error, "replaced", {{"reason", backend.fault()}});
  std::fprintf(stderr, "%s: %s\n", to_text(settings.endpoint.self).c_str(), backend.fault().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto describe = [](const ResourceManagerConfig& config) {
    return "resource manager " + config.settings.name + " of " + config.settings.site.text;
  };
  const DaemonText text{
      "resmgr", "Resource manager of DMM: starts and watches jobs on nodes of one cluster, for their owner.",
      "--config das-0-nodes.json --set log.level=debug"};
  return daemon_main(argc, argv, text, read_config, describe, run);
}
