// Which idle nodes of a batch system are held for DMM, and which are given back: pure policy over a snapshot. A
// node is held when it was idle for a while and neither the reserve nor a waiting local job may need it. What
// isn't held has a reason in words.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchmgr/settings.hpp"
#include "batchmgr/snapshot.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What the policy must know beside a snapshot.
struct LendingPast {
  std::map<std::string, Instant> idle_since = {};  ///< of nodes that are idle
  std::map<std::string, std::string> barred =
      {};                         ///< nodes that aren't held now for this reason: pilots failed there
  Instant waiting_since = never;  ///< when local jobs began to wait; never: none does
  std::uint32_t minute = 0;       ///< of the day
};

/// A node as people see it.
struct NodeStanding {
  std::string name;
  std::string state;       ///< "local job", "held", "holding", "idle", "reserved", "drained", "down"
  std::string why = {};    ///< it isn't held
  std::string pilot = {};  ///< that has it
  std::uint32_t processors = 1;
  std::optional<Duration> likely = {};  ///< how much longer local jobs are likely to do without it
};

struct LendingDecision {
  std::vector<NodeStanding> nodes;  ///< all, in the order of the snapshot
  std::vector<std::string> hold;    ///< nodes to be held
  std::vector<PilotId> recall;      ///< pilots that are to give their nodes back
  std::vector<PilotId> withdraw;    ///< pilots that don't run, and can't soon
  std::vector<PilotId> prolong;     ///< pilots with a time limit that is near
};

LendingDecision decide_lending(const Snapshot& snapshot, const LendingPast& past, const BatchSettings& settings,
                               Instant now);

/// Minutes of the day of "20:00-06:00": from the first until before the second, also over midnight.
struct Hours {
  std::uint32_t from = 0, until = 0;
  bool has(std::uint32_t minute) const {
    return from <= until ? from <= minute && minute < until : minute >= from || minute < until;
  }
};
OrFault<Hours> parse_hours(const std::string& text);

}  // namespace dmm
