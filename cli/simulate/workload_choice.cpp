#include "cli/simulate/workload_choice.hpp"
#include "cli/managers/shipped.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/terminal/figures.hpp"
#include "protocol/numbers.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The text with only what a table's column can take: letters, digits, '-', '_' and '.'.
std::string tame(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return text;
}

std::string short_number(double value) {
  std::string text = decimal(value, 4);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// The cluster that a user names by its number or its name.
OrFault<std::uint32_t, CommandFault> cluster_named(const std::string& word, const Grid& grid) {
  std::uint32_t number = 0;
  if (parse_number(word, number) && number < grid.clusters.size()) return number;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < grid.clusters.size(); ++i) {
    if (grid.clusters[i].name == word) return i;
    names.push_back(grid.clusters[i].name);
  }
  return CommandFault{"--workload: there is no cluster \"" + word + "\"" + suggestion(word, names) +
                          "; expected its name, or its number from 0 to " + std::to_string(names.size() - 1),
                      2};
}

/// Reads "CLUSTER=FILE"; a file may have a '=' in its name if a cluster is given before it.
OrFault<LogSource, CommandFault> log_source(const std::string& text, std::size_t position,
                                            const WorkloadChoice& choice, const Grid& grid) {
  LogSource log;
  log.path = shipped(text);
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(text)) {
    const auto cluster = cluster_named(text.substr(0, equals), grid);
    if (const auto* fault = std::get_if<CommandFault>(&cluster)) return *fault;
    log.cluster = std::get<std::uint32_t>(cluster);
    log.path = shipped(text.substr(equals + 1));
  } else if (choice.logs.size() > 1) {
    if (position >= grid.clusters.size())
      return CommandFault{"--workload: more logs than clusters; name the cluster of each, as in 0=" + text, 2};
    log.cluster = static_cast<std::uint32_t>(position);
  } else if (grid.clusters.size() > 1) {
    log.column = LogColumn::partition;
  }
  if (choice.column == "partition") log.column = LogColumn::partition;
  if (choice.column == "site") log.column = LogColumn::site;
  if (choice.column == "queue") log.column = LogColumn::queue;
  if (choice.column == "none") log.column = LogColumn::none;
  log.from_seconds = choice.from_seconds;
  log.to_seconds = choice.to_seconds;
  log.jobs_max = choice.jobs_max;
  log.load_factor = choice.load_factor;
  log.shift_seconds = choice.shift_seconds;
  log.run_cap_seconds = choice.run_cap_seconds;
  return log;
}

OrFault<ReplayOptions, CommandFault> replay_of(const WorkloadChoice& choice, const Grid& grid) {
  ReplayOptions options;
  for (std::size_t i = 0; i < choice.logs.size(); ++i) {
    auto log = log_source(choice.logs[i], i, choice, grid);
    if (auto* fault = std::get_if<CommandFault>(&log)) return *fault;
    options.logs.push_back(std::get<LogSource>(std::move(log)));
  }
  for (const GridCluster& cluster : grid.clusters) options.cluster_processors.push_back(cluster.processors);
  options.alignment = choice.by_unix_time ? Alignment::unix_time : Alignment::first_job;
  options.bad_lines = choice.skip_bad_lines ? BadLines::skip : BadLines::fatal;
  options.cut_runs_to_estimates = choice.cut_to_estimates;
  return options;
}

ModelOptions model_of(const WorkloadChoice& choice, const Grid& grid, std::uint64_t seed) {
  ModelOptions options;
  for (const GridCluster& cluster : grid.clusters) options.cluster_processors.push_back(cluster.processors);
  const std::string variant = !choice.variant.empty() ? choice.variant : grid.clusters.size() > 1 ? "grid" : "all";
  options.variant = variant == "grid"  ? LublinVariant::grid
                    : variant == "all" ? LublinVariant::all
                                       : LublinVariant::types;
  options.correction = choice.correction == "none"      ? LoadCorrection::none
                       : choice.correction == "rescale" ? LoadCorrection::rescale
                                                        : LoadCorrection::reject;
  options.loads = choice.loads;
  options.period_seconds = std::llround(choice.days * 86400);
  options.seed = seed;
  options.users_per_cluster = choice.users;
  return options;
}

