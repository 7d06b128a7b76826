// The job manager's daemon: reads its configuration, runs the machine, and does what the machine may not: writes the
// output of jobs into files as the user, and keeps the number of the next job. Everything else is in job_manager.hpp
// and runtime/.
#include <cstdio>

#include "jobmgr/job_manager.hpp"
#include "runtime/daemon_main.hpp"
#include "runtime/files.hpp"
#include "topologies/config_notes.hpp"
#include "topologies/daemon_config.hpp"
#include "views/holdings.hpp"
#include "views/job_view.hpp"

namespace {

using namespace dmm;

/// Job numbers are reserved in blocks of this many: one small write for half a block, and at most a block is skipped
/// after a crash.
constexpr std::uint64_t number_block = 100;

/// No job has more components (docs/protocol.md section 8).
constexpr std::uint32_t components_max = 64;

constexpr std::string_view cut_notice = "\n[dmm: the rest of this output was not brought back]\n";

JobManagerConfigOrError read_config(const DaemonArguments& given) {
  return read_job_manager_config(given.file, {.overrides = given.overrides, .folder = given.folder});
}

class JobShell {
 public:
  JobShell(JobManagerConfig config, DaemonArguments arguments, NumberFile numbers, Log& log)
      : config_(std::move(config)), arguments_(std::move(arguments)), numbers_(std::move(numbers)), log_(log) {}

  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Process<JobManager>&) { return false; }
  std::string_view verbs() const { return job_verbs; }
  std::optional<Answer> answer(Instant now, Process<JobManager>& process, const Ask& ask) {
    if (ask.verb == "holdings") return holdings_of(process.machine, ask);
    return answer_jobs(process.machine, {now, wall_microseconds()}, ask, process.effects);
  }

  Reloaded reload(Instant, Process<JobManager>& process) {
    const auto read = read_config(arguments_);
    if (const auto* error = std::get_if<ConfigError>(&read)) return {.fault = error->text};
    const JobManagerConfig& wanted = std::get<JobManagerConfig>(read);
    Reloaded reloaded{.fault = process.machine.reconfigure(wanted.settings)};
    reloaded.left = keys_for_next_start(config_, wanted);
    return reloaded;
  }

  bool perform(Instant now, Process<JobManager>& process) {
    reserve(process.machine);
    bool fed = false;
    for (OutputPiece& piece : std::exchange(process.effects.output, {})) {
      std::string fault = write(piece);
      if (fault.empty() && !piece.last) continue;
      if (!fault.empty())
        log_.write(Level::warning, "output_not_written",
                   {{"job", static_cast<std::int64_t>(piece.job)}, {"reason", fault}});
      process.local(now, OutputWritten{piece.job, piece.component, piece.stream, std::move(fault), piece.last});
      fed = true;
    }
    process.effects.ended.clear();  // the table has them
    for (const std::uint64_t job : std::exchange(process.effects.forgotten, {})) remove_files(job);
    return fed;
  }

  bool finish(Instant, Process<JobManager>& process, Farewell) {
    if (const std::string fault = numbers_.close(process.machine.next_job()); !fault.empty())
      log_.write(Level::error, "number_not_kept", {{"reason", fault}});
    return true;
  }

 private:
  void reserve(const JobManager& jobs) {
    if (const std::string fault = numbers_.used_below(jobs.next_job()); !fault.empty())
      log_.write(Level::error, "number_not_kept", {{"reason", fault}});
  }

  /// "outputs/17.out", "outputs/17.err"; for further components "outputs/17.2.out".
  std::string own_file(std::uint64_t job, std::uint32_t component, Stream stream) const {
    std::string path = config_.directory + "/outputs/" + std::to_string(job);
    if (component > 0) (path += '.') += std::to_string(component);
    return path + (stream == Stream::output ? ".out" : ".err");
  }

  std::string write(const OutputPiece& piece) {
    std::string path = piece.path;
    if (path.empty()) path = own_file(piece.job, piece.component, piece.stream);
    std::string fault = write_piece(path, piece.offset, piece.data);
    if (fault.empty() && piece.last && piece.cut && piece.offset + piece.data.size() > 0)
      fault = write_piece(path, piece.offset + piece.data.size(), cut_notice);
    return fault;
  }

  /// Rare: only where the table of jobs is full. Which files there are, an earlier start may have known.
  void remove_files(std::uint64_t job) const {
    for (std::uint32_t component = 0; component < components_max; ++component)
      for (const Stream stream : {Stream::output, Stream::error})
        std::remove(own_file(job, component, stream).c_str());
  }

  JobManagerConfig config_;  ///< that it was started with
  DaemonArguments arguments_;
  NumberFile numbers_;
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
  const auto fail = [&](const std::string& fault) { return fail_daemon(foundation, settings.endpoint.self, fault); };
  // First: it may be where it listens.
  if (const std::string fault = make_directory(config.directory + "/outputs"); !fault.empty()) return fail(fault);
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);

  auto kept = open_kept<JobManagerRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<JobManagerRecord>>(kept);
  if (const std::string fault = number_start(settings, config.directory); !fault.empty()) return fail(fault);

  NumberFile numbers(config.directory + "/next-job", number_block);
  if (const std::string fault = numbers.open(); !fault.empty()) return fail(fault);
  JobManagerSettings first = config.settings;
  first.first_job = numbers.first();  // also with a ledger, which has no row of a job that was forgotten
  JobManager machine(std::move(first));
  if (ledger != nullptr)
    if (const std::string fault = machine.restore(monotonic_now(), std::move(rows)); !fault.empty())
      return fail("the ledger " + ledger->path() + " can't be used: " + fault);
  JobShell shell(config, arguments, std::move(numbers), foundation.log);
  return run_daemon(foundation, settings, std::move(machine), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  const auto describe = [](const JobManagerConfig& config) {
    return "job manager of " + config.settings.user + " at " + config.settings.site.text;
  };
  const DaemonText text{"jobmgr",
                        "Job manager of DMM: runs the jobs of one user on the nodes that their site finds for them.",
                        "--config das-0-alice.json --set log.level=debug"};
  return daemon_main(argc, argv, text, read_config, describe, run);
}
