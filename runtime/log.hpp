// The structured log: one JSON object a line in a file, for programs to read, and one short aligned line an event
// on standard error, for people. Lines are buffered: flushed at a warning, by `flush_due` twenty times a second at
// most, and at the end. A disk that is full is reported once on standard error; the daemon goes on. A file that grows
// beyond its bound is moved to NAME.1.jsonl, that to NAME.2.jsonl and so on; who rotates logs otherwise has them
// opened again (`reopen`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manager/effects.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Appends a JSON string with its quotes. Any bytes will do: what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);
/// Whether append_json_string keeps every byte.
bool is_utf8(std::string_view text);

/// "debug", "info", "warning", "error".
std::string_view to_text(Level level);

/// The line of an event in the file, without its end of line. `time` is utc_text of the wall clock.
void append_json_line(std::string& out, std::string_view time, std::string_view who, const LogEvent& event);
/// The line of an event for people, without its end of line.
void append_short_line(std::string& out, std::string_view time, const LogEvent& event);

/// The level that a configuration names: "trace" and "debug", "info", "warn", "error"; nothing for "off".
std::optional<Level> parse_level(std::string_view text);

struct LogOptions {
  std::string file;                          ///< JSON lines; empty: no file
  bool terminal = true;                      ///< also short lines on standard error
  std::optional<Level> level = Level::info;  ///< nothing: no log at all
  std::string who;                           ///< "sitemgr das-0", in every line of the file
  std::size_t bytes_max = 0;                 ///< of the file, before it is moved; 0: any
  std::size_t moved_max = 0;                 ///< files that are kept of those moved
};

class Log {
 public:
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Begins to append. The text of an error if the file can't be opened.
  std::string open(LogOptions options);
  /// Goes on in the file of that name, which is another one if somebody moved it; if it can't, in the present one.
  void reopen();
  /// Events below it are not wanted.
  Level level() const;
  /// Whether people at the terminal see the log.
  bool on_terminal() const;

  void write(const LogEvent& event);
  void write(Level level, std::string_view name, std::vector<LogField> fields) {
    write(LogEvent{level, name, {}, std::move(fields)});
  }

  /// When flush_due has something to do; `never` if all is written.
  Instant next_flush() const;
  void flush_due(Instant now);
  void flush();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace dmm
