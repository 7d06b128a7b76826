// The batch manager's daemon: reads its configuration, runs the manager, and has its commands run. Everything it
// decides is in batchmgr/batch_manager.hpp.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "batchmgr/batch_manager.hpp"
#include "batchmgr/runner/command_runner.hpp"
#include "daemons/answers/batch_view.hpp"
#include "daemons/daemon_main.hpp"
#include "daemons/running_config.hpp"
#include "runtime/files.hpp"
#include "topologies/config_notes.hpp"
#include "topologies/daemon_config.hpp"

namespace {

using namespace dmm;

BatchManagerConfigOrError read_config(const DaemonArguments& given) {
  return read_batch_manager_config(given.file, {.overrides = given.overrides, .folder = given.folder});
}

/// With what follows from where this program is.
BatchSettings settings_of(const BatchManagerConfig& config) {
  BatchSettings chosen = config.settings;
  chosen.dmm = folder_of_programs() + "/dmm";
  if (chosen.node_programs.empty()) chosen.node_programs = folder_of_programs();
  return chosen;
}

class BatchShell {
 public:
  BatchShell(DaemonArguments arguments, BatchManagerConfig config)
      : arguments_(std::move(arguments)), config_(std::move(config)) {}

  static constexpr std::string_view state_verb = "batch";
  std::vector<int> descriptors() const { return {runner_.descriptor()}; }
  bool collect(Instant now, Driver<BatchManager>& driver) {
    std::vector<CommandEnded> ended = runner_.take();
    for (CommandEnded& one : ended) driver.local(now, std::move(one));
    return !ended.empty();
  }
  bool perform(Instant, Driver<BatchManager>& driver) {
    for (CommandWanted& wanted : std::exchange(driver.effects.commands, {})) runner_.run(std::move(wanted));
    return false;
  }
  std::optional<Answer> answer(Instant now, Driver<BatchManager>& driver, const Ask& ask) {
    return answer_batch(driver.manager, {now, wall_microseconds()}, ask);
  }
  Reloaded reload(Instant, Driver<BatchManager>& driver) {
    const auto read = read_config(arguments_);
    if (const auto* error = std::get_if<ConfigError>(&read)) return {.fault = error->text};
    const BatchManagerConfig& wanted = std::get<BatchManagerConfig>(read);
    BatchSettings chosen = settings_of(wanted);
    chosen.borrow = driver.manager.settings().borrow;  // with the secrets that were read at the start
    Reloaded reloaded{.fault = driver.manager.reconfigure(chosen)};
    if (reloaded.fault.empty()) config_.take(wanted, reloaded);
    return reloaded;
  }
  void take_key(Instant, Driver<BatchManager>&, const Transport&, const LinkKey&) {}
  /// Pilots go on without it.
  bool finish(Instant, Driver<BatchManager>&, Farewell) { return true; }

 private:
  DaemonArguments arguments_;
  RunningConfig<BatchManagerConfig> config_;
  CommandRunner runner_;
};

constexpr std::size_t secret_bytes_max = 32 * 1024;  // both travel on the standard input of a job

/// What borrowed nodes get of this cluster; an error text, or empty.
std::string read_secrets(BorrowSettings& borrow) {
  const std::pair<const std::string*, std::string*> files[] = {{&borrow.configuration, &borrow.configuration_text},
                                                               {&borrow.key, &borrow.key_text}};
  for (const auto& [path, text] : files) {
    auto read = read_small_file(*path, secret_bytes_max);
    if (!read) return *path + " can't be read, or is longer than " + std::to_string(secret_bytes_max) + " bytes";
    *text = std::move(*read);
  }
  return {};
}

/// What an administrator must know of nodes that join the batch system.
std::string trust_text(const BorrowSettings& borrow) {
  std::string places;
  for (const std::string& place : borrow.from) places += (places.empty() ? "" : ", ") + place;
  return "nodes of " + places + " get the MUNGE key of this cluster: root there can act as root here";
}

int run(const BatchManagerConfig& config, const DaemonArguments& arguments) {
  DaemonSettings settings =
      daemon_settings(config, resource_manager_of(config.settings.site, config.settings.name));
  settings.die_with_parent = arguments.die_with_parent;
  settings.needs_root = true;  // where pilots are to be root's
  Foundation foundation;
  const auto fail = [&](const std::string& fault) {
    return fail_daemon(foundation, settings.endpoint.self, fault);
  };
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);
  if (const std::string fault = number_start(settings, config.directory); !fault.empty()) return fail(fault);
  BatchSettings chosen = settings_of(config);
  if (chosen.borrow.is_on()) {
    if (const std::string fault = read_secrets(chosen.borrow); !fault.empty()) return fail(fault);
    const std::string text = trust_text(chosen.borrow);
    foundation.log.write(Level::warning, "trusts", {{"text", text}});
    if (!foundation.log.on_terminal())
      std::fprintf(stderr, "%s: warning: %s\n", settings.log.daemon.c_str(), text.c_str());
  }
  const BatchSystem* const system = find_batch_system(chosen.system);
  DMM_ASSERT(system != nullptr);  // the configuration was checked
  auto kept = open_kept<BatchRecord>(config.directory, "graded", to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<BatchRecord>>(kept);
  BatchManager manager(std::move(chosen), *system);
  manager.restore(std::move(rows));
  BatchShell shell(arguments, config);
  return run_daemon(foundation, settings, std::move(manager), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  const auto describe = [](const BatchManagerConfig& config) {
    return "batch manager " + config.settings.name + " of " + std::string(config.settings.site.text);
  };
  const DaemonText text{
      "batchmgr",
      "Batch manager of DMM: holds idle nodes of a batch system for the site, and gives them back when "
      "the batch system's own users want them.",
      "--config alpha-slurm.json --set reserve=2"};
  return daemon_main(argc, argv, text, read_config, describe, run);
}
