// Checks of programs that users want to run, and of their jobs. They refuse what no system could start, and what is too
// long to travel or to be kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// Of an argument or a variable of the environment: Linux allows 128 KiB with the final zero byte.
constexpr std::size_t argument_bytes_max = 128 * 1024 - 1;
/// Of all arguments and variables of a job, with a zero byte behind each; a frame takes some 200 KiB.
constexpr std::size_t program_bytes_max = 150 * 1024;
/// Of a script, and of a job's standard input. The job manager keeps both and sends them with each Start.
constexpr std::size_t script_bytes_max = 128 * 1024, input_bytes_max = 64 * 1024;
/// Of arguments, variables, script and input together. 64 Starts may be under way at a time, and must fit into the
/// messages that a session keeps.
constexpr std::size_t job_bytes_max = 224 * 1024;
/// Of the first line of a script, without its end: the kernel cuts a longer line off.
constexpr std::size_t script_head_bytes_max = 254;
/// PATH_MAX and NAME_MAX of Linux, without the zero byte.
constexpr std::size_t path_bytes_max = 4095, file_name_bytes_max = 255;
/// Of the name of a job.
constexpr std::size_t job_name_bytes_max = 255;
/// Of the dependencies of a job.
constexpr std::size_t dependencies_max = 64;
/// Ten years: a begin time further off is a mistake.
constexpr std::uint32_t begin_seconds_max = 3'653 * 86'400;

/// The attribute of nodes that programs on other hosts can connect to.
inline constexpr const char* connectable_attribute = "connectable";
inline constexpr const char* connectable_value = "yes";
/// The attribute of nodes that run jobs of different sites under different accounts.
inline constexpr const char* users_apart_attribute = "users_apart";
inline constexpr const char* users_apart_value = "yes";
/// Whether the programs of a job connect to one another.
constexpr bool has_agents(Runner runner) { return runner == Runner::once || runner == Runner::mpi; }
/// Sets how often the job's program runs, and the attributes that its nodes need for that.
void set_runner(JobDescription& job, Runner runner);

/// Of `Started::isolation`.
constexpr std::size_t isolation_bytes_max = 200;

/// Whether files are brought to where the program runs, or from there.
inline bool has_files(const Program& program) { return !program.inputs.empty() || !program.outputs.empty(); }
/// Sets the files that the job reads, and the attributes that its nodes need for that.
void set_inputs(JobDescription& job, InputFiles inputs);
/// Sets the files that the job writes, likewise.
void set_outputs(JobDescription& job, OutputFiles outputs);

/// The content of the first line of a script.
struct ScriptHead {
  std::string interpreter;  ///< an absolute path
  std::string argument;     ///< the rest of the line, which is one argument; empty: there is none
};
/// The first line of a script, read as the kernel reads it; or why no system could run the script.
OrFault<ScriptHead, WhyNot> head_of_script(std::string_view script);

/// Why no system could start the program, whatever is installed there; empty if some system could.
WhyNot fault_of(const Program& program);
/// Why no job manager takes the job, naming the field as a job file does; empty if one may.
WhyNot fault_of(const JobDescription& job);

}  // namespace dmm
