#include "cli/jobs/job_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/jobs/carried_files.hpp"
#include "cli/jobs/catalogue.hpp"
#include "cli/jobs/home_files.hpp"
#include "cli/jobs/job_conditions.hpp"
#include "protocol/hints.hpp"
#include "protocol/home_paths.hpp"
#include "protocol/programs.hpp"
#include "runtime/clock.hpp"
#include "topologies/json_reader.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t processors_max = 10'000'000;
/// The keys for the size of a job; each job has one of them.
constexpr std::array<const char*, 3> size_keys{"processors", "components", "flexible"};

void read_component(JsonReader& reader, Component& component) {
  reader.require({"processors"});
  reader.integer("processors", component.processors, 1, processors_max);
  reader.name("site", component.site);
  reader.name("cluster", component.cluster);
}

/// Sizes alone, or objects that also say where: [8, 8] or [{"processors": 8, "site": "das-0"}].
void read_components(JsonReader& reader, ResourceNeed& need) {
  const SortedJson* list = reader.find_array("components");
  if (list == nullptr) return;
  if (!list->empty() && (*list)[0].is_object()) {
    reader.objects("components", need.components, read_component);
  } else {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const SortedJson& size = (*list)[i];
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() == 0 ||
          size.get<std::uint64_t>() > processors_max)
        return reader.refuse("components[" + std::to_string(i) + "]", "expected a number of processors from 1");
      need.components.push_back({size.get<std::uint32_t>(), {}, {}});
    }
  }
  if (need.components.empty()) reader.refuse("components", "expected at least one component");
  for (const Component& component : need.components)
    if (!component.site.empty() || !component.cluster.empty()) need.kind = RequestKind::fixed;
}

void read_splits(JsonReader& reader, ResourceNeed& need) {
  const SortedJson* list = reader.find_array("splits");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto& split = need.splits.emplace_back();
    const SortedJson& sizes = (*list)[i];
    const auto refuse = [&] {
      reader.refuse("splits[" + std::to_string(i) + "]", "expected sizes of components, as in [12, 12]");
    };
    if (!sizes.is_array() || sizes.empty()) return refuse();
    for (const SortedJson& size : sizes) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > processors_max) return refuse();
      split.push_back(size.get<std::uint32_t>());
    }
  }
}

void read_flexible(JsonReader& reader, ResourceNeed& need) {
  need.kind = RequestKind::flexible;
  reader.require({"total"});
  reader.integer("total", need.components.emplace_back().processors, 1, processors_max);
  reader.integer("component_processors_min", need.component_processors_min, 1, processors_max);
  reader.integer("components_max", need.components_max, 0);
  read_splits(reader, need);
}

void read_need(JsonReader& reader, ResourceNeed& need) {
  int ways = 0;
  for (const char* key : size_keys) ways += reader.has(key) ? 1 : 0;
  if (ways > 1)
    return reader.refuse("", "expected one of \"processors\", \"components\" and \"flexible\", not several");
  std::uint32_t processors = 1;
  reader.integer("processors", processors, 1, processors_max);
  read_components(reader, need);
  reader.object("flexible", [&](JsonReader& inner) { read_flexible(inner, need); });
  if (need.components.empty()) need.components.push_back({processors, {}, {}});
  reader.integer("memory_bytes", need.constraints.edit().memory_bytes, 0);
  reader.text_map("attributes", need.constraints.edit().attributes);
  need.constraints.tidy();
}

/// Environment variables: an object of texts.
void read_environment(JsonReader& reader, std::vector<std::string>& environment) {
  std::map<std::string, std::string> values;
  reader.text_map("environment", values);
  for (const auto& [name, value] : values) {
    if (name.empty() || name.find('=') != std::string::npos)
      reader.refuse("environment", "\"" + name + "\" is not the name of a variable");
    environment.push_back(name + "=" + value);
  }
}

void read_command(JsonReader& reader, std::vector<std::string>& arguments) {
  // Not texts(), which refuses duplicates: an argument may occur twice.
  const SortedJson* list = reader.find_array("command");
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_string()) return reader.refuse("command[" + std::to_string(i) + "]", "expected a text");
    arguments.push_back((*list)[i].get<std::string>());
  }
  if (arguments.empty())
    reader.refuse("command", "expected a program and its arguments, as in [\"sleep\", \"5\"]");
}

void read_limits(JsonReader& reader, Limits& limits) {
  reader.integer("cpu_seconds", limits.cpu_seconds, 0);
  reader.integer("memory_bytes", limits.memory_bytes, 0);
  reader.integer("open_files", limits.open_files, 0);
  reader.integer("file_bytes", limits.file_bytes, 0);
  reader.integer("wall_seconds", limits.wall_seconds, 0);
}

/// The job manager writes returned files, and its working directory isn't the user's; so paths become absolute here.
void make_absolute(ShortText& path) {
  if (!path.empty()) path = std::filesystem::absolute(path.view()).lexically_normal().string();
}

