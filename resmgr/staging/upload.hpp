// Uploads one output file by libcurl to its job manager; resumes after a broken connection, until the file is safe
// there.
#pragma once

#include <string>

#include "protocol/output_files.hpp"
#include "resmgr/staging/transfer.hpp"

namespace dmm::staging {

/// How long an unreachable job manager is waited for, beside the limits of a try.
struct UploadLimits {
  TransferLimits one = {.tries = 0};  ///< `tries` isn't used: only time ends the tries
  Duration patience = seconds(3600);  ///< without a byte that arrives
  Duration pause_max = seconds(30);
};

/// Brings the file below `folder` to its URL; or returns why not.
TransferFault upload(const OutputFile& file, const std::string& folder, const UploadLimits& limits);

}  // namespace dmm::staging
