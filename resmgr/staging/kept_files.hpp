// Files that a cluster keeps from one task to the next, in a folder that its hosts share. A file of known size and
// SHA-256 has its SHA-256 as name. It is compared again at each use, since jobs may write there.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/input_files.hpp"
#include "resmgr/backends/process/launch_arguments.hpp"
#include "resmgr/staging/transfer.hpp"

namespace dmm::staging {

class KeptFiles {
 public:
  /// Each account has a folder of its own in that of the rules, which no other account reads.
  explicit KeptFiles(KeptFilesRules rules);

  /// Whether such a file can be kept.
  bool is_for(const InputFile& file) const;
  /// Fetches the file if it isn't kept yet. If another process fetches it now, waits as long as that makes progress.
  /// StartFault::staging: no replica has the file. StartFault::resources: this folder can't take it, or not now.
  TransferFault fetch(const InputFile& file, const TransferLimits& limits) const;
  /// Copies a kept file to an empty one. False: it isn't kept, has changed, or can't be copied.
  bool copy(const InputFile& file, int descriptor) const;

 private:
  std::string path_of(const InputFile& file) const;
  bool make_room(std::uint64_t bytes) const;
  int reserve(const std::string& part, std::uint64_t bytes) const;

  KeptFilesRules rules_;
  std::string folder_;
};

}  // namespace dmm::staging
