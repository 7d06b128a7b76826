// The job manager's daemon: reads its configuration, runs the manager, and does what the manager may not. It has
// the output of jobs written into files as the user, serves files at home to nodes, and keeps the number of the
// next job. Everything else is in jobmgr/job_manager.hpp and runtime/.
#include <filesystem>
#include <map>
#include <memory>

#include "daemons/answers/holdings.hpp"
#include "daemons/answers/job_view.hpp"
#include "daemons/answers/output_view.hpp"
#include "daemons/daemon_main.hpp"
#include "daemons/running_config.hpp"
#include "jobmgr/files/server.hpp"
#include "jobmgr/job_manager.hpp"
#include "jobmgr/stream_names.hpp"
#include "runtime/file_writer.hpp"
#include "runtime/files.hpp"
#include "topologies/config_notes.hpp"
#include "topologies/daemon_config.hpp"

namespace {

using namespace dmm;

/// Job numbers are reserved in blocks of this many: one small write for half a block, and at most a block is skipped
/// after a crash.
constexpr std::uint64_t number_block = 100;

JobManagerConfigOrError read_config(const DaemonArguments& given) {
  return read_job_manager_config(given.file, {.overrides = given.overrides, .folder = given.folder});
}

class JobShell {
 public:
  JobShell(JobManagerConfig config, DaemonArguments arguments, NumberFile numbers,
           std::unique_ptr<HomeServer> files, Log& log)
      : config_(std::move(config)),
        arguments_(std::move(arguments)),
        folder_(std::filesystem::absolute(config_.latest().directory).lexically_normal().string()),
        numbers_(std::move(numbers)),
        files_(std::move(files)),
        log_(log) {}

  static constexpr std::string_view state_verb = "counts";
  std::vector<int> descriptors() const { return {writer_.descriptor()}; }
  bool collect(Instant now, Driver<JobManager>& driver) {
    const std::vector<FileWritten> done = writer_.take();
    for (const FileWritten& one : done) {
      const auto found = writing_.find(one.id);
      OutputWritten written = std::move(found->second);
      writing_.erase(found);
      written.error = one.error;
      if (!written.error.empty())
        log_.write(Level::warning, "output_not_written",
                   {{"job", static_cast<std::int64_t>(written.job)}, {"reason", written.error}});
      driver.local(now, std::move(written));
    }
    return !done.empty();
  }
  std::optional<Answer> answer(Instant now, Driver<JobManager>& driver, const Ask& ask) {
    if (ask.verb == "holdings") return holdings_of(driver.manager, ask);
    const ViewTime time{now, wall_microseconds()};
    if (auto answer = answer_output(driver.manager, time, ask, folder_, driver.effects)) return answer;
    return answer_jobs(driver.manager, time, ask, driver.effects);
  }

  Reloaded reload(Instant, Driver<JobManager>& driver) {
    const auto read = read_config(arguments_);
    if (const auto* error = std::get_if<ConfigError>(&read)) return {.fault = error->text};
    const JobManagerConfig& wanted = std::get<JobManagerConfig>(read);
    Reloaded reloaded{.fault = driver.manager.reconfigure(wanted.settings)};
    if (reloaded.fault.empty()) config_.take(wanted, reloaded);
    return reloaded;
  }

  bool perform(Instant, Driver<JobManager>& driver) {
    reserve(driver.manager);
    for (OutputPiece& piece : std::exchange(driver.effects.output, {})) {
      writing_.emplace(piece.serial,
                       OutputWritten{piece.job, piece.component, piece.stream, piece.serial, {}, piece.last});
      std::string path = piece.path;
      const bool is_ours = path.empty();
      if (is_ours) path = folder_ + '/' + own_output_file(piece.job, piece.component, piece.stream);
      writer_.add(piece.serial, {std::move(path), piece.offset, std::move(piece.data), piece.begins, piece.appends,
                                 piece.last, is_ours});
    }
    driver.effects.ended.clear();  // the table has them
    for (HomeShare& share : std::exchange(driver.effects.shares, {}))
      if (files_) files_->take(std::move(share));
    if (files_) files_->begin();
    return false;
  }

