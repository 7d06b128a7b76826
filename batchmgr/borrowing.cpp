// The policy: what is missing is borrowed, what was idle for long goes back, and the two sides of a node agree.
#include "batchmgr/borrowing.hpp"

#include <algorithm>
#include <set>

#include "batchmgr/batch_system.hpp"

namespace dmm {
namespace {

/// Nodes that local jobs lack: those of small jobs beyond what is idle or held, and of each large one beyond all
/// nodes.
std::uint64_t missing_in(const Snapshot& snapshot) {
  std::uint64_t small = 0, large = 0, at_hand = snapshot.pilots.size();
  for (const BatchNode& node : snapshot.nodes) at_hand += node.use == NodeUse::idle;
  for (const WaitingJob& job : snapshot.waiting) {
    if (!job.too_large) small += job.nodes;
    if (job.too_large && job.nodes > snapshot.nodes.size()) large += job.nodes - snapshot.nodes.size();
  }
  return (small > at_hand ? small - at_hand : 0) + large;
}

}  // namespace

BorrowingDecision decide_borrowing(const Snapshot& snapshot, const std::vector<GuestJob>& guests,
                                   const BorrowingPast& past, const BatchSettings& settings, Instant now) {
  BorrowingDecision decision;
  std::map<std::string, const BatchNode*> joined;
  for (const BatchNode& node : snapshot.guests) joined.emplace(node.name, &node);
  std::set<std::string> alive;
  const bool waited = past.waiting_since != never && now - past.waiting_since >= settings.borrow.after;
  const bool is_content = past.content_since != never && now - past.content_since >= settings.borrow.idle_for;
  std::uint64_t missing = waited ? missing_in(snapshot) : 0;
  for (const GuestJob& guest : guests) {
    alive.insert(guest.node);
    const auto node = joined.find(guest.node);
    const bool is_unused = node == joined.end() || node->second->use == NodeUse::idle;
    const auto idle = past.idle_since.find(guest.node);
    const bool was_idle = idle != past.idle_since.end() && now - idle->second >= settings.borrow.idle_for;
    if (is_unused && missing > 0) {
      --missing;
      // One that is asked for may join at any moment: it isn't given up sooner than one that is there.
    } else if (snapshot.waiting.empty() && (was_idle || (!guest.runs && is_content))) {
      decision.cancel.push_back(guest.job);
      if (node != joined.end()) decision.evict.push_back(guest.node);
    }
  }
  // A node without its job is gone, whatever the batch system believes.
  for (const BatchNode& node : snapshot.guests)
    if (!alive.contains(node.name)) decision.evict.push_back(node.name);
  for (const std::string& name : guest_names(settings.borrow)) {
    if (missing == 0) break;
    if (alive.contains(name) || joined.contains(name)) continue;
    decision.attach.push_back(name);
    --missing;
  }
  return decision;
}

}  // namespace dmm
