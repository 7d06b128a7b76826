#include "cli/jobs/job_conditions.hpp"

#include <time.h>

#include <array>
#include <charconv>
#include <optional>

#include "protocol/programs.hpp"

namespace dmm {
namespace {

constexpr const char* begin_forms = "expected now+1hour, now+90 (seconds), HH:MM[:SS] or YYYY-MM-DD[THH:MM[:SS]]";
constexpr const char* dependency_forms = "expected KIND:JOB[:JOB...][,KIND:JOB...] as in afterok:12:13,after:14";

/// "30minutes" as seconds; a number alone is seconds. Nothing if it isn't a length, or if it is very long.
std::optional<std::int64_t> seconds_of_length(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0 || count > begin_seconds_max) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  struct Unit {
    std::string_view name, short_name;
    std::int64_t seconds;
  };
  static constexpr std::array<Unit, 5> units{{{"second", "s", 1},
                                              {"minute", "min", 60},
                                              {"hour", "h", 3600},
                                              {"day", "d", 86'400},
                                              {"week", "w", 7 * 86'400}}};
  if (unit.empty()) return count;
  for (const Unit& one : units)
    if (unit == one.short_name || unit == one.name ||
        (unit.ends_with('s') && unit.substr(0, unit.size() - 1) == one.name))
      return count * one.seconds;
  return std::nullopt;
}

/// Parses the whole text in this format; fields that the format lacks are those of `base`.
std::optional<tm> parse_as(const std::string& text, const char* format, tm base) {
  const char* const end = ::strptime(text.c_str(), format, &base);
  if (end == nullptr || *end != '\0') return std::nullopt;
  base.tm_isdst = -1;
  return base;
}

/// The next moment at which the clock shows this time of day.
std::optional<std::int64_t> moment_of_clock(const std::string& text, std::int64_t now) {
  const time_t present = now;
  tm today{};
  if (::localtime_r(&present, &today) == nullptr) return std::nullopt;
  today.tm_sec = 0;
  for (const char* format : {"%H:%M", "%H:%M:%S"}) {
    std::optional<tm> read = parse_as(text, format, today);
    if (!read) continue;
    tm first = *read;
    if (const std::int64_t moment = ::mktime(&first); moment > now) return moment;
    ++read->tm_mday;
    return ::mktime(&*read);
  }
  return std::nullopt;
}

std::optional<std::int64_t> moment_of_date(const std::string& text) {
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"}) {
    const std::optional<tm> read = parse_as(text, format, {});
    if (!read) continue;
    tm date = *read;
    const std::int64_t moment = ::mktime(&date);
    if (date.tm_mday != read->tm_mday) return std::nullopt;  // 30 February would be 2 March
    return moment;
  }
  return std::nullopt;
}

std::optional<DependencyKind> dependency_kind_of(std::string_view text) {
  for (std::size_t kind = 0; kind < dependency_kinds; ++kind)
    if (text == to_text(static_cast<DependencyKind>(kind))) return static_cast<DependencyKind>(kind);
  return std::nullopt;
}

/// Takes the text up to the separator from the front, and the separator with it.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Reads "afterok:13:14". Returns why it can't be read, or nothing.
std::string read_clause(std::string_view clause, RareList<Dependency>& dependencies, std::vector<JobName>& named) {
  const std::string whole(clause);
  const std::string_view word = take_part(clause, ':');
  const auto kind = dependency_kind_of(word);
  if (!kind)
    return std::string(dependency_forms) + "; the kinds are after, afterok, afternotok and afterany, got " +
           in_quotes(whole);
  if (clause.empty() || whole.ends_with(':'))
    return std::string(dependency_forms) + "; a job is missing in " + in_quotes(whole);
  while (!clause.empty()) {
    const std::string text(take_part(clause, ':'));
    auto parsed = parse_job(text);
    const JobName* const known = std::get_if<JobName>(&parsed);
    if (!known)
      return "expected a job's number, its name as in das-0/alice/17, or an element of an array as in 17_3, got " +
             in_quotes(text) + " in " + in_quotes(whole);
    const JobName& name = std::get<JobName>(parsed);
    if (!name.site.empty()) named.push_back(name);
    dependencies.push_back({*kind, name.job, name.index.has_value(), name.index.value_or(0)});
  }
  return {};
}

}  // namespace

OrFault<std::uint32_t, std::string> parse_begin(const std::string& text, std::int64_t now) {
  constexpr std::string_view from_now = "now+";
  if (text == "now") return std::uint32_t{0};
  std::optional<std::int64_t> off;
  if (text.starts_with(from_now)) {
    off = seconds_of_length(std::string_view(text).substr(from_now.size()));
  } else {
    std::optional<std::int64_t> moment = moment_of_clock(text, now);
    if (!moment) moment = moment_of_date(text);
    if (moment && *moment < now)
      return in_quotes(text) + " is past; leave the begin time out to have the job begin at once";
    if (moment) off = *moment - now;
  }
  if (!off) return std::string(begin_forms) + ", got " + in_quotes(text);
  if (*off > begin_seconds_max) return in_quotes(text) + " is more than ten years off";
  return static_cast<std::uint32_t>(*off);
}

OrFault<RareList<Dependency>, std::string> parse_dependencies(std::string_view text, std::vector<JobName>& named) {
  RareList<Dependency> dependencies;
  if (text.find('?') != std::string_view::npos)
    return "'?' (one of them is enough) isn't known here: with ',' all must be met, got " + in_quotes(text);
  if (text.empty() || text.ends_with(',')) return std::string(dependency_forms) + ", got " + in_quotes(text);
  while (!text.empty())
    if (std::string fault = read_clause(take_part(text, ','), dependencies, named); !fault.empty()) return fault;
  return dependencies;
}

std::optional<ConditionFault> read_conditions(const ConditionTexts& texts, std::int64_t now, JobDescription& job,
                                              std::vector<JobName>& named) {
  job.hold = texts.hold;
  if (texts.begin) {
    auto begin = parse_begin(*texts.begin, now);
    if (auto* fault = std::get_if<std::string>(&begin)) return ConditionFault{"begin", std::move(*fault)};
    job.begin_seconds = std::get<std::uint32_t>(begin);
  }
  if (!texts.dependency) return std::nullopt;
  auto dependencies = parse_dependencies(*texts.dependency, named);
  if (auto* fault = std::get_if<std::string>(&dependencies))
    return ConditionFault{"dependency", std::move(*fault)};
  job.dependencies = std::get<RareList<Dependency>>(std::move(dependencies));
  return std::nullopt;
}

std::string fault_of_names(const std::vector<JobName>& named, const Party& job_manager) {
  for (const JobName& name : named)
    if (name.site != job_manager.site.text || name.user != job_manager.name)
      return "dependency: " + name.site + "/" + name.user + "/" + std::to_string(name.job) +
             " belongs to another job manager than " + std::string(job_manager.site.text) + "/" +
             job_manager.name + "; a job can depend on jobs of its own job manager alone";
  return {};
}

}  // namespace dmm
