// Reads a log's jobs one by one, in the Standard or the Grid Workloads Format, plain or compressed with gzip, in
// bounded memory. The reader doesn't sort, scale or clean: lines come in the order of the file, and skipped lines are
// counted. To replay logs as a workload use workloads/replay.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/gwf.hpp"
#include "workloads/lines.hpp"
#include "workloads/log_header.hpp"
#include "workloads/log_line.hpp"
#include "workloads/recorded_job.hpp"

namespace dmm {

/// What to do with a line that can't be a job record.
enum class BadLines : std::uint8_t {
  skip,   ///< count it, keep its message if it is among the first, continue
  fatal,  ///< stop there; error() names it
};

enum class LogFormat : std::uint8_t { swf, gwf };

/// A column with a value for each cluster.
enum class LogColumn : std::uint8_t { none, partition, site, queue };

/// What has been read so far. lines = usable + unusable + bad.
struct LogCounts {
  std::uint64_t lines = 0;     ///< lines that aren't blank and no comments
  std::uint64_t usable = 0;    ///< jobs handed out
  std::uint64_t unusable = 0;  ///< records without a submit time, a run time or a size
  std::uint64_t bad = 0;
  /// Of the first bad_messages_max bad lines: "file:line: what is wrong; what was expected".
  std::vector<std::string> bad_messages;

  static constexpr std::size_t bad_messages_max = 5;
};

/// The format by the file's name (.swf, .mwf or .gwf, also with .gz), else by its first line. A first line with '#'
/// or 29 columns means the Grid Workloads Format, any other the Standard one.
LogFormat format_by_name_or_line(std::string_view path, std::string_view first_line);

/// A log being read. Not thread-safe.
class LogReader {
 public:
  static constexpr std::uint32_t processors_max = log_processors_max;
  static constexpr std::size_t line_bytes_max = LineFile::line_bytes_max;

  /// Opens the file. If that fails, error() says so and next() returns nothing. Without `format` the reader detects
  /// it.
  LogReader(std::string path, BadLines bad_lines, std::optional<LogFormat> format = std::nullopt);

  /// The next job that can be replayed; nothing at the end of the file or after an error, which error() tells apart.
  std::optional<TraceJob> next();

  /// Why reading stopped early, with the file's name: the file can't be opened or read, is truncated or corrupt, or
  /// has a bad line while these are fatal. Empty if all is well.
  const std::string& error() const { return error_; }
  const LogCounts& counts() const { return counts_; }
  const std::string& path() const { return path_; }
  /// The fields of the comments read so far; after the first next() at least those at the head of the file.
  const LogHeader& header() const { return header_; }
  /// Known once next() was called.
  std::optional<LogFormat> format() const { return format_; }
  /// Number of the line last read, from 1.
  std::uint64_t line_number() const { return lines_->number(); }

  /// The job's value in this column; -1 if unknown.
  static std::int32_t value_of(LogColumn column, const TraceJob& job);
  /// The names of a column's value: as the file writes it, and as its header calls the partition (else empty).
  struct Names {
    std::string text;
    std::string header;
  };
  Names names_of(LogColumn column, std::int32_t value) const;

 private:
  LogLine parse();
  void note_bad_line(const std::string& reason);

  std::string path_;
  BadLines bad_lines_;
  std::optional<LogFormat> format_;
  std::unique_ptr<LineFile> lines_;
  std::string error_;
  LogCounts counts_;
  LogHeader header_;
  GwfNames names_;
};

}  // namespace dmm
