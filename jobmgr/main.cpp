// The job manager's daemon: reads its configuration, runs the machine, and does what the machine may not: writes the
// output of jobs into files as the user, and keeps the number of the next job. Everything else is in job_manager.hpp
// and runtime/.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "jobmgr/job_manager.hpp"
#include "runtime/files.hpp"
#include "runtime/run_daemon.hpp"
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

class JobShell {
 public:
  JobShell(std::string directory, NumberFile numbers, Log& log)
      : directory_(std::move(directory)), numbers_(std::move(numbers)), log_(log) {}

  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Process<JobManager>&) { return false; }
  std::string_view verbs() const { return job_verbs; }
  std::optional<Answer> answer(Instant now, Process<JobManager>& process, const Ask& ask) {
    if (ask.verb == "holdings") return holdings_of(process.machine, ask);
    return answer_jobs(process.machine, {now, wall_microseconds()}, ask, process.effects);
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
    std::string path = directory_ + "/outputs/" + std::to_string(job);
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

  std::string directory_;
  NumberFile numbers_;
  Log& log_;
};

DaemonSettings settings_of(const JobManagerConfig& config) {
  DaemonSettings settings;
  settings.endpoint.self = job_manager_of(config.settings.site, config.settings.user);
  settings.endpoint.admission.parties = {site_manager_of(config.settings.site)};
  settings.endpoint.times.beat = from_seconds(config.beat_seconds);
  settings.endpoint.times.silence = from_seconds(config.silence_seconds);
  settings.endpoint.relay_after = config.settings.relay_after;
  settings.endpoint.count_by_request = config.count_messages_by_request;
  settings.listen = config.listen;
  settings.dials = {{site_manager_of(config.settings.site), config.site_endpoint}};
  settings.log = {config.log.file, config.log.terminal, parse_level(config.log.level),
                  to_text(settings.endpoint.self)};
  return settings;
}

int run(const JobManagerConfig& config, bool die_with_parent) {
  DaemonSettings settings = settings_of(config);
  settings.die_with_parent = die_with_parent;
  Foundation foundation;
  const auto fail = [&](const std::string& fault) { return fail_daemon(foundation, settings.endpoint.self, fault); };
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);
  if (const std::string fault = make_directory(config.directory + "/outputs"); !fault.empty()) return fail(fault);

  auto kept = open_kept<JobManagerRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<JobManagerRecord>>(kept);
  const auto incarnation = next_incarnation(config.directory + "/incarnation");
  if (const auto* fault = std::get_if<std::string>(&incarnation)) return fail(*fault);
  settings.endpoint.incarnation = std::get<std::uint64_t>(incarnation);

  NumberFile numbers(config.directory + "/next-job", number_block);
  if (const std::string fault = numbers.open(); !fault.empty()) return fail(fault);
  JobManagerSettings first = config.settings;
  first.first_job = numbers.first();  // also with a ledger, which has no row of a job that was forgotten
  JobManager machine(std::move(first));
  if (ledger != nullptr)
    if (const std::string fault = machine.restore(monotonic_now(), std::move(rows)); !fault.empty())
      return fail("the ledger " + ledger->path() + " can't be used: " + fault);
  JobShell shell(config.directory, std::move(numbers), foundation.log);
  return run_daemon(foundation, settings, std::move(machine), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool check = false, die_with_parent = false;
  ReadOptions options;
  CLI::App app("Job manager of DMM: runs the jobs of one user on the nodes that their site finds for them.", "jobmgr");
  app.add_option("--config", file, "configuration (JSON); topologies/README.md has the keys")->required();
  app.add_option("--set", options.overrides, "KEY=VALUE: a key of the configuration, set from here");
  app.add_flag("--check", check, "read the configuration, say whether it is sound, and exit");
  app.add_flag("--die-with-parent", die_with_parent, "end when the parent process ends (for testbeds)");
  app.set_version_flag("--version", "jobmgr " DMM_VERSION);
  app.footer("Example: jobmgr --config das-0-alice.json --set log.level=debug\n"
             "Exit codes: 0 ended in order, 1 could not go on (port in use, ...), 2 bad usage or configuration.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const JobManagerConfigOrError read = read_job_manager_config(file, options);
  if (const auto* error = std::get_if<ConfigError>(&read)) {
    std::fprintf(stderr, "jobmgr: %s\n", error->text.c_str());
    return 2;
  }
  const auto& config = std::get<JobManagerConfig>(read);
  if (!check) return run(config, die_with_parent);
  std::printf("%s: ok (job manager of %s at %s)\n", file.c_str(), config.settings.user.c_str(),
              config.settings.site.text.c_str());
  return 0;
}
