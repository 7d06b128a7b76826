// What the daemons logged about one request. Each daemon has a file with one JSON object a line, together some hundred
// megabytes. Files are streamed; only lines that name the request or one of its leases are parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
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
  std::string name;  ///< of a job manager or a resource manager
  std::string event;
  std::string request;
  std::map<std::string, std::string> fields;  ///< all other fields, each value as text

  /// The field, or an empty text.
  const std::string& field(const std::string& key) const;
  std::uint64_t number(const std::string& key) const;
};

/// Parses a line; nothing if it isn't a record, like the unfinished last line of a killed daemon.
std::optional<LogRecord> parse_log_line(std::string_view line);

/// The job of an attempt: "home/u/7" for "home/u/7.2".
std::string job_of_attempt(const std::string& request);

/// Microseconds since 1970 of "2026-01-31T12:00:00.000001Z"; 0 if the text has another form.
std::int64_t parse_utc(std::string_view text);

/// Calls `each` with every line of the file, in bounded memory; false if the file can't be read.
bool for_each_line(const std::string& path, const std::function<void(std::string_view)>& each);

/// The logs (*.jsonl) in a directory or in its folder "logs", sorted by name.
std::vector<std::string> logs_in(const std::string& directory);

struct LogFault {
  std::string text;
};
using RecordsOrFault = std::variant<std::vector<LogRecord>, LogFault>;

/// All records about a request: of its attempts, of its leases, and of handing these leases out to other requests. Each
/// site's records keep their order. `directory` or its folder "logs" holds the logs (*.jsonl).
RecordsOrFault find_records(const std::string& directory, const RequestId& request);

/// The job number of an array element, as its job manager logged it; 0 if there is no record.
std::uint64_t find_element(const std::string& directory, const RequestId& array, std::uint32_t index);

/// Of these jobs ("home/u/21"), the elements of arrays, by job: each as its user names it, "home/u/17_3".
std::map<std::string, std::string> names_of_elements(const std::string& directory,
                                                     const std::set<std::string>& jobs);

}  // namespace dmm
