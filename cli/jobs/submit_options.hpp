// The options of `dmm submit`, from the command line and the head of a script, before they become a job
// (submit_plan.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/jobs/job_file.hpp"
#include "cli/jobs/job_script.hpp"
#include "cli/managers/managers.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// The group of the options that describe a job. A job file describes its jobs itself.
constexpr const char* job_option_group = "The job";

struct SubmitOptions {
  ManagerOptions manager;
  std::vector<std::string> words;  ///< the command, a file of jobs, or a script and its arguments
  bool is_script = false;          ///< the first word is a script on this host, which travels
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
  double look_seconds = 0.05;  ///< how long to look for a refusal
  bool wait = false, check = false, discard_output = false, append = false, hold = false, goes_on = false,
       warns_program_only = false, json = false;
};

/// Adds all options; `options` must outlive the command.
void add_submit_options(CLI::App& command, SubmitOptions& options);

/// The words of a command line of `dmm`. If it names a script for `dmm submit`, the script is marked: all words after
/// it belong to the script. `app` has the commands.
std::vector<std::string> with_script_marked(const CLI::App& app, std::vector<std::string> words);

/// The options with those of the script's head added; the command line has precedence. `given` has parsed the command
/// line, `file` is the script. A fault names its line.
OrFault<SubmitOptions, JobFault> with_directives(const CLI::App& given, const SubmitOptions& options,
                                                 const std::vector<Directive>& directives,
                                                 const std::string& file);

/// The names of the options about the job that the user gave.
std::vector<std::string> given_job_options(const CLI::App& command);

/// Whether the name of a submission may have this character.
bool is_submission_letter(char letter);

}  // namespace dmm
