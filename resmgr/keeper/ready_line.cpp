// "0 10.0.0.7:40121/5f3a", "3 can't run ./solver: No such file or directory".
#include "resmgr/keeper/ready_line.hpp"

#include <algorithm>
#include <cstdint>

#include "protocol/numbers.hpp"

namespace dmm {

std::string ready_line(const ReadyLine& line) {
  std::string text = std::to_string(static_cast<unsigned>(line.fault)) + ' ' + line.text;
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, ready_line_bytes_max);
}

ReadyLine parse_ready_line(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  unsigned fault = 0;
  const bool is_fault = parse_number(line.substr(0, space), fault) && fault < start_fault_count;
  if (!is_fault || space == line.size())
    return {StartFault::resources, "its launcher sent a line that makes no sense"};
  return {static_cast<StartFault>(fault), std::string(line.substr(space + 1))};
}

}  // namespace dmm
