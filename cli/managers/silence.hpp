// Tells people which manager a command waits for. A command that goes on through restarts and pauses of managers would
// otherwise seem to hang.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runtime/client.hpp"

namespace dmm {

class SilenceTeller {
 public:
  /// A manager that owes an answer for longer than this is named.
  static constexpr Duration told_after = seconds(2);

  /// `command` is the name before the message; `meanwhile` is what the command does, and how to end it.
  SilenceTeller(std::string command, std::string meanwhile)
      : command_(std::move(command)), meanwhile_(std::move(meanwhile)) {}

  /// One line for each manager that fell silent since the last look, and for each that answers again.
  std::vector<std::string> news(const ClientPool& pool, Instant now);
  /// Prints this news on standard error.
  void look(const ClientPool& pool, Instant now);

 private:
  std::string command_, meanwhile_;
  std::set<std::size_t> told_;
};

}  // namespace dmm
