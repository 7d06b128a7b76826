// One file by libcurl: resumed where a connection broke, held to its size, compared with its checksum.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/input_files.hpp"
#include "protocol/reasons.hpp"
#include "protocol/time.hpp"

namespace dmm::launcher {

/// How long a server may be silent, and how often it is asked again.
struct DownloadLimits {
  Duration connect = seconds(30);
  Duration stall = seconds(30);  ///< without a byte
  Duration pause = seconds(1);   ///< before the first further try; doubles
  int tries = 5;                 ///< in a row that bring nothing
  long redirects = 5;
};

/// Why a file isn't there; StartFault::none if it is.
struct DownloadFault {
  StartFault fault = StartFault::none;
  std::string text = {};  ///< names the file
};

/// Brings the file to its name below `folder`, from the first of its replicas that has it. Until it is whole and
/// right it has ".part" behind its name.
DownloadFault download(const InputFile& file, const std::string& folder, const DownloadLimits& limits);

}  // namespace dmm::launcher
