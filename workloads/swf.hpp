// Reads a log in the Standard Workload Format job by job, plain or compressed with gzip, in bounded memory
// however long the file is. It doesn't sort, scale or clean: lines come in the order of the file, and what is
// skipped is counted.
//
// A line is one of four things. A comment (first character after white space is ';', header lines included)
// or blank line is passed over; no header key is needed or believed. A bad line can't be a job record at all,
// and is skipped or ends the reading, as the caller chose. An unusable line is a proper record of a job that
// can't be replayed, because its submit time is -1 (unknown), or its run time or size is negative (unknown)
// or 0: cancelled jobs mostly. The rest are jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/workload.hpp"

namespace dmm {

/// What to do with a line that can't be a job record.
enum class BadLines : std::uint8_t {
  skip,   ///< count it, keep the message if it is among the first, go on
  fatal,  ///< stop there; error() names it
};

/// What has been read so far. lines = usable + unusable + bad.
struct SwfCounts {
  std::uint64_t lines = 0;     ///< lines that aren't blank and no comments
  std::uint64_t usable = 0;    ///< jobs handed out
  std::uint64_t unusable = 0;  ///< records without a submit time, a run time or a size
  std::uint64_t bad = 0;
  /// Of the first bad_messages_max bad lines: "file:line: what is wrong; what was expected".
  std::vector<std::string> bad_messages;

  static constexpr std::size_t bad_messages_max = 5;
};

/// A log being read. Not to be used by two threads at once.
class SwfReader {
 public:
  /// The most processors that a job may plausibly have; no machine of any log comes near.
  static constexpr std::uint32_t processors_max = 10'000'000;
  /// A line longer than this is bad; its rest is passed over without being kept.
  static constexpr std::size_t line_bytes_max = 1 << 20;

  /// Opens the file. If that fails error() says so, and next() returns nothing.
  SwfReader(std::string path, BadLines bad_lines);
  ~SwfReader();
  SwfReader(SwfReader&&) noexcept;
  SwfReader& operator=(SwfReader&&) noexcept;

  /// The next job that can be replayed; nothing at the end of the file or after an error: ask error() which.
  std::optional<TraceJob> next();

  /// Why reading stopped early, with the file's name: it can't be opened or read, it is truncated or corrupt,
  /// or it has a bad line and these are fatal. Empty if all is well.
  const std::string& error() const { return error_; }
  const SwfCounts& counts() const { return counts_; }
  const std::string& path() const { return path_; }

 private:
  class Lines;

  void note_bad_line(const std::string& reason);

  std::string path_;
  BadLines bad_lines_;
  std::unique_ptr<Lines> lines_;
  std::string error_;
  SwfCounts counts_;
};

/// What one line is, without its file: the pure part of the reader.
struct SwfLine {
  enum class Kind : std::uint8_t { comment, job, unusable, bad };

  Kind kind = Kind::comment;
  TraceJob job;        ///< of a job
  std::string reason;  ///< of a bad line: what is wrong and what was expected
};

/// Reads one line (without its newline; a carriage return at its end is white space). The first 18 columns
/// must be numbers, further columns are ignored, as some logs append text. Decimals are accepted and, in
/// times, rounded.
SwfLine parse_swf_line(std::string_view line);

}  // namespace dmm
