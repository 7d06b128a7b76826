// Words, numbers, and the checks that both formats share.
#include "workloads/log_line.hpp"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace dmm {
namespace {

// Far above any time or memory size, and far below the limit where a double can't hold every whole number.
constexpr double value_max = 1e15;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::int64_t in_seconds(double value) { return std::llround(value); }

/// The word as a whole number if it is a short one, as nearly all are: much faster than from_chars on doubles.
std::optional<double> short_number_in(std::string_view word) {
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.remove_prefix(1);
  if (word.empty() || word.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return static_cast<double>(is_negative ? -value : value);
}

// The columns that both formats have in common, as numbers.
struct CommonColumns {
  double number = 0;                ///< column 1
  double submit_seconds = 0;        ///< column 2
  double wait_seconds = -1;         ///< column 3
  double run_seconds = 0;           ///< column 4
  double processors = 0;            ///< column 5
  double requested_processors = 0;  ///< column 8
  double requested_seconds = -1;    ///< column 9
  double status = -1;               ///< column 11
};

CommonColumns common_columns(std::span<const double> values) {
  return {.number = values[0],
          .submit_seconds = values[1],
          .wait_seconds = values[2],
          .run_seconds = values[3],
          .processors = values[4],
          .requested_processors = values[7],
          .requested_seconds = values[8],
          .status = values[10]};
}

}  // namespace

std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::size_t split_words(std::string_view line, char comment, std::span<std::string_view> words) {
  std::size_t count = 0;
  while (count < words.size()) {
    const std::string_view word = take_word(line);
    if (word.empty() || (count == 0 && word.front() == comment)) break;
    words[count++] = word;
  }
  return count;
}

std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 24)) text += (c >= ' ' && c <= '~') ? c : '?';
  return text + (word.size() > 24 ? "...\"" : "\"");
}

std::optional<double> number_in(std::string_view word) {
  if (const std::optional<double> number = short_number_in(word)) return number;
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(value) || std::abs(value) > value_max) return std::nullopt;
  return value;
}

LogLine bad_line(std::string reason) { return {LogLine::Kind::bad, {}, std::move(reason)}; }

LogLine bad_column(std::size_t column, std::string_view name, std::string_view word, const std::string& expected) {
  return bad_line("column " + std::to_string(column) + " (" + std::string(name) + ") is " + quoted(word) +
                  "; expected " + expected);
}

std::int32_t in_32_bits(double value) {
  return std::abs(value) <= 2147483647.0 ? static_cast<std::int32_t>(value) : -1;
}

LogLine check_line(std::span<const double> values, const TraceJob& job, std::span<const std::string_view> words,
                   std::span<const std::string_view> names) {
  const CommonColumns value = common_columns(values);
  const auto bad = [&](std::size_t column, const std::string& expected) {
    return bad_column(column, names[column - 1], words[column - 1], expected);
  };
  if (value.number < 0) return bad(1, "a number from 0");
  // -1 is the formats' "unknown", and real logs have it; any other negative time is a fault.
  if (value.submit_seconds < 0 && value.submit_seconds != -1) {
    return bad(2, "a time from 0, or -1 for unknown");
  }
  if (value.submit_seconds > log_seconds_max) return bad(2, "at most " + std::to_string(log_seconds_max));
  if (value.run_seconds > log_seconds_max) return bad(4, "at most " + std::to_string(log_seconds_max));
  if (value.processors > log_processors_max) return bad(5, "at most " + std::to_string(log_processors_max));
  if (value.requested_processors > log_processors_max) {
    return bad(8, "at most " + std::to_string(log_processors_max));
  }
  LogLine line;
  line.job = job;
  const double size = value.processors >= 1 ? value.processors : value.requested_processors;
  line.job.number = static_cast<std::uint64_t>(value.number);
  line.job.submit_seconds = in_seconds(value.submit_seconds);
  line.job.wait_seconds = in_seconds(value.wait_seconds);
  line.job.run_seconds = in_seconds(value.run_seconds);
  line.job.processors = size >= 1 ? static_cast<std::uint32_t>(size) : 0;
  line.job.requested_seconds = in_seconds(value.requested_seconds);
  line.job.status = in_32_bits(value.status);
  const bool replayable = value.submit_seconds >= 0 && line.job.run_seconds > 0 && line.job.processors > 0;
  line.kind = replayable ? LogLine::Kind::job : LogLine::Kind::unusable;
  return line;
}

}  // namespace dmm
