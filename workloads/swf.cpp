// The reader of the Standard Workload Format: bytes from zlib (which passes plain files through), cut into
// lines, each line split into columns and judged.
#include "workloads/swf.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace dmm {
namespace {

constexpr std::size_t columns_expected = 18;
// Far above any time or memory size, and far below where a double stops to hold every whole number.
constexpr double value_max = 1e15;

using Columns = std::array<std::string_view, columns_expected>;

// Names for messages; index 0 is column 1.
constexpr Columns column_names{
    "job number",          "submit time",      "wait time",           "run time",
    "processors",          "mean CPU time",    "used memory",         "requested processors",
    "requested time",      "requested memory", "status",              "user",
    "group",               "executable",       "queue",               "partition",
    "preceding job",       "think time"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Cuts off the next word of `rest`; empty if there is none.
std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest.size() && !is_blank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  return word;
}

/// A word of the file, fit for a message: short, and without bytes that would disturb a terminal.
std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 24)) text += (c >= ' ' && c <= '~') ? c : '?';
  return text + (word.size() > 24 ? "...\"" : "\"");
}

SwfLine bad(std::string reason) { return {SwfLine::Kind::bad, {}, std::move(reason)}; }

SwfLine bad_column(std::size_t column, std::string_view word, const std::string& expected) {
  return bad("column " + std::to_string(column) + " (" + std::string(column_names[column - 1]) + ") is " +
             quoted(word) + "; expected " + expected);
}

/// The word as a number; nothing if it isn't one, or is infinite, not a number, or beyond value_max.
std::optional<double> number_in(std::string_view word) {
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(value) || std::abs(value) > value_max) return std::nullopt;
  return value;
}

std::int64_t in_seconds(double value) { return std::llround(value); }

/// Identifiers and status beyond 32 bits are of no use to anyone here; "unknown" is.
std::int32_t in_32_bits(double value) {
  return std::abs(value) <= 2147483647.0 ? static_cast<std::int32_t>(value) : -1;
}

/// The job that 18 numbers describe; columns are counted from 1, as in the format's description.
SwfLine judge(const std::array<double, columns_expected + 1>& value, const Columns& words) {
  if (value[1] < 0) return bad_column(1, words[0], "a number from 0");
  // -1 is the format's "unknown", and real logs have it; any other negative time is a fault.
  if (value[2] < 0 && value[2] != -1) return bad_column(2, words[1], "a time from 0, or -1 for unknown");
  for (const std::size_t column : {std::size_t{5}, std::size_t{8}}) {
    if (value[column] > SwfReader::processors_max) {
      return bad_column(column, words[column - 1], "at most " + std::to_string(SwfReader::processors_max));
    }
  }
  SwfLine line;
  const double size = value[5] >= 1 ? value[5] : value[8];
  line.job.number = static_cast<std::uint64_t>(value[1]);
  line.job.submit_seconds = in_seconds(value[2]);
  line.job.wait_seconds = in_seconds(value[3]);
  line.job.run_seconds = in_seconds(value[4]);
  line.job.processors = size >= 1 ? static_cast<std::uint32_t>(size) : 0;
  line.job.requested_seconds = in_seconds(value[9]);
  line.job.status = in_32_bits(value[11]);
  line.job.user = in_32_bits(value[12]);
  line.job.partition = in_32_bits(value[16]);
  const bool replayable = value[2] >= 0 && line.job.run_seconds > 0 && line.job.processors > 0;
  line.kind = replayable ? SwfLine::Kind::job : SwfLine::Kind::unusable;
  return line;
}

}  // namespace

SwfLine parse_swf_line(std::string_view line) {
  Columns words{};
  std::array<double, columns_expected + 1> value{};
  std::string_view rest = line;
  std::size_t columns = 0;
  while (columns < columns_expected) {
    const std::string_view word = take_word(rest);
    if (word.empty() || (columns == 0 && word.front() == ';')) break;
    words[columns++] = word;
  }
  if (columns == 0) return {};  // blank or a comment
  // A word that is no number says more about what the line is than a count of words.
  for (std::size_t column = 1; column <= columns; ++column) {
    const std::optional<double> number = number_in(words[column - 1]);
    if (!number) return bad_column(column, words[column - 1], "a number");
    value[column] = *number;
  }
  if (columns < columns_expected) {
    return bad(std::to_string(columns) + " columns; expected " + std::to_string(columns_expected));
  }
  return judge(value, words);
}

