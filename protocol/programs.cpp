#include "protocol/programs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocol/hints.hpp"

namespace dmm {
namespace {

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::string too_long(const std::string& what, std::size_t bytes, std::size_t most) {
  return what + " has " + std::to_string(bytes) + " bytes; at most " + std::to_string(most);
}

WhyNot fault_of_path(const std::string& field, std::string_view path) {
  if (has_zero(path)) return field + ": a zero byte is in it";
  if (path.size() > path_bytes_max) return too_long(field + ": it", path.size(), path_bytes_max);
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end - begin > file_name_bytes_max)
      return too_long(field + ": a name in the path", end - begin, file_name_bytes_max);
    begin = end + 1;
  }
  return {};
}

WhyNot fault_of_texts(const std::string& field, const char* what, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = field + ": " + what + " " + std::to_string(i);
    if (has_zero(texts[i])) return name + " has a zero byte in it";
    if (texts[i].size() > argument_bytes_max) return too_long(name, texts[i].size(), argument_bytes_max);
  }
  return {};
}

constexpr std::string_view blanks = " \t";

std::string_view without_blanks_in_front(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

WhyNot fault_of_script(const Program& program) {
  if (program.script.size() > script_bytes_max)
    return too_long("script: it", program.script.size(), script_bytes_max);
  if (program.input.size() > input_bytes_max) return too_long("input: it", program.input.size(), input_bytes_max);
  if (program.script.empty()) return {};
  const auto head = head_of_script(program.script);
  const auto* fault = std::get_if<1>(&head);
  return fault ? "script: " + *fault : WhyNot();
}

std::size_t bytes_of(const InputFiles& files) {
  std::size_t bytes = 0;
  for (const InputFile& file : files) {
    bytes += file.name.size() + file.sha256.size();
    for (const Replica& replica : file.replicas) bytes += replica.url.size() + replica.site.text.size();
  }
  return bytes;
}

std::size_t bytes_of(const OutputFiles& files) {
  std::size_t bytes = 0;
  for (const OutputFile& file : files) bytes += file.name.size() + file.to.size();
  return bytes;
}

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + 1;
  return bytes;
}

WhyNot fault_of(const RareList<Dependency>& dependencies) {
  if (dependencies.size() > dependencies_max)
    return "dependency: there are " + std::to_string(dependencies.size()) + " of them; at most " +
           std::to_string(dependencies_max);
  for (const Dependency& dependency : dependencies) {
    if (static_cast<std::size_t>(dependency.kind) >= dependency_kinds)
      return "dependency: kind " + std::to_string(static_cast<unsigned>(dependency.kind)) +
             " is unknown; expected after, afterok, afternotok or afterany";
    if (dependency.job == 0) return "dependency: there is no job 0; numbers begin with 1";
  }
  return {};
}

}  // namespace

OrFault<ScriptHead, WhyNot> head_of_script(std::string_view script) {
  using Result = OrFault<ScriptHead, WhyNot>;
  const auto refuse = [](const std::string& why) { return Result(std::in_place_index<1>, "line 1: " + why); };
  std::string_view line = script.substr(0, script.find('\n'));
  if (!line.starts_with("#!")) return refuse("expected #! and the path of an interpreter, as in #!/bin/sh");
  if (line.size() > script_head_bytes_max)
    return refuse("it has " + std::to_string(line.size()) + " bytes; at most " +
                  std::to_string(script_head_bytes_max));
  if (line.ends_with('\r'))
    return refuse("it ends with a carriage return; expected lines that end with a line feed");
  if (has_zero(line)) return refuse("a zero byte is in it");
  line = without_blanks_in_front(line.substr(2));
  line = line.substr(0, line.find_last_not_of(blanks) + 1);
  const std::string_view interpreter = line.substr(0, line.find_first_of(blanks));
  if (!interpreter.starts_with('/'))
    return refuse("expected the absolute path of an interpreter behind #!, got '" + std::string(interpreter) +
                  "'");
  const std::string_view argument = without_blanks_in_front(line.substr(interpreter.size()));
  return Result(std::in_place_index<0>, ScriptHead{std::string(interpreter), std::string(argument)});
}

