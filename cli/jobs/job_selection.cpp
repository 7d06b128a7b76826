#include "cli/jobs/job_selection.hpp"

#include <fnmatch.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace dmm {
namespace {

/// "2h" as seconds.
std::optional<double> parse_length(std::string_view text) {
  double count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0) return std::nullopt;
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 5> units{{{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86'400}}};
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units)
    if (name == unit.name) return count * unit.seconds;
  return std::nullopt;
}

std::optional<double> parse_date(const std::string& text) {
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                             "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"}) {
    tm date{};
    const char* const end = ::strptime(text.c_str(), format, &date);
    if (end != nullptr && *end == '\0') return static_cast<double>(::timegm(&date));
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& open_job_states() {
  static const std::vector<std::string> states{"waiting", "starting", "running", "ending", "collecting"};
  return states;
}

const std::vector<std::string>& job_states() {
  static const std::vector<std::string> states{"waiting",  "starting", "running",   "ending", "collecting",
                                               "finished", "failed",   "cancelled", "lost"};
  return states;
}

void add_selection_options(CLI::App& command, SelectionOptions& options, const std::vector<std::string>& states,
                           const std::string& all) {
  command.add_flag("--all", options.all, all);
  command.add_option("--state", options.states, "Only jobs in this state; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(states))
      ->type_name("STATE");
  command.add_option("--name", options.name, "Only jobs of this name, in which * and ? stand for anything")
      ->type_name("PATTERN");
  const char* const moment = "2h (also s, min, d) ago, or UTC as in \"2026-11-23 18:30\"";
  command.add_option("--since", options.since, std::string("Only jobs submitted then or later: ") + moment)
      ->type_name("TIME");
  command.add_option("--until", options.until, "Only jobs submitted before that")->type_name("TIME");
}

std::optional<double> parse_moment(const std::string& text, double now) {
  if (const auto length = parse_length(text)) return now - *length;
  return parse_date(text);
}

OrFault<JobSelection, CommandFault> JobSelection::make(const SelectionOptions& options, double now) {
  JobSelection selection;
  selection.name_ = options.name;
  if (!options.all) selection.states_ = options.states.empty() ? open_job_states() : options.states;
  if (options.all && !options.states.empty()) selection.states_ = options.states;
  const auto read = [&](const char* option, const std::string& text, std::optional<double>& moment) {
    if (text.empty()) return std::string();
    moment = parse_moment(text, now);
    if (moment) return std::string();
    return std::string(option) +
           ": expected a length of time as in 2h, or a date as in \"2026-11-23 18:30\", got '" + text + "'";
  };
  std::string fault = read("--since", options.since, selection.since_);
  if (fault.empty()) fault = read("--until", options.until, selection.until_);
  if (!fault.empty()) return CommandFault{std::move(fault), 2};
  return selection;
}

bool JobSelection::takes(const ToldJob& job) const {
  if (!states_.empty() && std::find(states_.begin(), states_.end(), job.state) == states_.end()) return false;
  if (!name_.empty() && ::fnmatch(name_.c_str(), job.name.c_str(), 0) != 0) return false;
  return (!since_ || job.submitted >= *since_) && (!until_ || job.submitted < *until_);
}

}  // namespace dmm
