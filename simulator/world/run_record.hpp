// RunRecord: what a world keeps for its watchers: events, accepted jobs, decisions and writes of the last step, and the
// hash of the run.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/world/actor.hpp"
#include "simulator/world/trace_hash.hpp"

namespace dmm {

/// A log event, its instant and its manager.
struct Happening {
  Instant at;
  Party party;
  LogEvent event;
};

/// A manager that wrote something in a step, and the leases of a site that it wrote about.
struct Written {
  Address address = 0;
  std::vector<LeaseId> leases;
};

struct RunRecord {
  std::vector<Address> settled;  ///< managers with something to decide in the last step
  std::vector<Written> written;  ///< by these managers
  std::vector<Submission> submissions;
  std::vector<Happening> happenings;
  std::vector<std::pair<Address, std::uint64_t>> ended;  ///< ended jobs: job manager and number
  std::uint64_t events = 0, steps = 0;
  std::array<std::uint64_t, message_kinds> messages_of_dead{};  ///< sent by processes that crashed
  TraceHash trace;
};

}  // namespace dmm
