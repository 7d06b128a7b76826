// What the daemons wrote down about one request, found in their logs: one JSON object a line, one file a daemon,
// some hundred megabytes together. Files are streamed; only lines that name the request, or a lease of it, are
// parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/ids.hpp"

namespace dmm {

/// One line of a log.
struct LogRecord {
  std::int64_t microseconds = 0;  ///< since 1970, by the wall clock of the machine that wrote it
  std::string role;               ///< "sitemgr", "jobmgr", "resmgr"
  std::string site;
  std::string name;  ///< of the job manager or the resource manager
  std::string event;
  std::string request;
  std::map<std::string, std::string> fields;  ///< the rest, each value as text

  /// A field, or an empty text.
  const std::string& field(const std::string& key) const;
  std::uint64_t number(const std::string& key) const;
};

/// A line as a record; nothing if it isn't one, like the last line of a daemon that was killed.
std::optional<LogRecord> parse_log_line(std::string_view line);

/// "home/u/7" for "home/u/7.2": the job of a request that names an attempt at it.
std::string job_of_attempt(const std::string& request);

/// Microseconds since 1970 of "2026-01-31T12:00:00.000001Z"; 0 if it is no such text.
std::int64_t parse_utc(std::string_view text);

/// Calls `each` with every line of the file, in bounded memory; false if the file can't be read.
bool for_each_line(const std::string& path, const std::function<void(std::string_view)>& each);

/// The logs (*.jsonl) in a directory or in its folder "logs", by name.
std::vector<std::string> logs_in(const std::string& directory);

struct LogFault {
  std::string text;
};
using RecordsOrFault = std::variant<std::vector<LogRecord>, LogFault>;

/// All records of a request, of any of its attempts, of the leases that it had, and of the handing out of these to
/// others. Each site's are in the order in which it wrote them. `directory` holds the logs (*.jsonl), itself or in a
/// folder "logs".
RecordsOrFault find_records(const std::string& directory, const RequestId& request);

/// The number of an element of an array, as its job manager wrote it down when it made a job of it; 0 if none did.
std::uint64_t find_element(const std::string& directory, const RequestId& array, std::uint32_t index);

}  // namespace dmm
