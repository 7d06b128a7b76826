// A source for each log filters, orders, aligns and cuts its jobs; a heap merges the sources.
#include "workloads/replay.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "workloads/job_order.hpp"

namespace dmm {
namespace {

/// Times from here on are Unix times: no log lasts 15 years, and none is from before 1985.
constexpr std::int64_t unix_times_from = 500'000'000;

/// The first invalid option of a source; nothing if all are valid.
std::optional<std::string> fault_of(const LogSource& log, std::size_t clusters) {
  if (!(log.load_factor >= LogSource::load_factor_min && log.load_factor <= LogSource::load_factor_max)) {
    return "a load factor of " + std::to_string(log.load_factor) + "; expected 0.01 to 1000000";
  }
  if (!(std::abs(log.shift_seconds) <= static_cast<double>(log_seconds_max))) {
    return "a shift of " + std::to_string(log.shift_seconds) + " s; expected at most " +
           std::to_string(log_seconds_max) + " s either way";
  }
  if (log.run_cap_seconds < 0) {
    return "the cap of run times is " + std::to_string(log.run_cap_seconds) + " s; expected 0 for none, or more";
  }
  for (const auto& time : {log.from_seconds, log.to_seconds, log.unix_start_seconds}) {
    if (time && (*time < 0 || *time > log_seconds_max)) {
      return "a time of " + std::to_string(*time) + " s; expected 0 to " + std::to_string(log_seconds_max);
    }
  }
  if (log.from_seconds && log.to_seconds && *log.from_seconds >= *log.to_seconds) {
    return "a slice from " + std::to_string(*log.from_seconds) + " to " + std::to_string(*log.to_seconds) +
           "; expected an end behind its start";
  }
  if (log.column == LogColumn::none && !log.clusters.empty()) {
    return "clusters by column, and no column; expected partition, site or queue";
  }
  std::uint32_t highest = log.column == LogColumn::none ? log.cluster : 0;
  for (const ColumnCluster& wanted : log.clusters) highest = std::max(highest, wanted.cluster);
  if (clusters > 0 && highest >= clusters) {
    return "cluster " + std::to_string(highest) + " of " + std::to_string(clusters) + "; expected at most " +
           std::to_string(clusters - 1);
  }
  return std::nullopt;
}

}  // namespace

/// State that all sources share.
struct LogReplay::Common {
  ReplayOptions options;
  std::map<std::uint32_t, std::uint32_t> users_of_home;  ///< number of users seen so far
};

/// One log.
class LogReplay::Source {
 public:
  Source(Common& common, const LogSource& log)
      : common_(common),
        options_(common.options),
        log_(log),
        reader_(log.path, common.options.bad_lines, log.format) {}

  /// Reads as far as the first job; false if that can't be used, and error() says why.
  bool start();
  /// When the first job or the slice starts, on the axis of the alignment; nothing if there is no job.
  std::optional<std::int64_t> start_seconds() const;
  /// Which time is 0, on the axis of the alignment.
  void set_origin(std::int64_t seconds) { origin_seconds_ = seconds; }

  /// The next job, placed in time, without a number; nothing at the end or at an error.
  std::optional<StreamJob> next();

  const std::string& error() const { return error_.empty() ? reader_.error() : error_; }
  const LogReader& reader() const { return reader_; }
  LogTally tally() const {
    LogTally tally = tally_;
    tally.file = reader_.counts();
    return tally;
  }

 private:
  std::optional<OrderedJob> read_one();
  std::optional<OrderedJob> take_ordered();
  std::optional<std::uint32_t> home_of(const TraceJob& job);
  std::int64_t processors_of(std::uint32_t home) const;
  bool align(const TraceJob& first);
  std::optional<StreamJob> placed(const OrderedJob& ordered);
  std::uint32_t user_of(const TraceJob& job, std::uint32_t home);

