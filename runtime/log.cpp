// Lines are made here and handed to spdlog without format strings, so no text of a peer is ever used as one. See
// log.hpp.
#include "runtime/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

constexpr Duration flush_interval = milliseconds(50);  // soon enough for readers, seldom enough to cost nothing
constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:/#@+%";

/// Bytes of the well-formed UTF-8 sequence that the text starts with; 0 if it starts with none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong sequences, surrogates, and code points beyond the last.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

void append_control(std::string& out, unsigned char byte) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  switch (byte) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    default:
      out += "\\u00";
      out += hexadecimal[byte >> 4];
      out += hexadecimal[byte & 15];
  }
}

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, error == std::errc{} ? end : digits);
}

void append_json_value(std::string& out, const std::string& text) { append_json_string(out, text); }
void append_json_value(std::string& out, std::int64_t number) { append_number(out, number); }
void append_json_value(std::string& out, bool truth) { out += truth ? "true" : "false"; }
void append_json_value(std::string& out, double number) {
  if (std::isfinite(number))
    append_number(out, number);
  else
    out += "null";
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  if (text.size() < width) out.append(width - text.size(), ' ');
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0)
      out += replacement;
    else if (byte == '"' || byte == '\\')
      (out += '\\') += text[0];
    else if (byte < 0x20 || byte == 0x7F)
      append_control(out, byte);
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view to_text(Level level) {
  switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warning: return "warning";
    case Level::error: return "error";
  }
  return "unknown";
}

std::optional<Level> parse_level(std::string_view text) {
  if (text == "off") return std::nullopt;
  if (text == "trace" || text == "debug") return Level::debug;
  if (text == "warn" || text == "warning") return Level::warning;
  return text == "error" ? Level::error : Level::info;
}

void append_json_line(std::string& out, std::string_view time, std::string_view daemon, const LogEvent& event) {
  out += R"({"time":)";
  append_json_string(out, time);
  out += R"(,"level":)";
  append_json_string(out, to_text(event.level));
  out += R"(,"who":)";
  append_json_string(out, daemon);
  out += R"(,"event":)";
  append_json_string(out, event.name);
  if (!event.trace.empty()) {
    out += R"(,"request":)";
    append_json_string(out, to_text(event.trace));
  }
  for (const LogField& field : event.fields) {
    out += ',';
    append_json_string(out, field.key);
    out += ':';
    std::visit([&](const auto& value) { append_json_value(out, value); }, field.value);
  }
  out += '}';
}

void append_short_line(std::string& out, std::string_view time, const LogEvent& event) {
  out += time.size() >= 23 ? time.substr(11, 12) : time;  // hours to milliseconds
  out += "  ";
  append_padded(out, to_text(event.level), 9);
  append_padded(out, event.name, 18);
  if (!event.trace.empty()) (out += ' ') += to_text(event.trace);
  for (const LogField& field : event.fields) {
    ((out += ' ') += field.key) += '=';
    const auto* text = std::get_if<std::string>(&field.value);
    // A text is quoted where it could be misread, or could play tricks on a terminal.
    if (text != nullptr && !text->empty() && text->find_first_not_of(plain) == std::string::npos)
      out += *text;
    else
      std::visit([&](const auto& value) { append_json_value(out, value); }, field.value);
  }
}

struct Log::Inside {
  LogOptions options;
  std::unique_ptr<spdlog::logger> file;
  std::unique_ptr<spdlog::logger> terminal;
  std::string line;
  std::string time;               ///< of the last line
  std::int64_t time_second = -1;  ///< the second that `time` is in
  Instant flush_at = never;
  bool reported = false;

  /// The stamp for now; only the microseconds change within a second.
  std::string_view stamp() {
    const std::int64_t now = wall_microseconds();
    if (now / 1'000'000 != time_second) {
      time = utc_text(now);
      time_second = now / 1'000'000;
      return time;
    }
    std::int64_t part = now % 1'000'000;
    for (std::size_t i = time.size() - 2; i >= time.size() - 7; --i, part /= 10)
      time[i] = static_cast<char>('0' + part % 10);
    return time;
  }

  void report(const std::string& fault) {
    if (std::exchange(reported, true)) return;
    std::fprintf(stderr, "%s: cannot write the log: %s (reported once)\n", options.daemon.c_str(), fault.c_str());
  }

  std::unique_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink) {
    auto logger = std::make_unique<spdlog::logger>("dmm", std::move(sink));
    logger->set_pattern("%v", spdlog::pattern_time_type::utc);
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::warn);
    logger->set_error_handler([this](const std::string& fault) { report(fault); });
    return logger;
  }

  spdlog::sink_ptr open_file() const {
    std::error_code error;
    const auto kind = std::filesystem::symlink_status(options.file, error).type();
    const bool may_move =
        kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
    if (options.bytes_max == 0 || !may_move)  // a device, or a link to a device, keeps its name
      return std::make_shared<spdlog::sinks::basic_file_sink_st>(options.file);
    return std::make_shared<spdlog::sinks::rotating_file_sink_st>(options.file, options.bytes_max,
                                                                  options.moved_max);
  }

  void put(spdlog::logger& logger, Level level) {
    logger.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
  }
};

Log::Log() : inside_(std::make_unique<Inside>()) {}
Log::~Log() { flush(); }

std::string Log::open(LogOptions options) {
  Inside& in = *inside_;
  in.options = std::move(options);
  if (!in.options.level) return {};
  try {
    if (!in.options.file.empty()) in.file = in.make_logger(in.open_file());
    if (in.options.terminal) in.terminal = in.make_logger(std::make_shared<spdlog::sinks::stderr_sink_st>());
  } catch (const spdlog::spdlog_ex& fault) {
    return "cannot open the log " + in.options.file + ": " + fault.what();
  }
  return {};
}

void Log::reopen() {
  Inside& in = *inside_;
  if (!in.file) return;
  flush();
  try {
    in.file = in.make_logger(in.open_file());
    in.reported = false;
  } catch (const spdlog::spdlog_ex& fault) {
    in.report(fault.what());
  }
}

Level Log::level() const { return inside_->options.level.value_or(Level::error); }

bool Log::on_terminal() const { return inside_->terminal != nullptr; }

void Log::write(const LogEvent& event) {
  Inside& in = *inside_;
  if ((!in.file && !in.terminal) || event.level < level()) return;
  const std::string_view time = in.stamp();
  if (in.file) {
    in.line.clear();
    append_json_line(in.line, time, in.options.daemon, event);
    in.put(*in.file, event.level);
    if (event.level >= Level::warning)
      in.flush_at = never;
    else if (in.flush_at == never)
      in.flush_at = monotonic_now() + flush_interval;
  }
  if (in.terminal) {
    in.line.clear();
    append_short_line(in.line, time, event);
    in.put(*in.terminal, event.level);
  }
}

Instant Log::next_flush() const { return inside_->flush_at; }

void Log::flush_due(Instant now) {
  if (now >= inside_->flush_at) flush();
}

void Log::flush() {
  if (inside_->file) inside_->file->flush();
  inside_->flush_at = never;
}

}  // namespace dmm