/// Reads when the job becomes eligible, in the texts of the options of `dmm submit`.
void read_conditions_of(JsonReader& reader, JobDescription& job, std::vector<JobName>& named) {
  ConditionTexts texts;
  reader.boolean("hold", texts.hold);
  const auto read_text = [&](const char* key, std::optional<std::string>& said) {
    std::string text;
    reader.text(key, text);
    if (reader.has(key)) said = std::move(text);
  };
  read_text("begin", texts.begin);
  read_text("dependency", texts.dependency);
  if (const auto fault = read_conditions(texts, wall_microseconds() / 1'000'000, job, named))
    reader.refuse(fault->field, fault->text);
}

void read_array(JsonReader& reader, ArrayIndices& array) {
  std::string text;
  reader.text("array", text);
  if (!reader.has("array")) return;
  auto read = parse_array(text);
  if (const auto* fault = std::get_if<std::string>(&read)) return reader.refuse("array", *fault);
  array = std::move(std::get<ArrayIndices>(read));
}

void read_runner(JsonReader& reader, JobDescription& job) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < runners; ++i) words.emplace_back(to_text(static_cast<Runner>(i)));
  std::string word = words.front();
  reader.choice("runner", word, words);
  set_runner(job, static_cast<Runner>(std::ranges::find(words, word) - words.begin()));
}

/// Reads a file on this host: its bytes travel with the job.
void read_input_file(JsonReader& reader, ShortText& input) {
  std::string path;
  reader.text("input_file", path);
  if (path == "-") return reader.refuse("input_file", "expected the path of a file, found \"-\"");
  if (path.empty()) return;
  const auto read = read_input(path);
  if (const auto* fault = std::get_if<CarriedFault>(&read)) return reader.refuse("input_file", fault->text);
  input = std::get<std::string>(read);
}

/// A list of texts, one for each file.
struct FileList {
  const char* field;
  const char* example;
};

/// False if a text names no file; the fault is noted then.
template <class File>
bool read_texts(JsonReader& reader, const SortedJson& list, const FileList& what,
                OrFault<File, WhyNot> (*parse)(std::string_view), RareList<File>& files) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = std::string(what.field) + '[' + std::to_string(i) + ']';
    if (!list[i].is_string())
      return reader.refuse(field, std::string("expected a text, as in \"") + what.example + '"'), false;
    auto file = parse(list[i].template get<std::string>());
    if (const auto* fault = std::get_if<1>(&file)) return reader.refuse(field, *fault), false;
    files.push_back(std::get<0>(std::move(file)));
  }
  return true;
}

/// Texts as in the option, or objects: ["data.csv=http://..."] or [{"name": "data.csv", "url": "http://..."}].
void read_inputs(JsonReader& reader, JobDescription& job, CatalogueLookup& catalogue) {
  const SortedJson* list = reader.find_array("stage_in");
  if (list == nullptr) return;
  InputFiles files;
  if (!list->empty() && (*list)[0].is_object()) {
    std::vector<InputFile> read;
    reader.objects("stage_in", read, [](JsonReader& inner, InputFile& file) {
      inner.require({"name"});
      inner.text("name", file.name);
      std::string url, path;
      inner.text("url", url);
      inner.text("path", path);
      if (url.empty() == path.empty()) inner.refuse("url", "expected \"url\", or \"path\" for a file here");
      file.replicas.push_back({url.empty() ? at_home(path) : url});
      inner.integer("bytes", file.bytes, 0);
      inner.text("sha256", file.sha256);
    });
    for (InputFile& file : read) files.push_back(std::move(file));
  } else {
    if (!read_texts(reader, *list, {"stage_in", "data.csv=http://..."}, parse_input_file, files)) return;
  }
  if (WhyNot fault = find_at_home(files); !fault.empty()) return reader.refuse("stage_in", fault);
  auto known = catalogue.look_up(std::move(files));
  if (const auto* fault = std::get_if<1>(&known)) return reader.refuse("stage_in", *fault);
  set_inputs(job, std::get<0>(std::move(known)));
}

/// Texts as in the option, or objects: ["result.dat"] or [{"name": "result.dat", "path": "results/%j.dat"}].
void read_outputs(JsonReader& reader, JobDescription& job) {
  const SortedJson* list = reader.find_array("stage_out");
  if (list == nullptr) return;
  OutputFiles files;
  if (!list->empty() && (*list)[0].is_object()) {
    std::vector<OutputFile> read;
    reader.objects("stage_out", read, [](JsonReader& inner, OutputFile& file) {
      inner.require({"name"});
      std::string path;
      inner.text("name", file.name);
      inner.text("path", path);
      file.to = at_home(path.empty() ? file.name.view() : path);
    });
    for (OutputFile& file : read) files.push_back(std::move(file));
  } else {
    if (!read_texts(reader, *list, {"stage_out", "result.dat"}, parse_output_file, files)) return;
  }
  place_at_home(files);
  set_outputs(job, std::move(files));
}

/// State that the jobs of one file share while they are read.
struct FileContext {
  std::vector<JobName> named = {};  ///< jobs that they depend on
  CatalogueLookup catalogue = {};
};