  Common& common_;
  const ReplayOptions& options_;
  LogSource log_;
  LogReader reader_;
  LogTally tally_;
  std::string error_;
  OrderBuffer buffer_;
  std::size_t buffer_jobs_ = 0;                                            ///< jobs to hold before handing one out
  std::map<std::int32_t, std::optional<std::uint32_t>> homes_;             ///< of the column's values seen so far
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> users_;  ///< of a home and the log's own number
  std::optional<OrderedJob> first_;  ///< read by start(), and not handed out yet
  bool is_aligned_ = false;
  bool is_at_end_ = false;
  std::int64_t unix_offset_seconds_ = 0;  ///< from the log's time to the axis
  std::int64_t origin_seconds_ = 0;
  std::int64_t latest_seconds_ = -1;  ///< of the jobs read
  std::int64_t given_seconds_ = -1;   ///< of the jobs handed out
};

bool LogReplay::Source::start() {
  if (const auto fault = fault_of(log_, options_.cluster_processors.size())) {
    error_ = log_.path + ": " + *fault;
    return false;
  }
  buffer_jobs_ = options_.order_jobs;
  bool is_whole = options_.order == OrderPolicy::whole;
  if (options_.order == OrderPolicy::find_out && reader_.error().empty()) {
    const LogOrder order = order_of(log_.path, options_.order_jobs);
    is_whole = order == LogOrder::out_of_order;
    // Jobs of the same second are sorted by cluster, which needs the buffer.
    if (order == LogOrder::sorted && log_.column == LogColumn::none) buffer_jobs_ = 0;
  }
  if (is_whole) {
    buffer_jobs_ = SIZE_MAX;
    tally_.is_whole = true;
  }
  first_ = take_ordered();
  return error().empty();
}

std::optional<std::int64_t> LogReplay::Source::start_seconds() const {
  if (!first_) return std::nullopt;
  return log_.from_seconds.value_or(first_->job.submit_seconds + unix_offset_seconds_);
}

/// Finds the offset of the log's times, from its first usable job. The header is read before that job.
bool LogReplay::Source::align(const TraceJob& first) {
  is_aligned_ = true;
  if (options_.alignment == Alignment::first_job) return true;
  if (log_.unix_start_seconds)
    unix_offset_seconds_ = *log_.unix_start_seconds;
  else if (first.submit_seconds >= unix_times_from)
    unix_offset_seconds_ = 0;
  else if (reader_.header().unix_start_seconds)
    unix_offset_seconds_ = *reader_.header().unix_start_seconds;
  else
    error_ = log_.path + ": no UnixStartTime in the header; expected one, or to be told it";
  return error_.empty();
}

/// The next record that passes all filters that don't depend on the order of the jobs.
std::optional<OrderedJob> LogReplay::Source::read_one() {
  while (error_.empty()) {
    const std::optional<TraceJob> job = reader_.next();
    if (!job) return std::nullopt;
    if (!is_aligned_ && !align(*job)) return std::nullopt;
    const std::optional<std::uint32_t> home = home_of(*job);
    if (!home) {
      ++tally_.without_cluster;
      continue;
    }
    if (job->processors > processors_of(*home)) {
      ++tally_.too_wide;
      continue;
    }
    if (log_.from_seconds && job->submit_seconds + unix_offset_seconds_ < *log_.from_seconds) {
      ++tally_.before_slice;
      continue;
    }
    if (job->submit_seconds < latest_seconds_) ++tally_.out_of_order;
    latest_seconds_ = std::max(latest_seconds_, job->submit_seconds);
    return OrderedJob{.job = *job, .home = *home, .line = reader_.line_number()};
  }
  return std::nullopt;
}

/// The next job in the order of submission, as far as the buffer reaches; nothing at the end of the log or slice.
std::optional<OrderedJob> LogReplay::Source::take_ordered() {
  while (!is_at_end_ && buffer_.size() <= buffer_jobs_) {
    const std::optional<OrderedJob> job = read_one();
    if (job)
      buffer_.put(*job);
    else
      is_at_end_ = true;
  }
  if (!error().empty() || buffer_.size() == 0) return std::nullopt;
  OrderedJob ordered = buffer_.take();
  if (ordered.job.submit_seconds < given_seconds_) {
    error_ = log_.path + ":" + std::to_string(ordered.line) + ": submitted " +
             std::to_string(given_seconds_ - ordered.job.submit_seconds) +
             " s before a job that is already handed out; expected at most " + std::to_string(buffer_jobs_) +
             " later ones ahead of it, or the log to be loaded whole";
    return std::nullopt;
  }
  given_seconds_ = ordered.job.submit_seconds;
  const bool is_behind = log_.to_seconds && given_seconds_ + unix_offset_seconds_ >= *log_.to_seconds;
  if (!is_behind && (log_.jobs_max == 0 || tally_.kept < log_.jobs_max)) return ordered;
  tally_.behind_slice += buffer_.size() + 1;
  buffer_ = {};
  is_at_end_ = true;
  return std::nullopt;
}

std::optional<StreamJob> LogReplay::Source::next() {
  while (true) {
    const std::optional<OrderedJob> ordered = first_ ? std::exchange(first_, std::nullopt) : take_ordered();
    if (!ordered) return std::nullopt;
    if (const std::optional<StreamJob> job = placed(*ordered)) return job;
    ++tally_.before_slice;
  }
}

/// The job as it will be submitted; nothing if its time would be before 0.
std::optional<StreamJob> LogReplay::Source::placed(const OrderedJob& ordered) {
  const TraceJob& trace = ordered.job;
  const std::int64_t passed = trace.submit_seconds + unix_offset_seconds_ - origin_seconds_;
  const Duration scaled =
      log_.load_factor == 1 ? seconds(passed) : from_seconds(static_cast<double>(passed) / log_.load_factor);
  const Instant submit = Instant{} + scaled + from_seconds(log_.shift_seconds);
  if (submit < Instant{}) return std::nullopt;
  std::int64_t run = trace.run_seconds;
  if (log_.run_cap_seconds > 0 && run > log_.run_cap_seconds) {
    run = log_.run_cap_seconds;
    ++tally_.capped;
  }
  const bool has_estimate = trace.requested_seconds > 0 && trace.requested_seconds <= log_seconds_max;
  const std::int64_t estimate = has_estimate ? trace.requested_seconds : run;
  if (!has_estimate) ++tally_.without_estimate;
  if (options_.cut_runs_to_estimates && run > estimate) {
    run = estimate;
    ++tally_.cut;
  }
  ++tally_.kept;
  tally_.processor_seconds += static_cast<double>(run) * trace.processors;
  return StreamJob{.number = 0,
                   .home = ordered.home,
                   .user = user_of(trace, ordered.home),
                   .submit = submit,
                   .run = seconds(run),
                   .estimate = seconds(estimate),
                   .processors = trace.processors};
}

/// Users are numbered from 0 within their home, in the order of first occurrence. A log that doesn't name its users
/// has one.
std::uint32_t LogReplay::Source::user_of(const TraceJob& job, std::uint32_t home) {
  const auto [entry, is_new] = users_.try_emplace({home, job.user}, 0);
  if (is_new) entry->second = common_.users_of_home[home]++;
  return entry->second;
}

std::optional<std::uint32_t> LogReplay::Source::home_of(const TraceJob& job) {
  if (log_.column == LogColumn::none) return log_.cluster;
  const std::int32_t value = LogReader::value_of(log_.column, job);
  const auto [entry, is_new] = homes_.try_emplace(value);
  if (!is_new) return entry->second;
  if (log_.clusters.empty()) {
    const auto number = static_cast<std::uint32_t>(value);
    const std::size_t clusters = options_.cluster_processors.size();
    if (value >= 0 && (clusters == 0 || number < clusters)) entry->second = number;
    return entry->second;
  }
  const LogReader::Names names = reader_.names_of(log_.column, value);
  for (const ColumnCluster& wanted : log_.clusters) {
    const bool is_named = wanted.value == names.text || (!names.header.empty() && wanted.value == names.header);
    if (is_named && !entry->second) entry->second = wanted.cluster;
  }
  return entry->second;
}

std::int64_t LogReplay::Source::processors_of(std::uint32_t home) const {
  if (home < options_.cluster_processors.size() && options_.cluster_processors[home] > 0) {
    return options_.cluster_processors[home];
  }
  const bool is_of_one_cluster = log_.column == LogColumn::none;
  return is_of_one_cluster ? reader_.header().processors.value_or(INT64_MAX) : INT64_MAX;
}

struct LogReplay::Head {
  StreamJob job;
  std::size_t source = 0;