std::string title_of(const WorkloadChoice& choice) {
  if (!choice.recording.empty()) return "recording of " + choice.recording;
  if (choice.model.empty()) {
    std::string text;
    for (const std::string& log : choice.logs) text += (text.empty() ? "" : ", ") + file_name(log);
    return text;
  }
  const auto [low, high] = std::minmax_element(choice.loads.begin(), choice.loads.end());
  return choice.model + ", load " + short_number(*low) + (*low < *high ? " to " + short_number(*high) : "") +
         ", " + short_number(choice.days) + " d";
}

void note_log(const LogTally& tally, std::vector<std::string>& notes) {
  std::string left_out;
  const auto reason = [&](std::uint64_t count, const char* why) {
    if (count > 0) left_out += (left_out.empty() ? "; left out: " : ", ") + grouped(count) + " " + why;
  };
  reason(tally.file.bad, "bad lines");
  reason(tally.file.unusable, "without time, run time or size");
  reason(tally.too_wide, "wider than their cluster");
  reason(tally.without_cluster, "of no cluster here");
  reason(tally.before_slice + tally.behind_slice, "outside the slice");
  notes.push_back(count_text(tally.kept, "job") + " of " + count_text(tally.file.lines, "line") + left_out);
  if (tally.cut + tally.capped > 0)
    notes.push_back("run times cut: " + grouped(tally.cut) + " to the estimate, " + grouped(tally.capped) +
                    " to the cap");
  if (tally.without_estimate > 0)
    notes.push_back(count_text(tally.without_estimate, "job") + " without an estimate: the run time counts");
  if (tally.out_of_order > 0) notes.push_back(count_text(tally.out_of_order, "line") + " out of order, put right");
  for (const std::string& message : tally.file.bad_messages) notes.push_back(harmless(message));
}