  void take_key(Instant, Driver<JobManager>&, const Transport&, const LinkKey&) {}

  bool finish(Instant, Driver<JobManager>& driver, Farewell) {
    if (const std::string fault = numbers_.close(driver.manager.next_job()); !fault.empty())
      log_.write(Level::error, "number_not_kept", {{"reason", fault}});
    return true;
  }

 private:
  void reserve(const JobManager& jobs) {
    if (const std::string fault = numbers_.used_below(jobs.next_job()); !fault.empty())
      log_.write(Level::error, "number_not_kept", {{"reason", fault}});
  }

  RunningConfig<JobManagerConfig> config_;
  DaemonArguments arguments_;
  std::string folder_;  ///< of the manager
  FileWriter writer_;
  std::map<std::uint64_t, OutputWritten> writing_;  ///< pieces that the writer has
  NumberFile numbers_;
  std::unique_ptr<HomeServer> files_;  ///< null: none is wanted
  Log& log_;
};

DaemonSettings settings_of(const JobManagerConfig& config) {
  DaemonSettings settings = daemon_settings(config, job_manager_of(config.settings.site, config.settings.user));
  settings.endpoint.admission.parties = {site_manager_of(config.settings.site)};
  settings.endpoint.relay_after = config.settings.relay_after;
  settings.dials = {{site_manager_of(config.settings.site), config.site_endpoint}};
  return settings;
}

int run(const JobManagerConfig& config, const DaemonArguments& arguments) {
  DaemonSettings settings = settings_of(config);
  settings.die_with_parent = arguments.die_with_parent;
  Foundation foundation;
  const auto fail = [&](const std::string& fault) {
    return fail_daemon(foundation, settings.endpoint.self, fault);
  };
  // First: it may be where it listens.
  if (const std::string fault = make_directory(config.directory); !fault.empty()) return fail(fault);
  if (const std::string fault = make_private_directory(config.directory + "/outputs"); !fault.empty())
    return fail(fault);
  if (const std::string fault = take_keys(settings); !fault.empty()) return fail(fault);
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);

  auto kept = open_kept<JobManagerRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<JobManagerRecord>>(kept);
  if (const std::string fault = number_start(settings, config.directory); !fault.empty()) return fail(fault);

  NumberFile numbers(config.directory + "/next-job", number_block);
  if (const std::string fault = numbers.open(); !fault.empty()) return fail(fault);
  JobManagerSettings first = config.settings;
  first.first_job = numbers.first();  // also with a ledger, which has no row of a job that was forgotten
  JobManager manager(std::move(first));
  if (ledger != nullptr)
    if (const std::string fault = manager.restore(monotonic_now(), std::move(rows)); !fault.empty())
      return fail("the ledger " + ledger->path() + " can't be used: " + fault);
  std::unique_ptr<HomeServer> files;
  if (!config.files_listen.empty()) {
    auto opened =
        HomeServer::open({config.files_listen, config.files_host, config.directory, config.files_bytes_max});
    if (const auto* fault = std::get_if<1>(&opened)) return fail(*fault);
    files = std::get<0>(std::move(opened));
    manager.set_home_server(files->address());
  }
  JobShell shell(config, arguments, std::move(numbers), std::move(files), foundation.log);
  return run_daemon(foundation, settings, std::move(manager), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  const auto describe = [](const JobManagerConfig& config) {
    return "job manager of " + config.settings.user + " at " + config.settings.site.text;
  };
  const DaemonText text{
      "jobmgr", "Job manager of DMM: runs the jobs of one user on the nodes that their site finds for them.",
      "--config das-0-alice.json --set log.level=debug"};
  return daemon_main(argc, argv, text, read_config, describe, run);
}
