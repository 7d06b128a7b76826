// One stream from several, by submit time.
#pragma once

#include <vector>

#include "workloads/job_stream.hpp"

namespace dmm {

/// Merges streams that are each in order. Jobs with the same submit time come by home, then by position of their
/// stream. The merged jobs are numbered from 1.
JobStream merged(std::vector<JobStream> streams);

}  // namespace dmm
