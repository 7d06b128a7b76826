// The process between the keeper and a job: the keeper's child, and the parent of the job's leader. It waits where the
// keeper must not: until the leader has entered a folder and run a file that a user named. Both may lie on a file
// system that never answers. In namespaces of the job's own it is their first process: it reaps what the job leaves
// behind, nothing in there can end it, and everything in there ends with it.
//
// The keeper orders jobs of it, and signals about them (resmgr/keeper/shim_orders.hpp). It reports events in words, see
// resmgr/keeper/words.hpp. When the leader has ended, a shim in namespaces ends, too, unless all of the job was asked
// to end and has time left: the rest of its namespaces may use that time. Another shim rests then, and takes another
// job: a fork of the keeper costs more than all else that a short job needs of it.
#pragma once

#include "resmgr/keeper/isolation.hpp"
#include "resmgr/keeper/shim_plan.hpp"

namespace dmm::keeper {

/// The shim's life, in a fresh child of the keeper with the keeper's signals blocked. `plan`: in its page; the keeper
/// writes another before each order. `orders`: the shim's end of their socket. Never returns.
[[noreturn]] void run_shim(const ShimPlan& plan, const Hiding& hiding, int words, int orders);

}  // namespace dmm::keeper
