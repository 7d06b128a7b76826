// Contact with other parties, what time calls for of tasks, and nodes that swallow jobs.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

bool stop_all(ResourceStep& s, Duration grace);
/// The first call has the owner reclaim all leases, and tells it to place nothing more on the nodes, for this
/// reason.
bool hand_back(ResourceStep& s, Duration grace, const std::string& why);
/// A new session ends nothing: the owner compares what we register with what it believes, and says what differs.
void on(ResourceStep& s, const LinkUp& change);
void on(ResourceStep& s, const LinkDown& change);
/// Changes nothing: a peer asks for all that is said to it, or the number of nodes bounds what is said.
inline void on(ResourceStep&, const LinkPressed&) {}
/// Changes nothing: no site lends nodes to a resource manager.
inline void on(ResourceStep&, const LinkStanding&) {}
/// Offers the nodes, once no stray runs any more: the site may lease them at once.
void register_if_due(ResourceStep& s);
/// Rule: heard neither the owner nor the job manager for a term. The lease stays, unusable, until the owner takes
/// it. A detached task has left its lease already.
void lose_contact(ResourceStep& s, std::uint64_t number);
/// The keeper ends tasks by itself if it isn't told for so long that this manager lives.
void keep_tasks(ResourceStep& s);
/// What the end of a task says about its nodes. Only what isn't the program's or the user's own doing counts.
void blame_nodes(ResourceParts& parts, Instant now, const TaskRecord& task, const TaskEnded& report);
/// Whether a keeper that died had tasks of several users: those without a reported end still count as live.
bool died_with_others(const ResourceParts& parts, const RequestId& request);
void say_set_aside(ResourceStep& s);
ResourceManagerView view(const ResourceParts& parts);

}  // namespace dmm::resource_steps
