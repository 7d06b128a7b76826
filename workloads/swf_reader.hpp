// A log in the Standard Workload Format, job by job.
#pragma once

#include <string>
#include <utility>

#include "workloads/log_reader.hpp"

namespace dmm {

using SwfCounts = LogCounts;

/// A log reader that reads any file as the Standard Workload Format, whatever its name and contents.
class SwfReader : public LogReader {
 public:
  SwfReader(std::string path, BadLines bad_lines) : LogReader(std::move(path), bad_lines, LogFormat::swf) {}
};

}  // namespace dmm
