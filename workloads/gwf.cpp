// One line of the Grid Workloads Format.
#include "workloads/gwf.hpp"

#include <algorithm>
#include <array>

namespace dmm {
namespace {

constexpr std::size_t columns_read = 18;
constexpr std::size_t number_columns = 11;  // the rest may be names

constexpr std::array<std::string_view, columns_read> gwf_column_names{
    "JobID",      "SubmitTime",   "WaitTime", "RunTime",     "NProcs",     "AverageCPUTimeUsed",
    "UsedMemory", "ReqNProcs",    "ReqTime",  "ReqMemory",   "Status",     "UserID",
    "GroupID",    "ExecutableID", "QueueID",  "PartitionID", "OrigSiteID", "LastRunSiteID"};

}  // namespace

std::optional<std::int32_t> ColumnNames::number_of(std::string_view word) {
  if (word == "-1") return -1;
  if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
  if (names_.size() >= names_max) return std::nullopt;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.push_back(numbers_.emplace(word, number).first);
  return number;
}

std::string_view ColumnNames::name_of(std::int32_t number) const {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < names_.size() ? std::string_view(names_[index]->first) : std::string_view{};
}

LogLine parse_gwf_line(std::string_view line, GwfNames& names) {
  std::array<std::string_view, columns_read> words{};
  std::array<double, number_columns> value{};  // index 0 is column 1
  const std::size_t columns = split_words(line, '#', words);
  if (columns == 0) return {};  // blank or a comment
  for (std::size_t i = 0; i < std::min(columns, number_columns); ++i) {
    const std::optional<double> number = number_in(words[i]);
    if (!number) return bad_column(i + 1, gwf_column_names[i], words[i], "a number");
    value[i] = *number;
  }
  if (columns < columns_read) return bad_line(std::to_string(columns) + " columns; expected 29");
  struct Named {
    std::size_t column;  // from 1
    ColumnNames& names;
    std::int32_t TraceJob::*field;
  };
  TraceJob job;
  for (const Named& named :
       {Named{12, names.users, &TraceJob::user}, Named{15, names.queues, &TraceJob::queue},
        Named{16, names.partitions, &TraceJob::partition}, Named{17, names.sites, &TraceJob::site}}) {
    const std::string_view word = words[named.column - 1];
    const std::optional<std::int32_t> number = named.names.number_of(word);
    if (!number) {
      return bad_column(named.column, gwf_column_names[named.column - 1], word,
                        "at most " + std::to_string(ColumnNames::names_max) + " different ones in a log");
    }
    job.*named.field = *number;
  }
  return check_line(value, job, words, gwf_column_names);
}

}  // namespace dmm
