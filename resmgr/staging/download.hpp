// An input file at its name in the job's folder: from the files that the cluster keeps, or from its replicas.
#pragma once

#include <string>

#include "protocol/input_files.hpp"
#include "resmgr/staging/kept_files.hpp"
#include "resmgr/staging/transfer.hpp"

namespace dmm::staging {

/// Brings the file to its name below `folder`, from the first of its replicas that has it. Until it is whole and right
/// it has ".part" behind its name. A file that `kept` can keep comes from there, and is kept from now on.
TransferFault download(const InputFile& file, const std::string& folder, const TransferLimits& limits,
                       const KeptFiles* kept = nullptr);

}  // namespace dmm::staging
