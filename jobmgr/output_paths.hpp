// The files that open jobs write their output to. Two jobs that wrote one file would each overwrite what the other
// wrote, and neither would notice: so a file belongs to one job, unless all its jobs only append to it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "protocol/messages.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// A path as its user wrote it, with "%j" replaced by the job's number and "%%" by "%".
std::string expanded(std::string_view path, std::uint64_t job);

class OutputPaths {
 public:
  /// The job is to write to its files; or why it can't, naming the field and the other job, and then nothing changed.
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
