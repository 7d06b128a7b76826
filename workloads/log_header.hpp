// What the comments at the head of a log say about it. All of it may be missing, indented, or followed by remarks,
// as in "MaxProcs: 1664 (72, 1368, 224)": the first number counts, and a key without one says nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dmm {

struct LogHeader {
  std::optional<std::int64_t> unix_start_seconds;  ///< UnixStartTime: when time 0 of the log was
  std::optional<std::int64_t> processors;          ///< MaxProcs: of the machine, at least 1
  std::optional<std::int64_t> nodes;               ///< MaxNodes, at least 1
  std::optional<std::int64_t> jobs;                ///< MaxJobs; cleaned logs have others
  std::string time_zone;                           ///< TimeZoneString, "Europe/Amsterdam"; empty if not said
  std::map<std::int32_t, std::string> partitions;  ///< Partition: the name of each number
};

/// Takes over what one line says. Lines that are no comments (of ';' or '#') and unknown keys are passed over; of
/// a key that comes twice, the first counts.
void read_header_line(std::string_view line, LogHeader& header);

}  // namespace dmm