  /// The standard heap has its greatest element on top; here the earliest job must be on top.
  static bool comes_after(const Head& a, const Head& b) {
    return std::tie(a.job.submit, a.job.home, a.source) > std::tie(b.job.submit, b.job.home, b.source);
  }
};

LogReplay::LogReplay() = default;
LogReplay::~LogReplay() = default;
LogReplay::LogReplay(LogReplay&&) noexcept = default;
LogReplay& LogReplay::operator=(LogReplay&&) noexcept = default;

OrFault<LogReplay, WorkloadError> LogReplay::open(ReplayOptions options) {
  if (options.logs.empty()) return WorkloadError{"a replay needs a log; expected at least one"};
  LogReplay replay;
  replay.common_ = std::make_unique<Common>(Common{std::move(options), {}});
  const ReplayOptions& kept = replay.common_->options;
  std::optional<std::int64_t> earliest;
  for (const LogSource& log : kept.logs) {
    replay.sources_.push_back(std::make_unique<Source>(*replay.common_, log));
    Source& source = *replay.sources_.back();
    if (!source.start()) return WorkloadError{source.error()};
    const std::optional<std::int64_t> start = source.start_seconds();
    if (start) earliest = std::min(*start, earliest.value_or(*start));
  }
  for (std::size_t i = 0; i < replay.sources_.size(); ++i) {
    Source& source = *replay.sources_[i];
    const bool is_common = kept.alignment == Alignment::unix_time;
    source.set_origin((is_common ? earliest : source.start_seconds()).value_or(0));
    replay.take_from(i);
  }
  if (!replay.error_.empty()) return WorkloadError{replay.error_};
  return replay;
}

void LogReplay::take_from(std::size_t source) {
  const std::optional<StreamJob> job = sources_[source]->next();
  if (!sources_[source]->error().empty()) error_ = sources_[source]->error();
  if (!job) return;
  heads_.push_back({*job, source});
  std::push_heap(heads_.begin(), heads_.end(), Head::comes_after);
}

std::optional<StreamJob> LogReplay::next() {
  if (!error_.empty() || heads_.empty()) return std::nullopt;
  std::pop_heap(heads_.begin(), heads_.end(), Head::comes_after);
  Head head = heads_.back();
  heads_.pop_back();
  take_from(head.source);
  head.job.number = ++jobs_;
  return head.job;
}

std::vector<LogTally> LogReplay::tallies() const {
  std::vector<LogTally> tallies;
  for (const auto& source : sources_) tallies.push_back(source->tally());
  return tallies;
}

const LogHeader& LogReplay::header(std::size_t log) const { return sources_[log]->reader().header(); }

JobStream stream_of(std::shared_ptr<LogReplay> replay) {
  return [replay = std::move(replay)] { return replay->next(); };
}

}  // namespace dmm
