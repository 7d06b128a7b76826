// What the resource manager does for job managers: starts, ends and remembers tasks. Every Start gets exactly one
// outcome, which is kept so that a repeated Start gets the same answer.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

void on(ResourceStep& s, FromUser, Start& start);
/// Files for a job that is to come here.
void on(ResourceStep& s, FromSite, Prefetch& prefetch);
void on(ResourceStep& s, FilesFetched& fetched);
/// Does with a parked Start what its lease and its nodes now allow.
void consider(ResourceStep& s, TaskRecord& task);
void on(ResourceStep& s, const TaskStarted& report);
void on(ResourceStep& s, FromUser, Go& go);
void on(ResourceStep& s, FromUser, const Stop& stop);
/// Orders a task's end, again only if that makes it sooner. The job manager's own Stop is the cause before all
/// others.
void order_end(ResourceStep& s, TaskRecord& task, Duration grace, EndKind cause,
               LeaseEnd lease_end = LeaseEnd::released);
/// Its lease is over, but its job manager may still be there: it goes on while that is heard, and no longer than
/// the limit, however often that is said.
void detach(ResourceStep& s, TaskRecord& task, Duration limit, LeaseEnd reason);
void on(ResourceStep& s, TaskEnded& report);
/// Answers a Start that came to nothing here.
void fail(ResourceStep& s, TaskRecord& task, StartFault fault, std::string why);
void record_outcome(ResourceParts& parts, Instant now, TaskRecord& task, Ended&& outcome);
/// A due time was reached: a parked Start has waited long enough for its lease, a detached task has gone on long
/// enough, an outcome was kept long enough.
void give_up_or_forget(ResourceStep& s, const TaskId& id);
void on(ResourceStep& s, FromUser, const Forget& forget);
/// The outcome and the directory go; questions about it that are still open stay unanswered.
void remove(ResourceStep& s, TaskRecord& task);

}  // namespace dmm::resource_steps
