// Going on: a job may run on without a component that its owner took back, if its user wants that. Only what the
// owner takes by its right counts, and only once all components began together; any other trouble ends the
// attempt.
#pragma once

#include <string>
#include <vector>

#include "jobmgr/job_step.hpp"

namespace dmm {

/// Whether the job goes on without this component, which ends or has ended.
bool is_left_behind(const Job& job, const ComponentRun& component_run);

/// Whether something is left of the job that isn't left behind, and runs or ended by itself.
bool has_rest(const Job& job);

/// How the components of the attempt ended. Those that are left behind count as good, if there are others.
std::vector<ComponentEnd> ends_of(const Job& job);

/// For people: without what the job went on; empty if all of it was there to the end.
std::string text_of_left_behind(const Job& job);

namespace job_steps {

/// A component met trouble: the attempt is given up, or goes on without the component.
void wind_down_or_go_on(JobStep& s, Job& job, Duration grace);
/// What is left of the nodes of components that the job went on without goes back, once nothing runs there.
void release_left_behind(JobStep& s, Job& job);

}  // namespace job_steps
}  // namespace dmm
