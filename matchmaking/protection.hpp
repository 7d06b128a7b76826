// How long an owner promises nodes to a borrowed job that owners interrupted before. Without that a job could be lent
// nodes and lose them again for ever, and complete nothing.
#pragma once

#include "protocol/interruptions.hpp"

namespace dmm {

/// From its start: twice what the job had before it was interrupted, at least `first` and at most `most`. So it doubles
/// with each interruption. 0 for a job that no owner interrupted.
Duration protected_time(const Interruptions& past, Duration first, Duration most);

}  // namespace dmm
