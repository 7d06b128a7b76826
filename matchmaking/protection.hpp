// How long an owner promises nodes to a borrowed job that owners interrupted before. Without the promise, a job could
// be lent nodes and lose them again for ever, and never complete.
#pragma once

#include "protocol/interruptions.hpp"

namespace dmm {

/// From the job's start: twice the time that it had nodes before the interruption, at least `first` and at most `most`.
/// So it doubles with each interruption. 0 for a job that no owner interrupted.
Duration protected_time(const Interruptions& past, Duration first, Duration most);

}  // namespace dmm
