// The Standard Workload Format: 18 numbers a line, ';' starts a comment. This file parses a line. The log reader
// splits a file into lines, counts them, and names faults.
//
// A line is one of four kinds. A blank line or a comment (first character after white space is ';', header lines
// included) is skipped; no header key is needed or believed. A bad line can't be a job record; it is skipped or ends
// the reading, as the caller chose. An unusable line is a proper record of a job that can't be replayed: its submit
// time is -1 (unknown), or its run time or size is 0 or negative (unknown). Most of these jobs were cancelled. All
// other lines are jobs.
#pragma once

#include <string_view>

#include "workloads/log_line.hpp"

namespace dmm {

using SwfLine = LogLine;

/// Reads one line without its newline; a carriage return at its end is white space. The first 18 columns must be
/// numbers. Further columns are ignored, since some logs append text. Decimals are accepted and, in times, rounded.
LogLine parse_swf_line(std::string_view line);

}  // namespace dmm
