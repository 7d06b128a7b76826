// A workload from logs, merged into one stream by submit time. A log has one cluster, or a column that names the
// cluster; both kinds can be mixed. Logs are read during the replay, so memory doesn't grow with the number of jobs.
//
// Kept are records of wanted clusters within the slice, with a submit time, a run time above 0 and a size (column 5,
// else 8) from 1 to the cluster's processors. Records that are left out are counted by reason (LogTally).
//
// Ties: jobs submitted at the same microsecond come by cluster, then by position of the log, then by line.
//
// Estimates: column 9 where it is above 0, else the run time. An estimate can be below the run time;
// cut_runs_to_estimates cuts these run times, as a system that enforces estimates would.
//
// Time: a log counts seconds from a start of its own. Alignment::first_job makes each log's first kept job (or
// `from`, if given) time 0. Alignment::unix_time keeps the logs where they were in real time, and time 0 is the
// earliest first job (or `from`) of all logs. The Unix time comes from the options, from times that are Unix times
// already (500,000,000 s and above), or from UnixStartTime in the header. After the alignment, each log's times are
// divided by its load factor and shifted.
//
// Order: a log with lines out of order passes through a buffer of order_jobs. If the buffer is too small, the log is
// loaded whole. A log is read twice to find this out; OrderPolicy avoids that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/or_fault.hpp"
#include "workloads/job_stream.hpp"
#include "workloads/log_reader.hpp"
#include "workloads/recorded_job.hpp"

namespace dmm {

/// The cluster that a value of a log's column means.
struct ColumnCluster {
  std::string value;  ///< as the file writes it ("3", "G1/site1/c1"), or the partition's name in the header
  std::uint32_t cluster = 0;
};

/// One log and what is taken from it.
struct LogSource {
  std::string path{};
  std::optional<LogFormat> format{};   ///< detected if not given
  std::uint32_t cluster = 0;           ///< of all jobs, if `column` is none
  LogColumn column = LogColumn::none;  ///< tells the cluster
  /// The clusters that the column's values mean; other values are left out. If empty, the column's number is the
  /// cluster, as far as there are clusters. (Names of the Grid Workloads Format are numbered by first occurrence.)
  std::vector<ColumnCluster> clusters{};
  /// The slice: from the first time (included) to the second (excluded). In seconds of the log's column 2, or in Unix
  /// seconds if aligned by Unix time.
  std::optional<std::int64_t> from_seconds{};
  std::optional<std::int64_t> to_seconds{};
  std::uint64_t jobs_max = 0;        ///< at most this number, from the start of the slice; 0 for all
  double load_factor = 1;            ///< times between submissions are divided by it: 2 makes twice the load
  double shift_seconds = 0;          ///< added last; jobs that get before 0 are left out
  std::int64_t run_cap_seconds = 0;  ///< longer runs are cut to this; 0 for none
  std::optional<std::int64_t> unix_start_seconds{};  ///< overrides the header

  static constexpr double load_factor_min = 0.01;
  static constexpr double load_factor_max = 1e6;
};

enum class Alignment : std::uint8_t { first_job, unix_time };

enum class OrderPolicy : std::uint8_t {
  find_out,  ///< read the log once to find its order
  buffer,    ///< use the buffer; an error if it is too small
  whole,     ///< load the log whole
};

struct ReplayOptions {
  std::vector<LogSource> logs{};
  /// Processors of each cluster. Where the entry is 0 or missing, MaxProcs of a log of that cluster alone is the
  /// limit; without MaxProcs there is none.
  std::vector<std::uint32_t> cluster_processors{};
  Alignment alignment = Alignment::first_job;
  BadLines bad_lines = BadLines::fatal;
  OrderPolicy order = OrderPolicy::find_out;
  std::size_t order_jobs = 4096;
  bool cut_runs_to_estimates = false;
};

/// Counts of one log so far. A usable record is left out for one of four reasons, kept, or still in the buffer.
/// Reading stops at the end of a slice, so later lines aren't counted.
struct LogTally {
  LogCounts file;
  std::uint64_t kept = 0;
  std::uint64_t before_slice = 0;      ///< left out: submitted before `from`, or shifted to before 0
  std::uint64_t without_cluster = 0;   ///< left out: the column's value is unknown or not wanted
  std::uint64_t too_wide = 0;          ///< left out: more processors than the cluster has
  std::uint64_t behind_slice = 0;      ///< left out: read before the end of the slice was certain
  std::uint64_t capped = 0;            ///< kept, with the run time cut to the cap
  std::uint64_t cut = 0;               ///< kept, with the run time cut to the estimate
  std::uint64_t without_estimate = 0;  ///< kept, with the run time as estimate
  std::uint64_t out_of_order = 0;      ///< read after a job that was submitted later
  bool is_whole = false;               ///< the log was loaded whole for its order
  double processor_seconds = 0;        ///< of the kept jobs
};

/// Logs being replayed. Not thread-safe.
class LogReplay {
 public:
  /// Opens the logs and reads the first job of each. An error: a log can't be opened or read that far, a log has no
  /// time to be aligned by, or an option is invalid.
  static OrFault<LogReplay, WorkloadError> open(ReplayOptions options);
  ~LogReplay();
  LogReplay(LogReplay&&) noexcept;
  LogReplay& operator=(LogReplay&&) noexcept;

  /// The next job; nothing at the end of the logs or after an error, which error() tells apart.
  std::optional<StreamJob> next();

  /// Why the replay stopped early, with the file and line; empty if all is well.
  const std::string& error() const { return error_; }
  /// An entry for each log, in their order; complete once next() returned nothing.
  std::vector<LogTally> tallies() const;
  /// What a log's header says.
  const LogHeader& header(std::size_t log) const;

 private:
  struct Common;
  class Source;
  struct Head;

  LogReplay();
  void take_from(std::size_t source);

  std::unique_ptr<Common> common_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Head> heads_;  ///< a heap of the next job of each log
  std::uint64_t jobs_ = 0;
  std::string error_;
};

/// The replay as a stream that shares it with the caller. At the end of the stream, ask the replay for its error.
JobStream stream_of(std::shared_ptr<LogReplay> replay);

}  // namespace dmm
