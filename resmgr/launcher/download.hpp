// One file by libcurl: resumed after a broken connection, held to its size, compared with its checksum.
#pragma once

#include <string>

#include "protocol/input_files.hpp"
#include "resmgr/launcher/transfer.hpp"

namespace dmm::launcher {

class KeptFiles;

/// Brings the file's bytes to an open, empty file, from the first of its replicas that has them.
TransferFault bring(const InputFile& file, int descriptor, const TransferLimits& limits);

/// Brings the file to its name below `folder`, from the first of its replicas that has it. Until it is whole and right
/// it has ".part" behind its name. A file that `kept` can keep comes from there, and is kept from now on.
TransferFault download(const InputFile& file, const std::string& folder, const TransferLimits& limits,
                       const KeptFiles* kept = nullptr);

}  // namespace dmm::launcher
