// One stream from several, by submit time.
#pragma once

#include <vector>

#include "workloads/job_stream.hpp"

namespace dmm {

/// Merges streams that are each in order. Of jobs submitted at the same time the one of the lowest home comes
/// first, then the one of the stream named first. Jobs are numbered anew, from 1 in the order of the result.
JobStream merged(std::vector<JobStream> streams);

}  // namespace dmm
