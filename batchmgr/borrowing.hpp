// Which nodes are borrowed for a batch system, and which go back: pure policy. A borrowed node is a job of DMM at
// its owner, and once it has joined, a node of the batch system: both have one name. Local jobs that wait longer
// than a while, for nodes that the batch system doesn't have, are the demand.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "batchmgr/settings.hpp"
#include "batchmgr/snapshot.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// A job of DMM that is, or becomes, a borrowed node.
struct GuestJob {
  std::string node;  ///< its name in the batch system
  std::string job;   ///< its number at the job manager
  bool runs = false;
};

struct BorrowingPast {
  Instant waiting_since = never;                   ///< when local jobs began to wait; never: none does
  Instant content_since = never;                   ///< when the last of them ceased to; never: one does
  std::map<std::string, Instant> idle_since = {};  ///< of borrowed nodes that no local job has
  std::map<std::string, Instant> asked_at = {};    ///< of borrowed nodes: when their owner was asked
  std::set<std::string> at_hand = {};              ///< what `at_hand_in` said of the look before
};

/// Whether no local job has a borrowed node. One that has just joined may be down for a moment.
bool is_spare(const BatchNode& guest);
/// Nodes that no local job has, by name: idle ones, those that pilots hold, and borrowed ones.
std::set<std::string> at_hand_in(const Snapshot& snapshot);

struct BorrowingDecision {
  std::vector<std::string> attach;  ///< names of nodes to be borrowed
  std::vector<std::string> evict;   ///< nodes that the batch system is to forget
  std::vector<std::string> cancel;  ///< jobs of DMM that are over, by their numbers
};

BorrowingDecision decide_borrowing(const Snapshot& snapshot, const std::vector<GuestJob>& guests,
                                   const BorrowingPast& past, const BatchSettings& settings, Instant now);

/// The jobs that `dmm queue --json` tells of, those with names of borrowed nodes.
OrFault<std::vector<GuestJob>> guest_jobs_in(const std::string& json, const BatchSettings& settings);

}  // namespace dmm
