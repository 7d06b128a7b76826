// What a batch system says of itself at one moment, in the words of no special one.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

/// What a node of a batch system is used for.
enum class NodeUse : std::uint8_t {
  idle,
  busy,      ///< jobs have it, or some of it
  planned,   ///< nothing runs there any more, and a local job that waits is to get it
  reserved,  ///< nothing runs there, and only jobs of a reservation may
  drained,   ///< its administrator has taken it out of use
  down,      ///< it doesn't answer
};

struct BatchNode {
  std::string name;
  NodeUse use = NodeUse::down;
  std::uint32_t processors = 1;
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> features = {};
  std::string state = {};   ///< in the words of the batch system
  std::string reason = {};  ///< why it is drained or down, in those words
};

/// What the batch system calls a job of ours.
struct PilotId {
  std::string text;
  auto operator<=>(const PilotId&) const = default;
};

/// A job of ours that holds a node.
struct Pilot {
  PilotId id;
  std::string node;  ///< that it holds, or waits for
  bool runs = false;
  Duration left = {};  ///< until its time limit
};

/// A job of the batch system's own users that could start if it had nodes.
struct WaitingJob {
  std::string id;
  std::uint32_t nodes = 1;
  std::string reason = {};  ///< why it waits, in the words of the batch system
  bool too_large = false;   ///< it wants more nodes than the batch system has
};

struct Snapshot {
  std::vector<BatchNode> nodes;  ///< that may be held, in order of their names
  std::vector<Pilot> pilots;
  std::vector<WaitingJob> waiting;
  std::vector<BatchNode> guests;  ///< borrowed nodes that have joined, in order of their names
  /// When the batch system plans to start the first local job that waits, in seconds since 1970; nothing: it
  /// doesn't say.
  std::optional<std::int64_t> planned = {};
};

/// Since when each node is as `is` says; `before` says it of those that were so already.
template <class Is>
std::map<std::string, Instant> since_when(Instant now, const std::vector<BatchNode>& nodes,
                                          const std::map<std::string, Instant>& before, Is is) {
  std::map<std::string, Instant> since;
  for (const BatchNode& node : nodes) {
    if (!is(node)) continue;
    const auto known = before.find(node.name);
    since.emplace(node.name, known == before.end() ? now : known->second);
  }
  return since;
}

}  // namespace dmm
