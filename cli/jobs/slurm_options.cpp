#include "cli/jobs/slurm_options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "cli/terminal/figures.hpp"
#include "protocol/numbers.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t slurm_count_max = 10'000'000;
constexpr std::uint64_t time_limit_max = 1000ULL * 366 * 24 * 3600;

/// How an option of sbatch is read.
enum class SlurmKind : std::uint8_t {
  count,  ///< of tasks or nodes: kept, and combined at the end
  same,   ///< the value is taken as it is
  flag,   ///< without a value
  time,
  memory,
  file,
  variables,
};

struct SlurmOption {
  std::string_view name;    ///< "--ntasks"
  std::string_view letter;  ///< "-n"; empty: there is none
  SlurmKind kind;
  std::string_view ours;  ///< the option of `dmm submit`
};

constexpr std::array<SlurmOption, 17> known_options{{
    {"--ntasks", "-n", SlurmKind::count, "--processors"},
    {"--nodes", "-N", SlurmKind::count, "--processors"},
    {"--ntasks-per-node", "", SlurmKind::count, "--processors"},
    {"--cpus-per-task", "-c", SlurmKind::count, "--processors"},
    {"--time", "-t", SlurmKind::time, "--limit-wall"},
    {"--output", "-o", SlurmKind::file, "--output-file"},
    {"--error", "-e", SlurmKind::file, "--error-file"},
    {"--array", "-a", SlurmKind::same, "--array"},
    {"--dependency", "-d", SlurmKind::same, "--dependency"},
    {"--begin", "-b", SlurmKind::same, "--begin"},
    {"--hold", "-H", SlurmKind::flag, "--hold"},
    {"--wait", "-W", SlurmKind::flag, "--wait"},
    {"--chdir", "-D", SlurmKind::same, "--directory"},
    {"--job-name", "-J", SlurmKind::same, "--name"},
    {"--priority", "", SlurmKind::same, "--priority"},
    {"--export", "", SlurmKind::variables, "--environment"},
    {"--mem", "", SlurmKind::memory, "--memory-mb"},
}};

const SlurmOption* find_option(const std::string& name) {
  const auto found = std::ranges::find_if(
      known_options, [&](const SlurmOption& option) { return option.name == name || option.letter == name; });
  return found == known_options.end() ? nullptr : &*found;
}

bool read_whole_number(std::string_view text, std::uint64_t& number, std::uint64_t most) {
  return parse_number(text, number) && number <= most;
}

/// Collects the options of all lines.
class Translator {
 public:
  void take(const Directive& option);
  /// Combines the counts. Takes nothing afterwards.
  SlurmTranslation finish();

 private:
  void warn(std::size_t line, std::string text) { result_.warnings.push_back({line, std::move(text)}); }
  void refuse(const Directive& option, const std::string& expected) {
    if (result_.fault.text.empty())
      result_.fault = {option.line, "#SBATCH " + option.option + ": expected " + expected +
                                        (option.has_value ? ", got '" + harmless(option.value) + "'" : "")};
  }
  void add(std::string_view ours, std::string value, std::size_t line) {
    result_.directives.push_back({std::string(ours), std::move(value), true, line, false});
  }
  void take_unknown(const Directive& option);
  void take_count(const Directive& option, const SlurmOption& known);
  void take_time(const Directive& option, const SlurmOption& known);
  void take_memory(const Directive& option, const SlurmOption& known);
  void take_file(const Directive& option, const SlurmOption& known);
  void take_variables(const Directive& option, const SlurmOption& known);
  void finish_processors();
  void finish_files();

  struct Count {
    std::uint64_t number = 0;
    std::size_t line = 0;
  };
  std::map<std::string, Count> counts_;     // by the long name
  std::map<std::string, Directive> files_;  // by our option; the last one given
  std::vector<std::string> told_;           // options that a warning has named
  SlurmTranslation result_;
};

void Translator::take(const Directive& option) {
  const SlurmOption* known = find_option(option.option);
  if (known == nullptr) return take_unknown(option);
  if (known->kind == SlurmKind::flag) {
    if (option.has_value) return refuse(option, "no value");
    result_.directives.push_back({std::string(known->ours), {}, false, option.line, false});
    return;
  }
  if (!option.has_value || option.value.empty()) return refuse(option, "a value");
  switch (known->kind) {
    case SlurmKind::count: return take_count(option, *known);
    case SlurmKind::time: return take_time(option, *known);
    case SlurmKind::memory: return take_memory(option, *known);
    case SlurmKind::file: return take_file(option, *known);
    case SlurmKind::variables: return take_variables(option, *known);
    default: return add(known->ours, option.value, option.line);
  }
}

