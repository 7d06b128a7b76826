// What the resource manager does about the output of tasks: it reads pieces for job managers, and tells them when a
// task that runs has written more.
#pragma once

#include "resmgr/resource_step.hpp"

namespace dmm::resource_steps {

/// A job manager asks for a piece of output, of a component that runs or is over. The outcome of one that is over
/// is kept while output is fetched.
void on(ResourceStep& s, FromUser, const Fetch& fetch);
void on(ResourceStep& s, OutputRead& report);
void on(ResourceStep& s, const OutputGrew& report);
/// Tells the job manager once how much output there is, until it has read that far: a slow reader isn't told of each
/// line.
void tell_growth(ResourceStep& s, TaskRecord& task);

}  // namespace dmm::resource_steps
