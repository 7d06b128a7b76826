// Which agent runs in the background for a node: a locked file in its folder, with the agent's process id. The
// lock is gone with the agent, however that ends.
#pragma once

#include <sys/types.h>

#include <string>

namespace dmm {

/// The descriptor that keeps the lock, for the agent to inherit; -1 if another agent has it, or the folder isn't
/// there (which is said on standard error).
int take_agent_lock(const std::string& folder);
void write_agent(int lock, pid_t agent);

/// Has the agent give its node back, and waits for its end; kills an agent that takes longer than `limit_seconds`.
/// Returns 0: no agent runs there.
int stop_agent(const std::string& folder, double limit_seconds);

}  // namespace dmm
