// One file by libcurl: resumed where a connection broke, held to its size, compared with its checksum.
#pragma once

#include <string>

#include "protocol/input_files.hpp"
#include "resmgr/launcher/transfer.hpp"

namespace dmm::launcher {

/// Brings the file to its name below `folder`, from the first of its replicas that has it. Until it is whole and
/// right it has ".part" behind its name.
TransferFault download(const InputFile& file, const std::string& folder, const TransferLimits& limits);

}  // namespace dmm::launcher
