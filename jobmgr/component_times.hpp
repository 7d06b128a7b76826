// Due times of the components under way: when an answer or a look at output is due. The records keep the times.
#pragma once

#include "jobmgr/job.hpp"
#include "manager/times.hpp"

namespace dmm {

using ComponentTimes = Times<ComponentKey>;

}  // namespace dmm
