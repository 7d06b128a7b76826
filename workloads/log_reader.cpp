// Reads lines from the file, parses them by format, counts them, and names faults.
#include "workloads/log_reader.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "workloads/swf.hpp"

namespace dmm {
namespace {

constexpr std::size_t gwf_columns = 29;

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

bool starts_comment(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r\v\f");
  return start != std::string_view::npos && (line[start] == ';' || line[start] == '#');
}

}  // namespace

LogFormat format_by_name_or_line(std::string_view path, std::string_view first_line) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".gwf")) return LogFormat::gwf;
  if (path.ends_with(".swf") || path.ends_with(".mwf")) return LogFormat::swf;
  std::string_view rest = first_line;
  if (take_word(rest).starts_with('#')) return LogFormat::gwf;
  std::array<std::string_view, gwf_columns> words{};
  return split_words(first_line, ';', words) == gwf_columns ? LogFormat::gwf : LogFormat::swf;
}

LogReader::LogReader(std::string path, BadLines bad_lines, std::optional<LogFormat> format)
    : path_(std::move(path)), bad_lines_(bad_lines), format_(format), lines_(std::make_unique<LineFile>(path_)) {
  if (!lines_->is_open()) error_ = path_ + ": can't be opened: " + std::strerror(errno);
}

std::optional<TraceJob> LogReader::next() {
  while (error_.empty() && lines_->advance()) {
    const LogLine line = parse();
    if (line.kind == LogLine::Kind::comment) continue;
    ++counts_.lines;
    if (line.kind == LogLine::Kind::job) return ++counts_.usable, line.job;
    if (line.kind == LogLine::Kind::bad)
      note_bad_line(line.reason);
    else
      ++counts_.unusable;
  }
  if (error_.empty() && !lines_->fault().empty()) {
    error_ = path_ + ": " + lines_->fault() + " after line " + std::to_string(lines_->number());
  }
  return std::nullopt;
}

LogLine LogReader::parse() {
  const std::string_view line = lines_->line();
  if (lines_->is_too_long()) {
    return bad_line("longer than " + std::to_string(line_bytes_max) + " bytes; expected a record");
  }
  if (!format_ && !is_blank_line(line)) format_ = format_by_name_or_line(path_, line);
  const LogLine parsed = format_ == LogFormat::gwf ? parse_gwf_line(line, names_) : parse_swf_line(line);
  if (parsed.kind == LogLine::Kind::comment && starts_comment(line)) read_header_line(line, header_);
  return parsed;
}

void LogReader::note_bad_line(const std::string& reason) {
  const std::string message = path_ + ":" + std::to_string(lines_->number()) + ": " + reason;
  ++counts_.bad;
  if (counts_.bad_messages.size() < LogCounts::bad_messages_max) counts_.bad_messages.push_back(message);
  if (bad_lines_ == BadLines::fatal) error_ = message;
}

std::int32_t LogReader::value_of(LogColumn column, const TraceJob& job) {
  switch (column) {
    case LogColumn::none: return -1;
    case LogColumn::partition: return job.partition;
    case LogColumn::site: return job.site;
    case LogColumn::queue: return job.queue;
  }
  return -1;
}

LogReader::Names LogReader::names_of(LogColumn column, std::int32_t value) const {
  if (value < 0) return {"-1", ""};
  if (format_ == LogFormat::gwf) {
    const ColumnNames& names = column == LogColumn::site    ? names_.sites
                               : column == LogColumn::queue ? names_.queues
                                                            : names_.partitions;
    return {std::string(names.name_of(value)), ""};
  }
  const auto called = column == LogColumn::partition ? header_.partitions.find(value) : header_.partitions.end();
  return {std::to_string(value), called == header_.partitions.end() ? "" : called->second};
}

}  // namespace dmm
