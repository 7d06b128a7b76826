#include "cli/jobs/submit_report.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/jobs/carried_files.hpp"
#include "cli/jobs/catalogue.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "protocol/home_paths.hpp"
#include "protocol/resources.hpp"

namespace dmm {
namespace {

/// An argument, quoted for a shell if necessary.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=:,+%@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return harmless(text + "'");
}

std::string line_of(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += (line.empty() ? "" : " ") + shell_word(argument);
  return line;
}

std::string component_text(const Component& component) {
  std::string text = grouped(component.processors);
  if (component.cluster.empty()) return text;
  return text + " on " +
         harmless((component.site.empty() ? "" : component.site.text + "/") + component.cluster.text);
}

std::string size_of_need(const ResourceNeed& need) {
  if (need.kind == RequestKind::flexible)
    return count_text(need.components.at(0).processors, "processor") + ", divided as it suits";
  std::string text = count_text(total_processors(need), "processor");
  if (need.components.size() == 1 && need.components[0].cluster.empty()) return text;
  text += " in ";
  for (std::size_t i = 0; i < need.components.size(); ++i)
    text += (i == 0 ? "" : " + ") + component_text(need.components[i]);
  return text;
}

std::string_view words_for(Runner runner) {
  switch (runner) {
    case Runner::per_component: return "once in each component";
    case Runner::per_node: return "once on each node";
    case Runner::per_processor: return "once for each processor";
    case Runner::once: return "once, with agents on all nodes";
    case Runner::mpi: return "as an MPI program, with a rank for each processor";
  }
  return "?";
}

/// Pairs of a title and its value, in order.
using Rows = std::vector<std::pair<std::string, std::string>>;

void add_limits(const Limits& limits, Rows& rows) {
  const std::array<std::pair<const char*, std::uint64_t>, 5> all{{{"run time", limits.wall_seconds},
                                                                  {"processor time", limits.cpu_seconds},
                                                                  {"address space", limits.memory_bytes},
                                                                  {"open files", limits.open_files},
                                                                  {"file size", limits.file_bytes}}};
  constexpr std::array<const char*, 5> units{" s", " s of a process", " bytes of a process", " of a process",
                                             " bytes of each file"};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].second > 0)
      rows.emplace_back(std::string("limit of ") + all[i].first, grouped(all[i].second) + units[i]);
}

std::string text_of(const Replica& replica) {
  if (is_at_home(replica.url)) return std::string(home_path(replica.url));
  return std::string(replica.url) + (replica.site.empty() ? "" : " at " + std::string(replica.site.text));
}

Rows rows_of(const JobDescription& job) {
  const JobDescription unsaid;
  const Program& program = job.program;
  Rows rows{{program.script.empty() ? "command" : "script", line_of(program.arguments)},
            {"size", size_of_need(job.need)}};
  if (program.runner != unsaid.program.runner) rows.emplace_back("runs", std::string(words_for(program.runner)));
  if (!program.script.empty()) rows.emplace_back("script carried", bytes_text(program.script.size()));
  if (!program.input.empty()) rows.emplace_back("input carried", bytes_text(program.input.size()));
  for (const InputFile& file : program.inputs)
    for (const Replica& replica : file.replicas)
      rows.emplace_back("input file", harmless(std::string(file.name) + " from " + text_of(replica)));
  for (const OutputFile& file : program.outputs)
    rows.emplace_back("output file", harmless(std::string(file.name) + " to " + std::string(home_path(file.to))));
  const Constraints& constraints = job.need.constraints;
  if (constraints.memory_bytes > 0) rows.emplace_back("memory of each node", bytes_text(constraints.memory_bytes));
  for (const auto& [name, value] : constraints.attributes)
    rows.emplace_back("attribute", harmless(name + "=" + value));
  if (!program.working_directory.empty()) rows.emplace_back("works in", harmless(program.working_directory));
  for (const std::string& variable : program.environment) rows.emplace_back("variable", harmless(variable));
  add_limits(program.limits, rows);
  if (!job.keep_output) rows.emplace_back("output", "discarded");
  if (!job.output_path.empty()) rows.emplace_back("output", harmless(job.output_path));
  if (!job.error_path.empty()) rows.emplace_back("errors", harmless(job.error_path));
  if (job.append) rows.emplace_back("append", "yes");
  if (program.warns_program_only) rows.emplace_back("SIGTERM goes to", "the program alone");
  if (job.goes_on) rows.emplace_back("a component is taken", "it goes on without");
  if (job.priority != unsaid.priority) rows.emplace_back("priority", std::to_string(job.priority));
  if (job.communication > 0)
    rows.emplace_back("each processor sends", decimal(job.communication / 1000.0, 1) + " Mbit/s");
  if (job.dttl != unsaid.dttl) rows.emplace_back("dttl", std::to_string(job.dttl));
  if (job.reruns_max != unsaid.reruns_max) rows.emplace_back("reruns", std::to_string(job.reruns_max));
  if (!job.array.empty())
    rows.emplace_back("array", to_text(job.array) + ", " + count_text(job.array.size(), "element"));
  if (job.hold) rows.emplace_back("held", "until `dmm release`");
  if (job.begin_seconds > 0) rows.emplace_back("begins in", length_text(job.begin_seconds));
  for (const Dependency& one : job.dependencies)
    rows.emplace_back("depends on", std::string(to_text(one.kind)) + " job " + name_of(one));
  return rows;
}

