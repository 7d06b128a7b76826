// An array of jobs, and elements of it that are no jobs, as people see them.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm {

/// What has become of the elements of an array. An open array runs while any element has nodes.
void add_elements(const JobParts& parts, const Job& array, JobView& view);

/// The state in which `add_elements` shows an array.
JobState shown_state(const JobParts& parts, const Job& array);

/// An element that is no job yet, or no more: what its array knows of it. Its attempt is 0.
JobView view_of_element(const JobParts& parts, ElementKey element);

}  // namespace dmm
