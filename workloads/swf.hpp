// The Standard Workload Format: 18 numbers a line, ';' starts a comment. Cutting a file into lines, counting and
// naming faults is the log reader's; this file says what one line is.
//
// A line is one of four things. A comment (first character after white space is ';', header lines included)
// or blank line is passed over; no header key is needed or believed. A bad line can't be a job record at all,
// and is skipped or ends the reading, as the caller chose. An unusable line is a proper record of a job that
// can't be replayed, because its submit time is -1 (unknown), or its run time or size is negative (unknown)
// or 0: cancelled jobs mostly. The rest are jobs.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "workloads/log_line.hpp"
#include "workloads/log_reader.hpp"

namespace dmm {

using SwfLine = LogLine;
using SwfCounts = LogCounts;

/// Reads one line (without its newline; a carriage return at its end is white space). The first 18 columns
/// must be numbers, further columns are ignored, as some logs append text. Decimals are accepted and, in
/// times, rounded.
LogLine parse_swf_line(std::string_view line);

/// A log reader that takes any file for the Standard Workload Format, whatever its name and contents.
class SwfReader : public LogReader {
 public:
  SwfReader(std::string path, BadLines bad_lines) : LogReader(std::move(path), bad_lines, LogFormat::swf) {}
};

}  // namespace dmm
