// The policy: what is missing is borrowed, what was idle for long goes back, and the two sides of a node agree.
#include "batchmgr/borrowing.hpp"

#include <algorithm>
#include <set>

#include "batchmgr/batch_system.hpp"

namespace dmm {
namespace {

/// An owner that gives no node for so long is passed over, if there are others.
constexpr Duration asked_max = seconds(20);

/// Nodes that local jobs lack: those of small jobs beyond what is at hand, and of each large one beyond all nodes.
/// Nodes and jobs aren't looked at in the same moment: a node that was at hand is no local job's yet.
std::uint64_t missing_in(const Snapshot& snapshot, const BorrowingPast& past) {
  std::uint64_t small = 0, large = 0, at_hand = 0;
  const std::set<std::string> names = at_hand_in(snapshot);
  for (const BatchNode& node : snapshot.nodes)
    at_hand += names.contains(node.name) || past.at_hand.contains(node.name);
  for (const WaitingJob& job : snapshot.waiting) {
    if (!job.too_large) small += job.nodes;
    if (job.too_large && job.nodes > snapshot.nodes.size()) large += job.nodes - snapshot.nodes.size();
  }
  return (small > at_hand ? small - at_hand : 0) + large;
}

}  // namespace

bool is_spare(const BatchNode& guest) { return guest.use != NodeUse::busy; }

std::set<std::string> at_hand_in(const Snapshot& snapshot) {
  std::set<std::string> names;
  for (const Pilot& pilot : snapshot.pilots) names.insert(pilot.node);
  for (const BatchNode& node : snapshot.nodes)
    if (node.use == NodeUse::idle || node.use == NodeUse::planned) names.insert(node.name);
  for (const BatchNode& guest : snapshot.guests)
    if (is_spare(guest)) names.insert(guest.name);
  return names;
}

BorrowingDecision decide_borrowing(const Snapshot& snapshot, const std::vector<GuestJob>& guests,
                                   const BorrowingPast& past, const BatchSettings& settings, Instant now) {
  BorrowingDecision decision;
  std::map<std::string, const BatchNode*> joined;
  for (const BatchNode& node : snapshot.guests) joined.emplace(node.name, &node);
  std::set<std::string> alive;
  const bool waited = past.waiting_since != never && now - past.waiting_since >= settings.borrow.after;
  const bool is_content = past.content_since != never && now - past.content_since >= settings.borrow.idle_for;
  std::uint64_t missing = waited ? missing_in(snapshot, past) : 0;
  const auto is_late = [&](const GuestJob& guest) {
    const auto asked = past.asked_at.find(guest.node);
    return !guest.runs && asked != past.asked_at.end() && now - asked->second >= asked_max;
  };
  for (const GuestJob& guest : guests) {
    alive.insert(guest.node);
    if (settings.borrow.from.size() > 1 && is_late(guest)) {
      decision.cancel.push_back(guest.job);
      continue;
    }
    const auto node = joined.find(guest.node);
    const bool is_unused = node == joined.end() || is_spare(*node->second) || past.at_hand.contains(guest.node);
    const auto idle = past.idle_since.find(guest.node);
    const bool was_idle = idle != past.idle_since.end() && now - idle->second >= settings.borrow.idle_for;
    if (is_unused && missing > 0) {
      --missing;
      // One that is asked for may join at any moment: it isn't given up sooner than one that is there.
    } else if (snapshot.waiting.empty() && (was_idle || (!guest.runs && is_content))) {
      decision.cancel.push_back(guest.job);  // the node itself has the batch system put back what is there by then
    }
  }
  // A node without its job is gone, whatever the batch system believes; or it has joined since the jobs were asked
  // for, and is one that was missing.
  for (const BatchNode& node : snapshot.guests) {
    if (alive.contains(node.name)) continue;
    decision.evict.push_back(node.name);
    if (is_spare(node) && missing > 0) --missing;
  }
  for (const std::string& name : guest_names(settings.borrow)) {
    if (missing == 0) break;
    if (alive.contains(name) || joined.contains(name)) continue;
    decision.attach.push_back(name);
    --missing;
  }
  return decision;
}

}  // namespace dmm