void Translator::take_unknown(const Directive& option) {
  if (std::ranges::find(told_, option.option) != told_.end()) return;
  told_.push_back(option.option);
  warn(option.line, "#SBATCH " + harmless(option.option) + " is unknown to DMM and left out");
}

void Translator::take_count(const Directive& option, const SlurmOption& known) {
  std::string value = option.value;
  const std::size_t dash = known.name == "--nodes" ? value.find('-') : std::string::npos;
  std::uint64_t least = 0, most = 0;
  const bool is_range = dash != std::string::npos;
  if (!read_whole_number(std::string_view(value).substr(0, dash), least, slurm_count_max) || least == 0 ||
      (is_range && (!read_whole_number(value.substr(dash + 1), most, slurm_count_max) || most < least)))
    return refuse(option, known.name == "--nodes" ? "a number of nodes from 1, or a range, as in 2-4"
                                                  : "a whole number from 1");
  if (is_range)
    warn(option.line, "#SBATCH " + option.option + ": DMM takes the least of a range, " + std::to_string(least));
  counts_[std::string(known.name)] = {least, option.line};
}

void Translator::take_time(const Directive& option, const SlurmOption& known) {
  std::uint64_t length = 0;
  if (!read_slurm_time(option.value, length))
    return refuse(option, "a length of time, as in 30, 30:00, 1:30:00, 2-12, 2-12:30 or 2-12:30:00");
  add(known.ours, std::to_string(length), option.line);
}

void Translator::take_memory(const Directive& option, const SlurmOption& known) {
  std::uint64_t mebibytes = 0;
  if (!read_slurm_memory(option.value, mebibytes))
    return refuse(option, "memory of a node in MiB, or with K, M, G or T behind it, as in 4G");
  if (mebibytes == 0)
    return warn(option.line, "#SBATCH --mem=0: jobs have all memory of their nodes unless a site says otherwise");
  add(known.ours, std::to_string(mebibytes), option.line);
}

/// A file name with what DMM replaces after %: %j and %%. Other such marks stay; `unknown` is the first of them.
std::string translated_pattern(const std::string& name, std::string& unknown) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      text += name[i];
      continue;
    }
    const std::size_t end = std::min(name.find_first_not_of("0123456789", i + 1), name.size() - 1);
    const std::string pattern = name.substr(i, end - i + 1);
    i = end;
    const bool is_known = pattern == "%j" || pattern == "%A" || pattern == "%a";
    const bool is_padded = pattern.size() > 2 && std::string_view("jAa").find(pattern.back()) != std::string::npos;
    if (!is_known && pattern != "%%" && unknown.empty()) unknown = pattern;
    if (is_known || is_padded)
      (text += '%') += pattern.back();
    else
      for (const char letter : pattern.substr(0, pattern == "%%" ? 1 : std::string::npos))
        text += letter == '%' ? std::string("%%") : std::string(1, letter);
  }
  return text;
}

void Translator::take_file(const Directive& option, const SlurmOption& known) {
  std::string unknown;
  Directive file{std::string(known.ours), translated_pattern(option.value, unknown), true, option.line, false};
  if (!unknown.empty())
    warn(option.line, "#SBATCH " + option.option + ": DMM doesn't replace " + harmless(unknown) +
                          "; it knows %j, %A and %a: the number of the job and of its array, and its index");
  files_.insert_or_assign(file.option, std::move(file));
}

void Translator::take_variables(const Directive& option, const SlurmOption& known) {
  std::string_view rest = option.value;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one.empty() || one == "NONE" || one == "NIL") continue;
    const std::size_t equals = one.find('=');
    if (equals == 0) return refuse(option, "names of variables, as in NAME=value,OTHER=value");
    if (one == "ALL")
      warn(option.line,
           "#SBATCH --export=ALL: a job gets no variable of the shell that submits it; name those it needs "
           "as NAME=value");
    else if (equals == std::string_view::npos)
      warn(option.line,
           "#SBATCH --export: " + harmless(one) + " is left out; expected it with its value, as NAME=value");
    else
      add(known.ours, std::string(one), option.line);
  }
}

