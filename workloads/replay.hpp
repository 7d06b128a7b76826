// A workload from logs: one file a cluster, or files in which a column names the cluster, in any mixture, merged
// into one stream by submit time. It reads as it goes: ten million jobs need no more memory than ten thousand.
//
// What is kept: records with a submit time, a run time above 0 and a size (column 5, else 8) above 0 that isn't
// above the cluster's processors, of clusters that are wanted, within the slice. All that is left out is counted
// by reason (LogTally).
//
// Ties: jobs submitted at the same microsecond come by cluster, then by log as listed, then by line.
//
// Estimates: column 9 where it is above 0, even if it is below the run time (cut_runs_to_estimates cuts these run
// times, as a system that enforces estimates would); else the run time.
//
// Time: a log counts seconds from a start of its own. Alignment::first_job makes each log's first kept job (or
// `from`, if given) time 0. Alignment::unix_time keeps the logs where they were in real time: by UnixStartTime in
// the header, or since the times are Unix times already (500,000,000 s and above), or as given; time 0 is the
// earliest first job (or `from`) of all logs. Then, for each log, times are divided by its load factor and
// shifted.
//
// Order: a log with lines out of the order of submission passes through a buffer of order_jobs; if that isn't
// enough it is loaded whole. To find out which, a log is read twice; OrderPolicy avoids that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/outcome.hpp"
#include "workloads/job_stream.hpp"
#include "workloads/log_reader.hpp"
#include "workloads/workload.hpp"

namespace dmm {

/// Which value of a log's column is which cluster.
struct ColumnCluster {
  std::string value;  ///< as the file writes it ("3", "G1/site1/c1"), or the partition's name in the header
  std::uint32_t cluster = 0;
};

/// One log and what is taken from it.
struct LogSource {
  std::string path{};
  std::optional<LogFormat> format{};   ///< found out if not given
  std::uint32_t cluster = 0;           ///< of all jobs, if no column tells
  LogColumn column = LogColumn::none;  ///< tells the cluster
  /// What its values mean; others are left out. If there are none, the column's number is the cluster, as far as
  /// there are clusters (names of the Grid Workloads Format are numbered in the order in which they come up).
  std::vector<ColumnCluster> clusters{};
  /// The slice: from this time on, and before that one. In seconds of the log's own column 2, or, aligned by Unix
  /// time, in Unix seconds.
  std::optional<std::int64_t> from_seconds{};
  std::optional<std::int64_t> to_seconds{};
  std::uint64_t jobs_max = 0;        ///< no more than these, the first of the slice; 0 for all
  double load_factor = 1;            ///< times between submissions are divided by it: 2 makes twice the load
  double shift_seconds = 0;          ///< added at the end; what gets before 0 is left out
  std::int64_t run_cap_seconds = 0;  ///< longer runs are cut to this; 0 for none
  std::optional<std::int64_t> unix_start_seconds{};  ///< overrides the header

  static constexpr double load_factor_min = 0.01;
  static constexpr double load_factor_max = 1e6;
};

enum class Alignment : std::uint8_t { first_job, unix_time };

enum class OrderPolicy : std::uint8_t {
  find_out,  ///< read the log once for its order, then as needed
  buffer,    ///< the buffer is enough; an error if it isn't
  whole,     ///< load the log whole
};

struct ReplayOptions {
  std::vector<LogSource> logs{};
  /// Of each cluster; where it is 0 or missing, MaxProcs of a log of one cluster counts, else there is no limit.
  std::vector<std::uint32_t> cluster_processors{};
  Alignment alignment = Alignment::first_job;
  BadLines bad_lines = BadLines::fatal;
  OrderPolicy order = OrderPolicy::find_out;
  std::size_t order_jobs = 4096;
  bool cut_runs_to_estimates = false;
};

/// What has become of one log so far. A usable record is either left out for one of four reasons, or kept, or
/// waits in the buffer; reading stops at the end of a slice, so that later lines aren't counted at all.
struct LogTally {
  LogCounts file;
  std::uint64_t kept = 0;
  std::uint64_t before_slice = 0;      ///< left out: submitted before `from`, or shifted to before 0
  std::uint64_t without_cluster = 0;   ///< left out: the column is unknown, or not among those wanted
  std::uint64_t too_wide = 0;          ///< left out: more processors than the cluster has
  std::uint64_t behind_slice = 0;      ///< left out: seen at the end of the slice, where reading stopped
  std::uint64_t capped = 0;            ///< kept, with the run time cut to the cap
  std::uint64_t cut = 0;               ///< kept, with the run time cut to the estimate
  std::uint64_t without_estimate = 0;  ///< kept, with the run time as estimate
  std::uint64_t out_of_order = 0;      ///< read after a job that was submitted later
  bool is_whole = false;               ///< it was loaded whole for its order
  double processor_seconds = 0;        ///< of the kept
};

/// Logs being replayed. Not to be used by two threads at once.
class LogReplay {
 public:
  /// Opens the logs and reads the first job of each. An error: a log can't be opened or read that far, or has no
  /// time to be aligned by; an option that can't be.
  static OrFault<LogReplay, WorkloadError> open(ReplayOptions options);
  ~LogReplay();
  LogReplay(LogReplay&&) noexcept;
  LogReplay& operator=(LogReplay&&) noexcept;

  /// The next job; nothing at the end of the logs or after an error: ask error() which.
  std::optional<StreamJob> next();

  /// Why it stopped early, with the file and line; empty if all is well.
  const std::string& error() const { return error_; }
  /// One entry a log, in their order; complete once next() returned nothing.
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

/// The replay as a stream, which it shares with the caller: ask the replay for its error at the end of the stream.
JobStream stream_of(std::shared_ptr<LogReplay> replay);

}  // namespace dmm