Json size_as_json(const ResourceNeed& need) {
  if (need.kind == RequestKind::flexible)
    return {{"total", need.components.at(0).processors},
            {"component_processors_min", need.component_processors_min},
            {"components_max", need.components_max},
            {"splits", need.splits}};
  Json components = Json::array();
  for (const Component& component : need.components) {
    Json one{{"processors", component.processors}};
    if (!component.site.empty()) one["site"] = component.site.text.view();
    if (!component.cluster.empty()) one["cluster"] = component.cluster.text.view();
    components.push_back(std::move(one));
  }
  return components;
}

Json dependencies_as_json(const JobDescription& job) {
  Json list = Json::array();
  for (const Dependency& one : job.dependencies)
    list.push_back({{"kind", to_text(one.kind)},
                    {"job", one.job},
                    {"index", one.of_element ? Json(one.index) : Json(nullptr)}});
  return list;
}

Json inputs_as_json(const InputFiles& files) {
  Json list = Json::array();
  for (const InputFile& file : files)
    list.push_back({{"name", file.name.view()},
                    {"replicas", replicas_json(file.replicas)},
                    {"bytes", file.bytes},
                    {"sha256", file.sha256.view()}});
  return list;
}

Json outputs_as_json(const OutputFiles& files) {
  Json list = Json::array();
  for (const OutputFile& file : files) list.push_back({{"name", file.name.view()}, {"path", home_path(file.to)}});
  return list;
}

Json job_as_json(const JobDescription& job) {
  const Program& program = job.program;
  const Limits& limits = program.limits;
  Json environment = Json::object(), attributes = Json::object();
  for (const std::string& variable : program.environment)
    environment[variable.substr(0, variable.find('='))] = variable.substr(variable.find('=') + 1);
  for (const auto& [name, value] : job.need.constraints->attributes)
    attributes[std::string(name)] = std::string(value);
  return {{"name", job.name.view()},
          {"command", program.arguments},
          {"runner", to_text(program.runner)},
          {"script_bytes", program.script.size()},
          {"input_bytes", program.input.size()},
          {"stage_in", inputs_as_json(program.inputs)},
          {"stage_out", outputs_as_json(program.outputs)},
          {job.need.kind == RequestKind::flexible ? "flexible" : "components", size_as_json(job.need)},
          {"memory_bytes", job.need.constraints->memory_bytes},
          {"attributes", attributes},
          {"working_directory", program.working_directory.view()},
          {"environment", environment},
          {"limits",
           {{"wall_seconds", limits.wall_seconds},
            {"cpu_seconds", limits.cpu_seconds},
            {"memory_bytes", limits.memory_bytes},
            {"open_files", limits.open_files},
            {"file_bytes", limits.file_bytes}}},
          {"dttl", job.dttl},
          {"priority", job.priority},
          {"reruns_max", job.reruns_max},
          {"communication", job.communication / 1000.0},
          {"output_file", job.output_path.view()},
          {"error_file", job.error_path.view()},
          {"append", job.append},
          {"go_on", job.goes_on},
          {"warn_program_only", program.warns_program_only},
          {"keep_output", job.keep_output},
          {"array", to_text(job.array)},
          {"hold", job.hold},
          {"begin_seconds", job.begin_seconds},
          {"dependencies", dependencies_as_json(job)}};
}

}  // namespace

std::string jobs_as_text(const std::vector<JobDescription>& jobs, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Rows rows = rows_of(jobs[i]);
    std::size_t width = 0;
    for (const auto& [title, value] : rows) width = std::max(width, columns_of(title));
    text += style.paint(Ink::bold, "job " + std::to_string(i + 1)) + "  " + harmless(jobs[i].name.view()) + "\n";
    for (const auto& [title, value] : rows) text += "  " + pad_right(title, width) + "  " + value + "\n";
  }
  return text + count_text(jobs.size(), "job") + " would be submitted; nothing was\n";
}

Json jobs_as_json(const std::vector<JobDescription>& jobs) {
  Json list = Json::array();
  for (const JobDescription& job : jobs) list.push_back(job_as_json(job));
  return {{"jobs", list}};
}

}  // namespace dmm
