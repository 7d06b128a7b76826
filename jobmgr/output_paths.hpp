// The files that open jobs write their output to. Two jobs that wrote one file would each overwrite what the other
// wrote, and neither would notice: so a file belongs to one job, unless all its jobs only append to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What is put into the name of an output file.
struct OutputNames {
  std::optional<std::uint64_t> job;    ///< for "%j"
  std::uint64_t array = 0;             ///< for "%A": the job, or its array if it is an element
  std::optional<std::uint32_t> index;  ///< for "%a": of the element; 0 for a job that is none
  std::uint32_t task = 0;              ///< for "%r": the task that wrote it, counted from 0
};

/// A path as its user wrote it, with the letters of OutputNames replaced and "%%" by "%". What has no value stays;
/// so does "%%" where there is no job, so that what comes out is a pattern again.
std::string expanded(std::string_view path, const OutputNames& names);
/// Whether the tasks of a job have different paths by it.
bool names_task(std::string_view path);

class OutputPaths {
 public:
  /// The job is to write to its files; or why it can't, naming the field and the other job, and then nothing
  /// changed. An array takes the names of the files of all its elements at once.
  WhyNot take(std::uint64_t job, const JobDescription& description);
  /// The same of a job that was accepted before this rule: whatever it writes to, it may.
  void restore(std::uint64_t job, const JobDescription& description);
  /// The job is over, or was never accepted.
  void give_back(std::uint64_t job, const JobDescription& description);
  std::size_t size() const { return files_.size(); }

 private:
  struct File {
    std::set<std::uint64_t> jobs;  ///< that write to it
    bool appends = false;          ///< all of them only append
  };
  std::map<std::string, File> files_;
};

}  // namespace dmm
