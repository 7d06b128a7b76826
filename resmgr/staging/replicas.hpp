// The bytes of one file, from the first of its replicas that has them, by libcurl: resumed after a broken connection,
// held to the file's size, compared with its checksum.
#pragma once

#include <csignal>
#include <string>

#include "protocol/input_files.hpp"
#include "resmgr/staging/transfer.hpp"

namespace dmm::staging {

/// While this lives, a write beyond the job's limit for a file fails with EFBIG, and doesn't end the launcher.
class FileLimitHeld {
 public:
  FileLimitHeld() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~FileLimitHeld() { std::signal(SIGXFSZ, before_); }
  FileLimitHeld(const FileLimitHeld&) = delete;
  FileLimitHeld& operator=(const FileLimitHeld&) = delete;

 private:
  void (*before_)(int);
};

/// How a fault names the file.
std::string what_of(const InputFile& file);

/// A full disk is the host's fault, and the job runs elsewhere; a limit is the job's.
TransferFault fault_of_disk(const std::string& what, int error);

/// Brings the file's bytes to an open, empty file, from the first of its replicas that has them.
TransferFault bring(const InputFile& file, int descriptor, const TransferLimits& limits);

}  // namespace dmm::staging
