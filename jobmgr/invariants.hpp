// What must hold of a job manager between any two events, recounted from nothing. For tests and the simulator's
// checkers.
#pragma once

#include <string>

#include "jobmgr/job_step.hpp"
#include "protocol/or_fault.hpp"

namespace dmm::job_steps {

/// What doesn't hold that must hold; empty if all is well. Walks everything.
WhyNot broken_invariant(const JobParts& parts);

}  // namespace dmm::job_steps