void Translator::finish_processors() {
  const auto count_of = [&](const char* name) -> std::optional<Count> {
    const auto found = counts_.find(name);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  };
  const auto tasks = count_of("--ntasks"), nodes = count_of("--nodes"), on_each = count_of("--ntasks-per-node"),
             width = count_of("--cpus-per-task");
  if (counts_.empty()) return;
  if (nodes)
    warn(nodes->line, "#SBATCH --nodes: DMM chooses the nodes, and asks for a number of processors");
  else if (on_each)
    warn(on_each->line, "#SBATCH --ntasks-per-node is left out: DMM chooses how many processors a node gives");
  const auto times = [](std::uint64_t one, std::uint64_t other) {
    return std::min(one * other, slurm_count_max + 1);
  };
  std::uint64_t number = nodes ? times(nodes->number, on_each ? on_each->number : 1) : 1;
  if (tasks) number = tasks->number;
  if (width) number = times(number, width->number);
  std::size_t line = 0;
  for (const auto& [name, count] : counts_) line = std::max(line, count.line);
  add("--processors", std::to_string(number), line);
}

/// Slurm writes both streams into one file unless each has its own file.
void Translator::finish_files() {
  const auto output = files_.find("--output-file");
  if (output != files_.end() && !files_.contains("--error-file")) {
    Directive error = output->second;
    error.option = "--error-file";
    error.is_implied = true;
    files_.emplace(error.option, std::move(error));
  }
  for (const auto& [option, file] : files_) result_.directives.push_back(file);
}

SlurmTranslation Translator::finish() {
  finish_processors();
  finish_files();
  std::ranges::stable_sort(result_.warnings, {}, &SlurmRemark::line);
  return std::move(result_);
}

}  // namespace

SlurmTranslation from_slurm(const std::vector<Directive>& options) {
  Translator translator;
  for (const Directive& option : options) translator.take(option);
  return translator.finish();
}

bool read_slurm_time(const std::string& text, std::uint64_t& seconds) {
  if (text == "INFINITE" || text == "UNLIMITED" || text == "infinite" || text == "unlimited")
    return seconds = 0, true;
  const std::size_t dash = text.find('-');
  std::uint64_t days = 0;
  if (dash != std::string::npos &&
      !read_whole_number(std::string_view(text).substr(0, dash), days, time_limit_max))
    return false;
  std::string_view rest = std::string_view(text).substr(dash == std::string::npos ? 0 : dash + 1);
  std::array<std::uint64_t, 3> parts{};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const std::size_t colon = rest.find(':');
    more = colon != std::string_view::npos;
    if (count == parts.size() || !read_whole_number(rest.substr(0, colon), parts[count], time_limit_max))
      return false;
    if (more) rest.remove_prefix(colon + 1);
  }
  const auto [first, second, third] = parts;
  if (dash != std::string::npos)
    seconds = days * 86'400 + first * 3'600 + second * 60 + third;
  else if (count == 3)
    seconds = first * 3'600 + second * 60 + third;
  else
    seconds = first * 60 + second;
  return days <= time_limit_max / 86'400 && first <= time_limit_max / 3'600 && second <= time_limit_max / 60 &&
         seconds <= time_limit_max;
}

bool read_slurm_memory(const std::string& text, std::uint64_t& mebibytes) {
  constexpr std::string_view units = "KMGT";
  if (text.empty()) return false;
  const char last =
      text.back() >= 'a' && text.back() <= 'z' ? static_cast<char>(text.back() - 'a' + 'A') : text.back();
  const std::size_t unit = units.find(last);
  const bool has_unit = unit != std::string_view::npos;
  std::uint64_t number = 0;
  constexpr std::uint64_t most = 1ULL << 30;
  if (!read_whole_number(std::string_view(text).substr(0, text.size() - has_unit), number, most)) return false;
  if (has_unit && last == 'K')
    mebibytes = (number + 1023) / 1024;
  else
    mebibytes = number << (has_unit ? (unit - 1) * 10 : 0);
  return true;
}

}  // namespace dmm
