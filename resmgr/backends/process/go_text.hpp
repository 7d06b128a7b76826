// The text that tells a launcher to begin: the number of its task, and all tasks of the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/job_messages.hpp"

namespace dmm {

struct LaunchOrder {
  std::uint32_t own = 0;  ///< number of the launcher's own task
  std::vector<Part> parts;

  const Part& own_part() const { return parts[own]; }
  /// The number of copies of the program that a task runs, and how many run in the tasks before it.
  std::uint32_t copies_of(Runner runner, std::size_t task) const;
  std::uint32_t first_rank(Runner runner) const;
  std::uint32_t ranks(Runner runner) const;
};

std::string to_text(const LaunchOrder& order);
/// Nothing if the text isn't whole, or makes no sense.
std::optional<LaunchOrder> parse_launch_order(std::string_view text);

/// The host of a contact: "10.0.0.7" of "10.0.0.7:40121/5f3a".
std::string_view host_of(std::string_view contact);
/// The hosts of the tasks in order, each once, with the processors of all tasks there.
struct HostSlots {
  std::string host;
  std::uint32_t slots = 0;
};
std::vector<HostSlots> hosts_of(const LaunchOrder& order);

}  // namespace dmm
