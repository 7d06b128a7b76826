// When something is due of each component under way.
#pragma once

#include "jobmgr/job.hpp"
#include "manager/times.hpp"

namespace dmm {

using ComponentTimes = Times<ComponentKey>;

}  // namespace dmm
