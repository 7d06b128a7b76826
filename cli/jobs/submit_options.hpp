// The options of `dmm submit`: what the command line, and the head of a script, say of a job, before it is made
// one (submit_plan.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/jobs/job_file.hpp"
#include "cli/jobs/job_script.hpp"
#include "cli/managers/managers.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// The group of the options that say what a job is. A job file says that itself.
constexpr const char* job_option_group = "The job";

struct SubmitOptions {
  ManagerOptions manager;
  std::vector<std::string> words;  ///< the command, a file of jobs, or a script and its arguments
  bool is_script = false;          ///< the first word is a script here, which travels
  std::string name, components, output_file, error_file, directory, input_file;
  std::string begin, dependency, array;
  std::vector<std::string> attributes, environment, stage_in, stage_out;
  std::uint32_t processors = 1, flexible = 0, dttl = 5, reruns = 3;
  std::uint32_t component_min = 1, components_max = 0;
  std::int32_t priority = 0;
  double communication = 0;  ///< Mbit/s
  Runner runner = Runner::per_component;
  std::uint64_t memory_mb = 0;
  Limits limits;
  std::uint64_t limit_memory_mb = 0;
  std::string submission;      ///< the name of this submission; empty: a new one
  double look_seconds = 0.05;  ///< for a refusal
  bool wait = false, check = false, discard_output = false, append = false, hold = false, goes_on = false,
       json = false;
};

/// Adds them all; the options outlive the command.
void add_submit_options(CLI::App& command, SubmitOptions& options);

/// The words of a command line of `dmm`, in which a script that is named for `dmm submit` is marked: all that
/// follows the script is the script's. `app` has the commands.
std::vector<std::string> with_script_marked(const CLI::App& app, std::vector<std::string> words);

/// The options of a script with what its head says; the command line goes before that. `given` has parsed the
/// command line, `file` is the script. A fault names its line.
OrFault<SubmitOptions, JobFault> with_directives(const CLI::App& given, const SubmitOptions& options,
                                                 const std::vector<Directive>& directives,
                                                 const std::string& file);

/// The names of the options of the job that were given.
std::vector<std::string> given_job_options(const CLI::App& command);

/// A letter, digit or sign that the name of a submission may have.
bool is_submission_letter(char letter);

}  // namespace dmm
