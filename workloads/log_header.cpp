// "; Key: value", with any blanks, and a remark after the value.
#include "workloads/log_header.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "workloads/log_line.hpp"

namespace dmm {
namespace {

constexpr std::size_t partitions_max = 100'000;

/// The whole number at the start of the word, at least `least`.
std::optional<std::int64_t> leading_number(std::string_view word, std::int64_t least) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || value < least || value > log_seconds_max) return std::nullopt;
  const auto read = static_cast<std::size_t>(end - word.data());
  // "100(50 of them old)" and "100," are 100; "1st" and "1e6" aren't 1.
  if (read < word.size() && std::string_view(",;()/.#").find(word[read]) == std::string_view::npos)
    return std::nullopt;
  return value;
}

void set_first(std::optional<std::int64_t>& field, std::string_view rest, std::int64_t least) {
  if (!field) field = leading_number(take_word(rest), least);
}

void read_partition(std::string_view rest, LogHeader& header) {
  const std::optional<std::int64_t> number = leading_number(take_word(rest), 0);
  const std::string_view name = take_word(rest);
  if (!number || *number > INT32_MAX || name.empty() || header.partitions.size() >= partitions_max) return;
  header.partitions.try_emplace(static_cast<std::int32_t>(*number), name);
}

}  // namespace

void read_header_line(std::string_view line, LogHeader& header) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || (line[start] != ';' && line[start] != '#')) return;
  std::string_view rest = line.substr(start);
  rest.remove_prefix(std::min(rest.find_first_not_of(";# \t"), rest.size()));
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view before = rest.substr(0, colon);
  const std::string_view key = before.substr(0, before.find_last_not_of(" \t") + 1);
  rest.remove_prefix(colon + 1);
  if (key == "UnixStartTime")
    set_first(header.unix_start_seconds, rest, 0);
  else if (key == "MaxProcs")
    set_first(header.processors, rest, 1);
  else if (key == "MaxNodes")
    set_first(header.nodes, rest, 1);
  else if (key == "MaxJobs")
    set_first(header.jobs, rest, 1);
  else if (key == "TimeZoneString" && header.time_zone.empty())
    header.time_zone = take_word(rest);
  else if (key == "Partition")
    read_partition(rest, header);
}

}  // namespace dmm