void read_keys(JsonReader& reader, JobDescription& job, FileContext& context) {
  reader.text("name", job.name);
  read_command(reader, job.program.arguments);
  read_need(reader, job.need);
  read_runner(reader, job);
  read_inputs(reader, job, context.catalogue);
  read_outputs(reader, job);
  reader.text("working_directory", job.program.working_directory);
  read_environment(reader, job.program.environment.edit());
  reader.object("limits", [&](JsonReader& inner) { read_limits(inner, job.program.limits.edit()); });
  reader.integer("dttl", job.dttl, 0, dttl_max);
  if (const SortedJson* priority = reader.find("priority")) {
    if (priority->is_number_integer() && priority->get<std::int64_t>() >= INT32_MIN &&
        priority->get<std::int64_t>() <= INT32_MAX)
      job.priority = priority->get<std::int32_t>();
    else
      reader.refuse("priority", "expected a whole number");
  }
  reader.integer("reruns_max", job.reruns_max, 0, 1000);
  double megabits = 0;
  reader.number("communication", megabits, 0, communication_max);
  job.communication = kilobits(megabits);
  read_input_file(reader, job.program.input);
  reader.text("output_file", job.output_path);
  reader.text("error_file", job.error_path);
  reader.boolean("keep_output", job.keep_output);
  reader.boolean("append", job.append);
  reader.boolean("go_on", job.goes_on);
  reader.boolean("warn_program_only", job.program.warns_program_only);
  read_array(reader, job.array);
  read_conditions_of(reader, job, context.named);
  make_absolute(job.output_path);
  make_absolute(job.error_path);
}

constexpr const char* jobs_key = "jobs";

/// One of several jobs: keys that it lacks are taken from the object above. Objects are merged key by key.
SortedJson with_defaults(const SortedJson& whole, const SortedJson& job) {
  SortedJson merged = whole;
  merged.erase(jobs_key);
  const auto has = [&](const char* key) { return job.contains(key); };
  if (std::ranges::any_of(size_keys, has))
    for (const char* key : size_keys) merged.erase(key);  // it has a size of its own
  for (const auto& [key, value] : job.items()) {
    if (value.is_object() && key != "flexible" && merged.contains(key) && merged[key].is_object())
      merged[key].update(value);
    else
      merged[key] = value;
  }
  return merged;
}

void read_one(const SortedJson& value, const std::string& path, FirstFault& fault,
              std::vector<JobDescription>& jobs, FileContext& context) {
  JsonReader reader(value, path, fault);
  reader.require({"command"});
  JobDescription& job = jobs.emplace_back();
  read_keys(reader, job, context);
  reader.finish();
  if (job.name.empty() && !job.program.arguments.empty())
    job.name = std::filesystem::path(job.program.arguments[0]).filename().string();
  if (const std::string rule = fault_of(job); !fault.any() && !rule.empty()) fault.set(path, rule);
}

void read_several(const SortedJson& whole, FirstFault& fault, std::vector<JobDescription>& jobs,
                  FileContext& context) {
  JsonReader reader(whole, "", fault);
  const SortedJson* list = reader.find_array(jobs_key);
  JobDescription defaults;
  FileContext of_defaults;  // the names are collected again for each job that inherits the defaults
  read_keys(reader, defaults, of_defaults);
  reader.finish();
  if (list != nullptr && list->empty()) reader.refuse(jobs_key, "expected at least one job");
  for (std::size_t i = 0; list != nullptr && i < list->size() && !fault.any(); ++i) {
    const SortedJson& job = (*list)[i];
    if (job.is_object())
      read_one(with_defaults(whole, job), reader.at(jobs_key, i), fault, jobs, context);
    else
      fault.set(reader.at(jobs_key, i), "expected an object");
  }
}

OrFault<std::vector<JobDescription>, JobFault> from_json(const OrFault<SortedJson, ConfigError>& read,
                                                         const std::string& file, std::vector<JobName>* names) {
  if (const auto* error = std::get_if<ConfigError>(&read)) return JobFault{error->text};
  const auto& whole = std::get<SortedJson>(read);
  FirstFault fault;
  std::vector<JobDescription> jobs;
  FileContext context;
  if (whole.is_object() && whole.contains(jobs_key))
    read_several(whole, fault, jobs, context);
  else
    read_one(whole, "", fault, jobs, context);
  if (fault.any()) return JobFault{file + ": " + fault.text()};
  if (names != nullptr) names->insert(names->end(), context.named.begin(), context.named.end());
  return jobs;
}

}  // namespace

OrFault<std::vector<JobDescription>, JobFault> read_job_file(const std::string& path,
                                                             std::vector<JobName>* named) {
  return from_json(read_json_file(path), path, named);
}

OrFault<std::vector<JobDescription>, JobFault> parse_job_file(const std::string& text, const std::string& file,
                                                              std::vector<JobName>* named) {
  return from_json(parse_json(text, file), file, named);
}

std::set<std::string> keys_of_job_files() {
  const SortedJson none = SortedJson::object();
  FirstFault fault;
  JsonReader reader(none, "", fault);
  reader.find_array(jobs_key);
  JobDescription job;
  FileContext context;
  read_keys(reader, job, context);
  return reader.known();
}

}  // namespace dmm
