// The interface to a batch system, for lending its nodes: how it is looked at, and how a node is held, given back
// and kept for longer. A batch system is a row of functions that make commands and read their output; nothing here
// runs a command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchmgr/commands.hpp"
#include "batchmgr/finding.hpp"
#include "batchmgr/settings.hpp"
#include "batchmgr/snapshot.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

struct BatchSystem {
  std::string_view name;
  /// The commands that together say, by their outputs, what there is.
  std::vector<Command> (*look)(const BatchSettings& settings);
  /// What the outputs of `look` say, in the same order; or what can't be read in them.
  OrFault<Snapshot> (*read)(const BatchSettings& settings, std::span<const std::string> outputs);
  /// Submits a pilot that holds the node and runs the script there.
  Command (*hold)(const BatchSettings& settings, const BatchNode& node, const std::string& script);
  /// The pilot's id, by the output of `hold`.
  OrFault<PilotId> (*held)(const std::string& output);
  /// Tells a pilot that runs to give its node back and to end.
  Command (*recall)(const BatchSettings& settings, const Pilot& pilot);
  /// Takes back a pilot that doesn't run yet.
  Command (*withdraw)(const BatchSettings& settings, const Pilot& pilot);
  /// Moves the time limit of a pilot, to `hold` from now. Without: time limits stay.
  Command (*prolong)(const BatchSettings& settings, const Pilot& pilot);
  /// What a borrowed node runs at its owner to join under this name. Without: the batch system borrows no nodes.
  std::string (*guest_script)(const BatchSettings& settings, const std::string& node);
  /// Has the batch system forget a borrowed node that is gone, with all its processes; what ran there goes back to its
  /// queue.
  Command (*evict)(const BatchSettings& settings, const std::string& node);
  /// Commands that together say, by their ends, whether the batch system is as lending and borrowing need it.
  std::vector<Command> (*questions)(const BatchSettings& settings);
  /// What those ends say, in the same order.
  std::vector<Finding> (*examine)(const BatchSettings& settings, std::span<const CommandEnded> ends);
  /// Runs a shell script on a node that is idle, at once. Without: the batch system has no such command.
  Command (*try_on)(const BatchSettings& settings, const std::string& node, const std::string& script);
};

std::span<const BatchSystem> batch_systems();
/// nullptr if there is none of that name.
const BatchSystem* find_batch_system(std::string_view name);

/// The names that borrowed nodes may have, `nodes_max` of them.
std::vector<std::string> guest_names(const BorrowSettings& borrow);

/// The name of the resource manager that offers a node: the node's, in lower-case letters.
std::string manager_of(const std::string& node);

/// The name that pilots of this batch manager have as jobs.
std::string pilot_name(const BatchSettings& settings);

}  // namespace dmm