WhyNot fault_of(const Program& program) {
  if (program.arguments.empty() || program.arguments.front().empty())
    return "command: it names no program; expected a program and its arguments";
  if (std::string fault = fault_of_texts("command", "argument", program.arguments); !fault.empty()) return fault;
  if (std::string fault = fault_of_texts("environment", "variable", program.environment); !fault.empty())
    return fault;
  if (std::string fault = fault_of_path("command", program.arguments.front()); !fault.empty()) return fault;
  if (std::string fault = fault_of_script(program); !fault.empty()) return fault;
  if (static_cast<std::size_t>(program.runner) >= runners) return "runner: unknown to this version";
  if (WhyNot fault = fault_of(program.inputs); !fault.empty()) return "stage_in: " + fault;
  if (!program.inputs.empty() && !program.working_directory.empty())
    return "stage_in: a job with input files works in a folder of its own; expected no working_directory";
  if (WhyNot fault = fault_of(program.outputs); !fault.empty()) return "stage_out: " + fault;
  return fault_of_path("working_directory", program.working_directory);
}

void set_runner(JobDescription& job, Runner runner) {
  job.program.runner = runner;
  if (has_agents(runner))
    job.need.constraints.edit().attributes.try_emplace(connectable_attribute, connectable_value);
}

void set_inputs(JobDescription& job, InputFiles inputs) {
  job.program.inputs = std::move(inputs);
  if (!job.program.inputs.empty())
    job.need.constraints.edit().attributes.try_emplace(staging_attribute, staging_value);
}

void set_outputs(JobDescription& job, OutputFiles outputs) {
  job.program.outputs = std::move(outputs);
  if (!job.program.outputs.empty())
    job.need.constraints.edit().attributes.try_emplace(staging_attribute, staging_value);
}

namespace {

/// Whether a resource manager starts the program itself, not by a launcher.
bool runs_once(const JobDescription& job) {
  return job.program.runner == Runner::per_component && !has_files(job.program) && !is_divided(job.need);
}

}  // namespace

WhyNot fault_of(const JobDescription& job) {
  if (std::string fault = fault_of(job.program); !fault.empty()) return fault;
  const std::size_t bytes = bytes_of(job.program.arguments) + bytes_of(job.program.environment);
  if (bytes > program_bytes_max)
    return too_long("command and environment: all of it, with a byte behind each text,", bytes, program_bytes_max);
  const std::size_t names = bytes_of(job.program.inputs) + bytes_of(job.program.outputs);
  if (const std::size_t all = bytes + job.program.script.size() + job.program.input.size() + names;
      all > job_bytes_max)
    return too_long("command, environment, script, input and names of files: all of it", all, job_bytes_max);
  if (has_files(job.program) && !job.need.constraints->attributes.contains(staging_attribute))
    return std::string(job.program.inputs.empty() ? "stage_out" : "stage_in") +
           ": its nodes must have the attribute " + staging_attribute;
  if (job.goes_on && has_agents(job.program.runner))
    return "go_on: the programs of such a job need one another; expected a runner that isn't once or mpi";
  if (job.program.warns_program_only && !runs_once(job))
    return "warn_program_only: expected one component, run once in it, without files to be brought";
  if (job.name.size() > job_name_bytes_max) return too_long("name: it", job.name.size(), job_name_bytes_max);
  if (job.dttl > dttl_max) return "dttl: " + std::to_string(job.dttl) + " is above " + std::to_string(dttl_max);
  if (std::string fault = fault_of_path("output_file", job.output_path); !fault.empty()) return fault;
  if (std::string fault = fault_of_path("error_file", job.error_path); !fault.empty()) return fault;
  if (job.begin_seconds > begin_seconds_max)
    return "begin: it is " + std::to_string(job.begin_seconds) + " s off; at most " +
           std::to_string(begin_seconds_max);
  if (std::string fault = fault_of(job.dependencies); !fault.empty()) return fault;
  if (std::string fault = fault_of(job.array); !fault.empty()) return fault;
  const std::string rule = fault_of(job.need);
  return rule.empty() ? rule : "the request: " + rule;
}

}  // namespace dmm
