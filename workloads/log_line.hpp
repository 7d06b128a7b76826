// One line of a log, and tools that the readers of the formats (swf, gwf) share to parse it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workloads/recorded_job.hpp"

namespace dmm {

/// One line without its file.
struct LogLine {
  enum class Kind : std::uint8_t { comment, job, unusable, bad };

  Kind kind = Kind::comment;
  TraceJob job;        ///< of a job
  std::string reason;  ///< of a bad line: what is wrong and what was expected
};

/// The most processors that a job can plausibly have; far above any machine of a known log.
constexpr std::uint32_t log_processors_max = 10'000'000;
/// The latest time of submission and the longest run time, in seconds: 317 years, also after 1970.
constexpr std::int64_t log_seconds_max = 10'000'000'000;

/// Removes the next word from `rest` and returns it; empty if there is none. Carriage returns count as blanks.
std::string_view take_word(std::string_view& rest);

/// Puts the line's words into `words`, until these are full or a word begins with `comment`. Returns their number.
std::size_t split_words(std::string_view line, char comment, std::span<std::string_view> words);

/// A word of the file for a message: shortened, and without bytes that would disturb a terminal.
std::string quoted(std::string_view word);

/// The word as a number; nothing if it isn't one, or is infinite, not a number, or beyond 10^15.
std::optional<double> number_in(std::string_view word);

LogLine bad_line(std::string reason);
/// Columns are counted from 1.
LogLine bad_column(std::size_t column, std::string_view name, std::string_view word, const std::string& expected);

/// Checks the columns that both formats share, which are among the first 11. Returns a job, an unusable record, or a
/// bad line with a message from the words and column names. `job` holds the remaining columns.
LogLine check_line(std::span<const double> values, const TraceJob& job, std::span<const std::string_view> words,
                   std::span<const std::string_view> names);

/// The value as 32 bits; -1 ("unknown") if it doesn't fit, because no code here uses larger identifiers or status.
std::int32_t in_32_bits(double value);

}  // namespace dmm
