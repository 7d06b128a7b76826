#include "cli/jobs/submit_plan.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/jobs/carried_files.hpp"
#include "cli/jobs/catalogue.hpp"
#include "cli/jobs/home_files.hpp"
#include "cli/jobs/rsl_job.hpp"
#include "cli/terminal/figures.hpp"
#include "protocol/numbers.hpp"
#include "protocol/programs.hpp"
#include "runtime/client.hpp"
#include "runtime/clock.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

using PlanOrFault = OrFault<SubmitPlan, JobFault>;

/// Reads "8", "8@das-0/c" or "8@das-0" as a component.
bool parse_component(std::string_view text, Component& component) {
  const std::size_t at = std::min(text.find('@'), text.size());
  if (!parse_number(text.substr(0, at), component.processors) || component.processors == 0) return false;
  if (at == text.size()) return true;
  const std::string_view place = text.substr(at + 1);
  const std::size_t slash = std::min(place.find('/'), place.size());
  const std::string site(place.substr(0, slash)), cluster(place.substr(std::min(slash + 1, place.size())));
  if (!fault_of_name(site).empty() || (slash < place.size() && !fault_of_name(cluster).empty())) return false;
  component.site = SiteName{site};
  component.cluster = ClusterName{cluster};
  return true;
}

/// Reads "8,8,8" as components.
bool parse_components(std::string_view text, ResourceNeed& need) {
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    Component component;
    if (!parse_component(text.substr(0, comma), component)) return false;
    if (!component.site.empty()) need.kind = RequestKind::fixed;
    need.components.push_back(std::move(component));
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

WhyNot need_from(const SubmitOptions& options, ResourceNeed& need) {
  if (!options.components.empty() && !parse_components(options.components, need))
    return "--components: expected sizes with commas between, as in 8,8,8 or 8@das-0,8@das-1/nodes, got '" +
           options.components + "'";
  if (options.flexible > 0) {
    need.kind = RequestKind::flexible;
    need.components.push_back({options.flexible, {}, {}});
    need.component_processors_min = options.component_min;
    need.components_max = options.components_max;
  }
  if (need.components.empty()) need.components.push_back({options.processors, {}, {}});
  if (options.memory_mb > 0) need.constraints.edit().memory_bytes = options.memory_mb << 20;
  for (const std::string& text : options.attributes) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return "--attribute: expected KEY=VALUE, got '" + text + "'";
    need.constraints.edit().attributes[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

std::string file_name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

WhyNot program_from(const SubmitOptions& options, Program& program) {
  program.arguments = options.words;
  if (!options.directory.empty() && options.directory[0] != '/')
    return "--directory: expected an absolute path, where the job runs; got '" + options.directory + "'";
  program.working_directory = options.directory;
  program.limits = options.limits;
  if (options.limit_memory_mb > 0) program.limits.edit().memory_bytes = options.limit_memory_mb << 20;
  for (const std::string& text : options.environment) {
    if (text.find('=') == std::string::npos || text[0] == '=')
      return "--environment: expected NAME=VALUE, got '" + text + "'";
    program.environment.push_back(text);
  }
  auto input = options.input_file.empty() ? offered_input() : read_input(options.input_file);
  if (auto* fault = std::get_if<CarriedFault>(&input)) return std::move(fault->text);
  program.input = std::get<std::string>(input);
  return {};
}

/// Reads when the job becomes eligible. `named` gets the full names of jobs that it depends on.
WhyNot conditions_from(const SubmitOptions& options, JobDescription& job, std::vector<JobName>& named) {
  const auto said = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  const ConditionTexts texts{options.hold, said(options.begin), said(options.dependency)};
  if (const auto fault = read_conditions(texts, wall_microseconds() / 1'000'000, job, named))
    return "--" + std::string(fault->field) + ": " + fault->text;
  return {};
}

/// One file for each text; or why a text names none.
template <class File>
WhyNot add_files(const std::vector<std::string>& texts, OrFault<File, WhyNot> (*parse)(std::string_view),
                 RareList<File>& files) {
  for (const std::string& text : texts) {
    auto file = parse(text);
    if (auto* fault = std::get_if<1>(&file)) return std::move(*fault);
    files.push_back(std::get<0>(std::move(file)));
  }
  return {};
}

WhyNot inputs_from(const SubmitOptions& options, JobDescription& job) {
  InputFiles files;
  if (WhyNot fault = add_files(options.stage_in, parse_input_file, files); !fault.empty())
    return "--stage-in: " + fault;
  if (WhyNot fault = find_at_home(files); !fault.empty()) return "--stage-in: " + fault;
  auto known = CatalogueLookup().look_up(std::move(files));
  if (const auto* fault = std::get_if<1>(&known)) return "--stage-in: " + *fault;
  set_inputs(job, std::get<0>(std::move(known)));
  return {};
}

WhyNot outputs_from(const SubmitOptions& options, JobDescription& job) {
  OutputFiles files;
  if (WhyNot fault = add_files(options.stage_out, parse_output_file, files); !fault.empty())
    return "--stage-out: " + fault;
  place_at_home(files);
  set_outputs(job, std::move(files));
  return {};
}

/// The job of a command line; the caller adds the script.
OrFault<JobDescription, JobFault> job_from(const SubmitOptions& options, const std::string& script,
                                           std::vector<JobName>& named) {
  JobDescription job;
  job.name = options.name.empty() ? file_name_of(options.words[0]) : options.name;
  if (std::string fault = program_from(options, job.program); !fault.empty()) return JobFault{std::move(fault)};
  if (options.is_script) job.program.arguments[0] = file_name_of(options.words[0]);
  job.program.script = script;
  if (std::string fault = need_from(options, job.need); !fault.empty()) return JobFault{std::move(fault)};
  if (!options.array.empty()) {
    auto array = parse_array(options.array);
    if (const auto* fault = std::get_if<std::string>(&array)) return JobFault{"--array: " + *fault};
    job.array = std::move(std::get<ArrayIndices>(array));
  }
  if (std::string fault = conditions_from(options, job, named); !fault.empty()) return JobFault{std::move(fault)};
  set_runner(job, options.runner);
  if (std::string fault = inputs_from(options, job); !fault.empty()) return JobFault{std::move(fault)};
  if (std::string fault = outputs_from(options, job); !fault.empty()) return JobFault{std::move(fault)};
  job.dttl = options.dttl;
  job.priority = options.priority;
  job.reruns_max = options.reruns;
  job.communication = kilobits(options.communication);
  job.keep_output = !options.discard_output;
  job.append = options.append;
  job.goes_on = options.goes_on;
  job.program.warns_program_only = options.warns_program_only;
  job.output_path = absolute_here(options.output_file);
  job.error_path = absolute_here(options.error_file);
  if (std::string fault = fault_of(job); !fault.empty()) return JobFault{std::move(fault)};
  return job;
}

/// Warns that only a script and its input travel to where the job runs; other files stay here.
void note_that_files_stay(SubmitPlan& plan) {
  const std::string& program = plan.options.words.front();
  std::error_code error;
  if (program.starts_with('/') || !std::filesystem::is_regular_file(program, error)) return;
  plan.warnings.push_back("files don't travel: where the job runs, " + harmless(program) +
                          " must be in PATH or named by an absolute path" +
                          (is_script_file(program) ? "; as a script, named without --, it would travel" : ""));
}

PlanOrFault plan_of_command(const SubmitOptions& options, const std::string& script) {
  SubmitPlan plan{options, {}, {}, {}};
  auto job = job_from(options, script, plan.named);
  if (auto* fault = std::get_if<JobFault>(&job)) return std::move(*fault);
  plan.jobs.push_back(std::move(std::get<JobDescription>(job)));
  if (!options.is_script) note_that_files_stay(plan);
  return plan;
}

PlanOrFault plan_of_script(const CLI::App& command, const SubmitOptions& options) {
  const std::string& file = options.words[0];
  const auto script = read_script(file);
  if (const auto* fault = std::get_if<CarriedFault>(&script)) return JobFault{fault->text};
  const auto head = head_of_script(std::get<std::string>(script));
  if (const auto* fault = std::get_if<WhyNot>(&head)) return JobFault{harmless(file) + " " + *fault};
  JobScript read = read_job_script(std::get<std::string>(script), file);
  if (!read.fault.empty()) return JobFault{std::move(read.fault)};
  const auto merged = with_directives(command, options, read.directives, file);
  if (const auto* fault = std::get_if<JobFault>(&merged)) return *fault;
  PlanOrFault planned = plan_of_command(std::get<SubmitOptions>(merged), std::get<std::string>(script));
  if (auto* plan = std::get_if<SubmitPlan>(&planned)) plan->warnings = std::move(read.warnings);
  return planned;
}

PlanOrFault plan_of_json(const SubmitOptions& options) {
  SubmitPlan plan{options, {}, {}, {}};
  auto read = read_job_file(options.words[0], &plan.named);
  if (auto* fault = std::get_if<JobFault>(&read)) return std::move(*fault);
  plan.jobs = std::move(std::get<std::vector<JobDescription>>(read));
  return plan;
}

PlanOrFault plan_of_rsl(const SubmitOptions& options) {
  const auto text = read_rsl(options.words[0]);
  if (const auto* fault = std::get_if<CarriedFault>(&text)) return JobFault{fault->text};
  auto parsed = parse_rsl_job(std::get<std::string>(text), options.words[0]);
  if (auto* fault = std::get_if<JobFault>(&parsed)) return std::move(*fault);
  RslJob& request = std::get<RslJob>(parsed);
  if (!request.input_file.empty()) {
    auto input = read_input(request.input_file);
    if (auto* fault = std::get_if<CarriedFault>(&input)) return JobFault{"stdin: " + fault->text};
    request.job.program.input = std::get<std::string>(input);
  }
  return SubmitPlan{options, {std::move(request.job)}, std::move(request.warnings), {}};
}

PlanOrFault plan_of_words(const CLI::App& command, const SubmitOptions& options) {
  if (options.is_script) return plan_of_script(command, options);
  const bool is_json = options.words[0].ends_with(".json"), is_rsl = options.words[0].ends_with(".rsl");
  if (options.words.size() > 1 || !(is_json || is_rsl)) return plan_of_command(options, {});
  if (const auto given = given_job_options(command); !given.empty())
    return JobFault{given.front() + ": a job file says this itself; leave the option out"};
  return is_json ? plan_of_json(options) : plan_of_rsl(options);
}

}  // namespace

PlanOrFault plan_submission(const CLI::App& command, const SubmitOptions& options) {
  if (options.words.empty())
    return JobFault{"nothing to run; expected a job file, a script, or -- COMMAND ARGUMENTS"};
  PlanOrFault planned = plan_of_words(command, options);
  if (const auto* plan = std::get_if<SubmitPlan>(&planned))
    if (std::string fault = fault_of_size(plan->jobs); !fault.empty()) return JobFault{std::move(fault)};
  return planned;
}

}  // namespace dmm
