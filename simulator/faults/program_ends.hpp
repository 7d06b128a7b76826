// How programs really ended, as their hosts remember it.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

/// How the programs of each attempt ended in the hosts. A program that was started twice, because its host lost the
/// first, counts by its last end.
std::map<RequestId, std::vector<TaskPerformer::End>> program_ends(const World& world);
std::set<RequestId> attempts_that_died_with_a_keeper(const World& world);

}  // namespace dmm