void add_log_options(CLI::App& command, WorkloadChoice& choice) {
  command
      .add_option("--workload", choice.logs,
                  "A log (SWF or GWF, plain or gzip); repeat it to give each cluster a log, by its name or "
                  "number: CLUSTER=FILE")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_option("--cluster-column", choice.column, "The column of a log that names the cluster")
      ->check(CLI::IsMember({"partition", "site", "queue", "none"}))
      ->type_name("NAME");
  command.add_flag("--align-unix{true},--align-first-job{false}", choice.by_unix_time,
                   "Several logs: keep their times in real time, or begin each log with its first job");
  command
      .add_option("--from", choice.from_seconds, "Only jobs submitted from this time on, in seconds of the log")
      ->type_name("SECONDS");
  command.add_option("--to", choice.to_seconds, "Only jobs submitted before this time")->type_name("SECONDS");
  command.add_option("--jobs", choice.jobs_max, "Only the first N jobs of each log; of cm and koala: N jobs")
      ->type_name("N");
  command.add_option("--load-factor", choice.load_factor, "Divides the times between submissions (default 1)")
      ->check(CLI::Range(LogSource::load_factor_min, LogSource::load_factor_max))
      ->type_name("X");
  command.add_option("--shift", choice.shift_seconds, "Added to all submit times")->type_name("SECONDS");
  command.add_option("--run-cap", choice.run_cap_seconds, "Longer run times are cut to this (default 0: none)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->type_name("SECONDS");
  command.add_flag("--skip-bad-lines", choice.skip_bad_lines,
                   "Leave bad lines out, instead of stopping at the first");
  command.add_flag("--cut-to-estimates", choice.cut_to_estimates, "Cut run times to the users' estimates");
}

void add_model_options(CLI::App& command, WorkloadChoice& choice) {
  command.add_option("--model", choice.model, "A workload from a model instead of logs: lublin-feitelson")
      ->check(CLI::IsMember({"lublin-feitelson"}))
      ->type_name("NAME");
  command.add_option("--days", choice.days, "Period of the model's arrivals, in days (default 1)")
      ->check(CLI::Range(0.001, 100'000.0))
      ->type_name("DAYS");
  command
      .add_option("--variant", choice.variant,
                  "Its jobs: grid (95 % serial; the default for several clusters), all (for one), types")
      ->check(CLI::IsMember({"grid", "all", "types"}))
      ->type_name("NAME");
  command
      .add_option("--correction", choice.correction,
                  "Treatment of streams with a load that is off by chance: reject (default), rescale, none")
      ->check(CLI::IsMember({"none", "reject", "rescale"}))
      ->type_name("NAME");
  command.add_option("--users", choice.users, "The model's users of each cluster (default 1)")
      ->check(CLI::Range(1u, 1'000'000u))
      ->type_name("N");
}

}  // namespace

void add_workload_options(CLI::App& command, WorkloadChoice& choice) {
  add_log_options(command, choice);
  command
      .add_option("--recording", choice.recording,
                  "Instead: the folder with the logs of live job managers (*.jsonl)")
      ->type_name("FOLDER");
  command
      .add_option("--recorded-speedup", choice.speedup,
                  "The speed-up of the recorded testbed (default 1), by which its times are multiplied")
      ->check(CLI::Range(0.001, 1e9))
      ->type_name("X");
  add_model_options(command, choice);
}

OrFault<WorkloadSource, CommandFault> WorkloadSource::make(const WorkloadChoice& choice, const Grid& grid,
                                                           std::uint64_t seed) {
  if (int{!choice.logs.empty()} + int{!choice.model.empty()} + int{!choice.recording.empty()} != 1)
    return CommandFault{"choose one workload: --workload FILE, --model lublin-feitelson or --recording FOLDER", 2};
  WorkloadSource source;
  source.title_ = title_of(choice);
  source.name_ = tame(!choice.model.empty()  ? choice.model
                      : !choice.logs.empty() ? file_name(choice.logs.front())
                                             : "recording");
  if (!choice.recording.empty()) {
    auto recording = read_recording(choice.recording, grid, choice.speedup);
    if (auto* fault = std::get_if<CommandFault>(&recording)) return *fault;
    source.recording_ = std::get<Recording>(std::move(recording));
    return source;
  }
  if (choice.model.empty()) {
    auto replay = replay_of(choice, grid);
    if (auto* fault = std::get_if<CommandFault>(&replay)) return *fault;
    source.replay_ = std::get<ReplayOptions>(std::move(replay));
    return source;
  }
  auto model = ModelWorkload::make(model_of(choice, grid, seed));
  if (auto* error = std::get_if<WorkloadError>(&model)) return CommandFault{"--model: " + error->text, 2};
  source.model_ = std::make_shared<ModelWorkload>(std::get<ModelWorkload>(std::move(model)));
  return source;
}

OrFault<OpenWorkload, CommandFault> WorkloadSource::open() const {
  OpenWorkload opened;
  if (recording_) {
    opened.jobs = stream_of(*recording_);
    opened.jobs_expected = recording_->jobs->size();
    return opened;
  }
  if (model_) {
    opened.jobs = model_->stream();
    for (const ModelCluster& cluster : model_->clusters()) opened.jobs_expected += cluster.jobs;
    return opened;
  }
  auto replay = LogReplay::open(replay_);
  if (auto* error = std::get_if<WorkloadError>(&replay)) return CommandFault{error->text, 2};
  opened.replay = std::make_shared<LogReplay>(std::get<LogReplay>(std::move(replay)));
  opened.jobs = stream_of(opened.replay);
  for (std::size_t i = 0; i < replay_.logs.size(); ++i) {
    const LogSource& log = replay_.logs[i];
    const auto jobs = opened.replay->header(i).jobs;
    if (!jobs || log.from_seconds || log.to_seconds || log.jobs_max > 0) return opened.jobs_expected = 0, opened;
    opened.jobs_expected += static_cast<std::uint64_t>(std::max<std::int64_t>(0, *jobs));
  }
  return opened;
}

std::vector<std::string> WorkloadSource::notes(const OpenWorkload& read) const {
  std::vector<std::string> notes;
  if (recording_) {
    notes.push_back(count_text(recording_->jobs->size(), "job") +
                    " of the recording; left out: " + grouped(recording_->without_end) + " that didn't finish, " +
                    grouped(recording_->without_home) + " of no cluster here");
    return notes;
  }
  if (model_) {
    const auto& clusters = model_->clusters();
    notes.push_back("load " + decimal(model_->nominal_load(), 3) + " asked for, " +
                    decimal(model_->realised_load(), 3) + " drawn");
    const auto off = std::count_if(clusters.begin(), clusters.end(),
                                   [](const ModelCluster& cluster) { return !cluster.is_within_tolerance; });
    if (off > 0)
      notes.push_back(count_text(static_cast<std::uint64_t>(off), "cluster") +
                      " with a load off by more than a tenth; try --correction rescale or more days");
    return notes;
  }
  const std::vector<LogTally> tallies = read.replay->tallies();
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    notes.push_back(harmless(replay_.logs[i].path) + ":");
    note_log(tallies[i], notes);
  }
  notes.push_back("size: column 5, else 8; ties: by cluster, log, line; ends before arrivals at equal times");
  return notes;
}

}  // namespace dmm
