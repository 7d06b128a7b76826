// See launch_arguments.hpp.
#include "resmgr/backends/launch_arguments.hpp"

#include <span>

#include "protocol/numbers.hpp"

namespace dmm {

namespace {

/// Words from the first to the last, taken one by one.
using Words = std::span<const std::string>;

void add_words(const InputFile& file, std::vector<std::string>& words) {
  words.insert(words.end(),
               {file.name, std::to_string(file.bytes), file.sha256, std::to_string(file.replicas.size())});
  for (const Replica& replica : file.replicas) words.push_back(replica.url);
}

/// Reads a file from the first words, and takes them away; false if they make no sense.
bool take_file(Words& words, InputFile& file) {
  std::size_t count = 0;
  if (words.size() < 4 || !parse_number(std::string_view(words[1]), file.bytes)) return false;
  if (!parse_number(std::string_view(words[3]), count) || count > words.size() - 4) return false;
  file.name = words[0];
  file.sha256 = words[2];
  for (const std::string& url : words.subspan(4, count)) file.replicas.push_back({url});
  words = words.subspan(4 + count);
  return true;
}

}  // namespace

std::vector<std::string> launch_words(const LaunchArguments& arguments) {
  std::vector<std::string> words{"run", std::to_string(static_cast<unsigned>(arguments.runner)), arguments.address,
                                 std::to_string(arguments.inputs.size())};
  for (const InputFile& file : arguments.inputs) add_words(file, words);
  words.insert(words.end(), arguments.program.begin(), arguments.program.end());
  return words;
}

std::optional<LaunchArguments> parse_launch_arguments(const std::vector<std::string>& words) {
  unsigned runner = 0;
  std::size_t files = 0;
  if (words.size() < 4 || !parse_number(std::string_view(words[0]), runner) || runner >= runners)
    return std::nullopt;
  if (!parse_number(std::string_view(words[2]), files) || files > input_files_max) return std::nullopt;
  LaunchArguments arguments{static_cast<Runner>(runner), words[1], {}, {}};
  Words rest = Words(words).subspan(3);
  for (; files > 0; --files)
    if (!take_file(rest, arguments.inputs.emplace_back())) return std::nullopt;
  if (rest.empty()) return std::nullopt;
  arguments.program.assign(rest.begin(), rest.end());
  return arguments;
}

}  // namespace dmm
