#include "cli/simulate/recording.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "cli/logs/log_records.hpp"

namespace dmm {
namespace {

struct RecordedJob {
  std::string site;
  std::string user;
  std::int64_t submitted = 0;  ///< microseconds since 1970
  double ran_seconds = -1;
  std::uint32_t processors = 0;
};

double number(const std::string& text) {
  double value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Reader {
 public:
  void line(std::string_view text) {
    const bool begins = text.find("\"event\":\"submitted\"") != std::string_view::npos;
    const bool ends = text.find("\"event\":\"job_finished\"") != std::string_view::npos;
    if (!begins && !ends) return;
    const auto record = parse_log_line(text);
    if (!record || record->role != "jobmgr" || record->request.empty()) return;
    RecordedJob& job = jobs_[job_of_attempt(record->request)];
    if (ends) {
      job.ran_seconds = number(record->field("wall_seconds"));
      return;
    }
    job.site = record->site;
    job.user = record->name;
    job.submitted = record->microseconds;
    job.processors = static_cast<std::uint32_t>(record->number("processors"));
  }

  Recording recording(const Grid& grid, double speedup) {
    Recording result;
    std::vector<StreamJob> jobs;
    std::map<std::string, std::map<std::string, std::uint32_t>> users;  // user numbers, by site
    std::int64_t first = INT64_MAX;
    for (const auto& [name, job] : jobs_)
      if (job.submitted > 0) first = std::min(first, job.submitted);
    for (const auto& [name, job] : jobs_) {
      const auto home = home_of(grid, job);
      if (job.submitted == 0 || job.processors == 0 || job.ran_seconds < 0) {
        ++result.without_end;
      } else if (!home) {
        ++result.without_home;
      } else {
        auto& of_site = users[job.site];
        const auto user = of_site.emplace(job.user, static_cast<std::uint32_t>(of_site.size())).first->second;
        jobs.push_back(stream_job(job, *home, user, first, speedup));
      }
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const StreamJob& a, const StreamJob& b) {
      return a.submit != b.submit ? a.submit < b.submit : a.home < b.home;
    });
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].number = i + 1;
    result.jobs = std::make_shared<const std::vector<StreamJob>>(std::move(jobs));
    return result;
  }

 private:
  static std::optional<std::uint32_t> home_of(const Grid& grid, const RecordedJob& job) {
    for (std::uint32_t i = 0; i < grid.clusters.size(); ++i) {
      const std::string& name = grid.clusters[i].name;
      const bool is_of_site = name == job.site || name.starts_with(job.site + "/");
      if (is_of_site && grid.clusters[i].processors >= job.processors) return i;
    }
    return std::nullopt;
  }

  static StreamJob stream_job(const RecordedJob& job, std::uint32_t home, std::uint32_t user, std::int64_t first,
                              double speedup) {
    StreamJob result;
    result.home = home;
    result.user = user;
    result.submit = Instant{} + from_seconds(static_cast<double>(job.submitted - first) / 1e6 * speedup);
    result.run = std::max(microseconds(1), from_seconds(job.ran_seconds * speedup));
    result.estimate = result.run;
    result.processors = job.processors;
    return result;
  }

  std::map<std::string, RecordedJob> jobs_;  ///< by request without attempt
};

}  // namespace

OrFault<Recording, CommandFault> read_recording(const std::string& directory, const Grid& grid, double speedup) {
  const std::vector<std::string> files = logs_in(directory);
  if (files.empty()) return CommandFault{"--recording: there are no logs (*.jsonl) in " + directory, 2};
  Reader reader;
  for (const std::string& file : files)
    if (!for_each_line(file, [&](std::string_view line) { reader.line(line); }))
      return CommandFault{"--recording: cannot read " + file, 1};
  Recording recording = reader.recording(grid, speedup);
  if (recording.jobs->empty())
    return CommandFault{"--recording: no job in " + directory +
                            " ended at a site of this topology; job managers "
                            "log at level info or below",
                        2};
  return recording;
}

JobStream stream_of(const Recording& recording) {
  return [jobs = recording.jobs, next = std::size_t{0}]() mutable -> std::optional<StreamJob> {
    if (next == jobs->size()) return std::nullopt;
    return (*jobs)[next++];
  };
}

}  // namespace dmm
