// See launch_arguments.hpp.
#include "resmgr/backends/launch_arguments.hpp"

#include "protocol/numbers.hpp"

namespace dmm {

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

}  // namespace dmm
