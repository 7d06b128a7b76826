// The structured log. A file gets one JSON object for each event, for programs to read. Standard error gets a short
// aligned line for each event, for people. Lines are buffered: they are flushed at a warning, by `flush_due` at most
// twenty times a second, and at the end. A disk that is full is reported once on standard error; the daemon goes on.
//
// A file that grows beyond its bound is moved to NAME.1.jsonl, that to NAME.2.jsonl and so on. A program that rotates
// logs itself has them opened again (`reopen`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manager/effects.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Appends a JSON string with its quotes. Takes any bytes: what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);
/// Whether append_json_string keeps every byte.
bool is_utf8(std::string_view text);

/// "debug", "info", "warning", "error".
std::string_view to_text(Level level);

/// Appends the line of an event in the file, without its end of line. `time` is utc_text of the wall clock.
void append_json_line(std::string& out, std::string_view time, std::string_view daemon, const LogEvent& event);
/// Appends the line of an event for people, without its end of line.
void append_short_line(std::string& out, std::string_view time, const LogEvent& event);

/// The level that a configuration names: "trace" and "debug", "info", "warn", "error"; nothing for "off".
std::optional<Level> parse_level(std::string_view text);

struct LogOptions {
  std::string file;                          ///< JSON lines; empty: no file
  bool terminal = true;                      ///< also writes short lines to standard error
  std::optional<Level> level = Level::info;  ///< nothing: no log at all
  std::string daemon;                        ///< "sitemgr das-0", in every line of the file
  std::size_t bytes_max = 0;                 ///< of the file, before it is moved; 0: no bound
  std::size_t moved_max = 0;                 ///< moved files that are kept
};

class Log {
 public:
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Begins to append. The text of an error if the file can't be opened.
  std::string open(LogOptions options);
  /// Opens the file of that name again: it is another file if the old one was moved. If that fails, the log stays in
  /// the old one.
  void reopen();
  /// The least level that is wanted; events below it are dropped.
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
