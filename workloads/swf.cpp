// Parses one line of the Standard Workload Format: all columns must be numbers before the line is checked.
#include "workloads/swf.hpp"

#include <array>
#include <optional>

namespace dmm {
namespace {

constexpr std::size_t columns_expected = 18;

// Names for messages; index 0 is column 1.
constexpr std::array<std::string_view, columns_expected> swf_column_names{
    "job number",  "submit time",          "wait time",      "run time",         "processors",    "mean CPU time",
    "used memory", "requested processors", "requested time", "requested memory", "status",        "user",
    "group",       "executable",           "queue",          "partition",        "preceding job", "think time"};

}  // namespace

LogLine parse_swf_line(std::string_view line) {
  std::array<std::string_view, columns_expected> words{};
  std::array<double, columns_expected> value{};  // index 0 is column 1
  const std::size_t columns = split_words(line, ';', words);
  if (columns == 0) return {};  // blank or a comment
  // Check words before counting them: a word that isn't a number is the better message.
  for (std::size_t i = 0; i < columns; ++i) {
    const std::optional<double> number = number_in(words[i]);
    if (!number) return bad_column(i + 1, swf_column_names[i], words[i], "a number");
    value[i] = *number;
  }
  if (columns < columns_expected) {
    return bad_line(std::to_string(columns) + " columns; expected " + std::to_string(columns_expected));
  }
  TraceJob job;
  job.user = in_32_bits(value[11]);
  job.queue = in_32_bits(value[14]);
  job.partition = in_32_bits(value[15]);
  return check_line(value, job, words, swf_column_names);
}

}  // namespace dmm
