// The fields in the comments at the head of a log. Any field can be missing, indented, or followed by remarks, as in
// "MaxProcs: 1664 (72, 1368, 224)": the first number counts. A key without a number counts as missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dmm {

struct LogHeader {
  std::optional<std::int64_t> unix_start_seconds;  ///< UnixStartTime: Unix time of the log's time 0
  std::optional<std::int64_t> processors;          ///< MaxProcs: of the machine, at least 1
  std::optional<std::int64_t> nodes;               ///< MaxNodes, at least 1
  std::optional<std::int64_t> jobs;                ///< MaxJobs; wrong in cleaned logs
  std::string time_zone;                           ///< TimeZoneString, "Europe/Amsterdam"; empty if not said
  std::map<std::int32_t, std::string> partitions;  ///< Partition: the name of each number
};

/// Reads the field of one line into `header`. Lines without a comment (';' or '#') and unknown keys are skipped. The
/// first occurrence of a key counts.
void read_header_line(std::string_view line, LogHeader& header);

}  // namespace dmm