/// The lines of a file, compressed or not, through one buffer.
class SwfReader::Lines {
 public:
  // 'e' keeps the file out of the processes that a runner starts.
  explicit Lines(const std::string& path) : file_(gzopen(path.c_str(), "rbe")) {}
  ~Lines() {
    if (file_ != nullptr) gzclose_r(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  bool is_open() const { return file_ != nullptr; }

  /// Moves to the next line; false at the end or at a fault. What follows the last newline before a fault
  /// isn't a line: it may be cut in the middle of a number.
  bool advance() {
    line_.clear();
    is_too_long_ = false;
    while (true) {
      if (used_ == held_ && !fill()) {
        if (!fault_.empty() || line_.empty()) return false;
        return ++number_, true;
      }
      const char* const begin = buffer_.data() + used_;
      const auto* const newline = static_cast<const char*>(std::memchr(begin, '\n', held_ - used_));
      const char* const end = newline != nullptr ? newline : buffer_.data() + held_;
      const auto length = static_cast<std::size_t>(end - begin);
      append({begin, length});
      used_ += length;
      if (newline != nullptr) return ++used_, ++number_, true;
    }
  }

  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }  ///< of the line in the file, from 1
  bool is_too_long() const { return is_too_long_; }
  const std::string& fault() const { return fault_; }

 private:
  void append(std::string_view part) {
    const std::size_t room = line_bytes_max - line_.size();
    if (part.size() > room) is_too_long_ = true;
    line_.append(part.substr(0, room));
  }

  bool fill() {
    used_ = held_ = 0;
    const int count = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (count > 0) held_ = static_cast<std::size_t>(count);
    if (held_ > 0) return true;
    int code = Z_OK;
    const char* const text = gzerror(file_, &code);
    if (code == Z_BUF_ERROR) fault_ = "truncated: the compressed data ends early";
    else if (code == Z_ERRNO) fault_ = std::string("can't be read: ") + std::strerror(errno);
    else if (code != Z_OK || count < 0) fault_ = std::string("corrupt compressed data: ") + text;
    return false;
  }

  gzFile file_;
  std::array<char, 1 << 16> buffer_{};
  std::size_t used_ = 0;
  std::size_t held_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
  bool is_too_long_ = false;
  std::string fault_;
};

SwfReader::SwfReader(std::string path, BadLines bad_lines)
    : path_(std::move(path)), bad_lines_(bad_lines), lines_(std::make_unique<Lines>(path_)) {
  if (!lines_->is_open()) error_ = path_ + ": can't be opened: " + std::strerror(errno);
}

SwfReader::~SwfReader() = default;
SwfReader::SwfReader(SwfReader&&) noexcept = default;
SwfReader& SwfReader::operator=(SwfReader&&) noexcept = default;

std::optional<TraceJob> SwfReader::next() {
  while (error_.empty() && lines_->advance()) {
    const SwfLine line =
        lines_->is_too_long()
            ? bad("longer than " + std::to_string(line_bytes_max) + " bytes; expected a record")
            : parse_swf_line(lines_->line());
    if (line.kind == SwfLine::Kind::comment) continue;
    ++counts_.lines;
    if (line.kind == SwfLine::Kind::job) return ++counts_.usable, line.job;
    if (line.kind == SwfLine::Kind::bad) note_bad_line(line.reason);
    else ++counts_.unusable;
  }
  if (error_.empty() && !lines_->fault().empty()) {
    error_ = path_ + ": " + lines_->fault() + " after line " + std::to_string(lines_->number());
  }
  return std::nullopt;
}

void SwfReader::note_bad_line(const std::string& reason) {
  const std::string message = path_ + ":" + std::to_string(lines_->number()) + ": " + reason;
  ++counts_.bad;
  if (counts_.bad_messages.size() < SwfCounts::bad_messages_max) counts_.bad_messages.push_back(message);
  if (bad_lines_ == BadLines::fatal) error_ = message;
}

}  // namespace dmm
