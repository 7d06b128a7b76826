#include "resmgr/backends/process/launch_arguments.hpp"

#include <algorithm>
#include <string_view>

#include "protocol/numbers.hpp"

namespace dmm {
namespace {

constexpr std::string_view input_variable = "DMM_STAGE_IN_", output_variable = "DMM_STAGE_OUT_",
                           kept_variable = "DMM_KEPT_FILES";

/// Names, URLs and checksums have no line ends.
constexpr char between = '\n';

std::string variable_of(const std::string& name, const std::vector<std::string>& words) {
  std::string text = name + '=';
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : std::string(1, between)) + words[i];
  return text;
}

std::vector<std::string> words_of(std::string_view variable) {
  std::vector<std::string> words;
  for (std::size_t at = variable.find('=') + 1;; ++at) {
    const std::size_t end = std::min(variable.find(between, at), variable.size());
    words.emplace_back(variable.substr(at, end - at));
    if (end == variable.size()) return words;
    at = end;
  }
}

bool take_words(const std::vector<std::string>& words, InputFile& file) {
  if (words.size() < 4 || !parse_number(std::string_view(words[1]), file.bytes)) return false;
  file.name = words[0];
  file.sha256 = words[2];
  for (std::size_t i = 3; i < words.size(); ++i) file.replicas.push_back({words[i]});
  return true;
}

bool take_words(const std::vector<std::string>& words, KeptFilesRules& kept) {
  if (words.size() != 3 || !parse_number(std::string_view(words[1]), kept.bytes_max)) return false;
  kept.folder = words[0];
  return parse_number(std::string_view(words[2]), kept.life.microseconds);
}

}  // namespace

std::vector<std::string> launch_words(const LaunchArguments& arguments) {
  std::vector<std::string> words{"run", std::to_string(static_cast<unsigned>(arguments.runner)),
                                 arguments.address};
  words.insert(words.end(), arguments.program.begin(), arguments.program.end());
  return words;
}

std::optional<LaunchArguments> parse_launch_arguments(const std::vector<std::string>& words) {
  unsigned runner = 0;
  if (words.size() < 3 || !parse_number(std::string_view(words[0]), runner) || runner >= runners)
    return std::nullopt;
  return LaunchArguments{static_cast<Runner>(runner), words[1], {words.begin() + 2, words.end()}};
}

std::vector<std::string> launch_variables(const InputFiles& inputs, const OutputFiles& outputs,
                                          const KeptFilesRules& kept) {
  std::vector<std::string> variables;
  const auto add = [&](std::string_view kind, const std::vector<std::string>& words) {
    variables.push_back(variable_of(std::string(kind) + std::to_string(variables.size()), words));
  };
  for (const InputFile& file : inputs) {
    std::vector<std::string> words{file.name, std::to_string(file.bytes), file.sha256};
    for (const Replica& replica : file.replicas) words.push_back(replica.url);
    add(input_variable, words);
  }
  for (const OutputFile& file : outputs) add(output_variable, {file.name, file.to});
  if (!inputs.empty() && !kept.folder.empty())
    variables.push_back(variable_of(std::string(kept_variable), {kept.folder, std::to_string(kept.bytes_max),
                                                                 std::to_string(kept.life.microseconds)}));
  return variables;
}

std::optional<LaunchFiles> parse_launch_variables(const std::vector<std::string>& variables) {
  LaunchFiles files;
  for (const std::string& variable : variables) {
    if (!is_launch_variable(variable)) continue;
    const std::vector<std::string> words = words_of(variable);
    if (variable.starts_with(input_variable)) {
      if (!take_words(words, files.inputs.emplace_back())) return std::nullopt;
    } else if (variable.starts_with(kept_variable)) {
      if (!take_words(words, files.kept)) return std::nullopt;
    } else {
      if (words.size() != 2) return std::nullopt;
      files.outputs.push_back({words[0], words[1]});
    }
  }
  return files;
}

bool is_launch_variable(const std::string& variable) {
  return variable.starts_with(input_variable) || variable.starts_with(output_variable) ||
         variable.starts_with(kept_variable);
}

}  // namespace dmm
