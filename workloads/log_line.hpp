// What one line of a log is, and the tools with which the readers of the formats (swf, gwf) find out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workloads/workload.hpp"

namespace dmm {

/// One line without its file.
struct LogLine {
  enum class Kind : std::uint8_t { comment, job, unusable, bad };

  Kind kind = Kind::comment;
  TraceJob job;        ///< of a job
  std::string reason;  ///< of a bad line: what is wrong and what was expected
};

/// The most processors that a job may plausibly have; no machine of any log comes near.
constexpr std::uint32_t log_processors_max = 10'000'000;
/// The latest time of submission and the longest run time, in seconds: 317 years, also after 1970.
constexpr std::int64_t log_seconds_max = 10'000'000'000;

/// Cuts off the next word of `rest`; empty if there is none. Carriage returns count as blanks.
std::string_view take_word(std::string_view& rest);

/// Puts the line's words into `words` until these are full or a first word is reached that starts with `comment`.
/// Their number.
std::size_t split_words(std::string_view line, char comment, std::span<std::string_view> words);

/// A word of the file, fit for a message: short, and without bytes that would disturb a terminal.
std::string quoted(std::string_view word);

/// The word as a number; nothing if it isn't one, or is infinite, not a number, or beyond 10^15.
std::optional<double> number_in(std::string_view word);

LogLine bad_line(std::string reason);
/// Columns are counted from 1.
LogLine bad_column(std::size_t column, std::string_view name, std::string_view word, const std::string& expected);

/// Judges the columns that both formats have in common, which are among the first 11: a job, an unusable record, or a
/// bad line whose fault is named with the words and the columns' names. What else is known of the job is in `job`.
LogLine check_line(std::span<const double> values, const TraceJob& job, std::span<const std::string_view> words,
                   std::span<const std::string_view> names);

/// Identifiers and status beyond 32 bits are of no use to anyone here; -1 for "unknown" is.
std::int32_t in_32_bits(double value);

}  // namespace dmm
