// The job manager's steps about arrays of jobs: making jobs of elements, and what the ends of elements mean to
// their array (docs/protocol.md section 8.28b).
#pragma once

#include <string>
#include <vector>

#include "jobmgr/conditions.hpp"
#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// A new array; the numbers of its elements begin with this one.
void add_array(JobStep& s, const Job& array, std::uint64_t first_element);
/// Elements of arrays that have room become jobs, a thousand in each step.
void make_elements(JobStep& s);
/// Whether the elements of the array are kept back may be another matter now.
void note_conditions(JobParts& parts, const Job& array);
/// As an element finds its place in its array; also by the names that scripts for Slurm know.
void add_array_variables(const JobParts& parts, const Job& element, std::vector<std::string>& environment);
/// An element began to run: with the first one its array does.
void note_element_running(JobParts& parts, const Job& element, Instant since);
/// An element is over: with the last one its array is.
void note_element_over(JobStep& s, const Job& element);
/// An element was refused for what it asks for: elements without a job would be, too, and fail with it.
void refuse_left(JobStep& s, const Job& element);
/// Ends all elements of the array.
void cancel_array(JobStep& s, Job& array, Duration grace);
/// Cancels an element that has no job yet. Returns why it can't be, or nothing.
WhyNot cancel_element(JobStep& s, ElementKey element);
/// What was changed of an array changes its elements that wait.
void alter_elements(JobStep& s, const Job& array, const Alteration& wanted);

}  // namespace dmm::job_steps
