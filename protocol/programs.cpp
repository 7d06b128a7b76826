// What a program may not contain; see programs.hpp.
#include "protocol/programs.hpp"

#include <algorithm>

namespace dmm {

std::string fault_of(const Program& program) {
  const auto has_zero = [](std::string_view text) { return text.find('\0') != std::string_view::npos; };
  if (std::ranges::any_of(program.arguments, has_zero)) return "an argument has a zero byte in it";
  if (std::ranges::any_of(program.environment, has_zero)) return "a variable of its environment has a zero byte in it";
  if (has_zero(std::string(program.working_directory))) return "its working directory has a zero byte in it";
  return {};
}

}  // namespace dmm
