// What is known of fences beside the fence of each present node, which Slots has. These are fences of nodes that were
// taken out of the configuration and may come back under their name, and fences with a changed row in the ledger. For
// each node it also has the latest lease that the node's fence turned away.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "resmgr/records.hpp"

namespace dmm {

class AbsentFences {
 public:
  /// The node of this row isn't configured any more.
  void keep(FenceRecord row) {
    std::string name = row.key();
    gone_.insert_or_assign(std::move(name), std::move(row));
  }
  /// The same of a node that is taken out now. Its row is to be written: its fence may have changed in this very
  /// step.
  void leave(FenceRecord row) {
    left_.insert(row.key());
    keep(std::move(row));
  }
  /// The rows to be written of nodes that were taken out since this was asked last.
  std::vector<FenceRecord> take_left() {
    std::vector<FenceRecord> rows;
    for (const std::string& name : std::exchange(left_, {}))
      if (const auto row = gone_.find(name); row != gone_.end()) rows.push_back(row->second);
    return rows;
  }
  /// The fence of a node that is configured again; none: no node of this name was taken out.
  std::optional<Epoch> take_kept(const std::string& name) {
    const auto row = gone_.find(name);
    if (row == gone_.end()) return std::nullopt;
    const Epoch highest = row->second.highest;
    gone_.erase(row);
    return highest;
  }
  /// By the keys of their rows.
  const std::map<std::string, FenceRecord>& gone() const { return gone_; }

  /// The ledger's row of the node's fence is to be written.
  void changed(std::uint32_t node) { changed_.insert(node); }
  std::set<std::uint32_t> take_changed() { return std::exchange(changed_, {}); }

  /// The node's fence turned the lease away. Returns whether it had turned an older one away before.
  bool turned_away(std::uint32_t node, Epoch lease) {
    DMM_ASSERT(lease.counter != 0);
    const auto [before, is_first] = turned_away_.try_emplace(node, lease);
    const bool is_later = !is_first && before->second < lease;
    if (is_later) before->second = lease;
    return is_later;
  }
  /// The nodes came under a lease.
  void admitted(const NodeSet& nodes) {
    if (turned_away_.empty()) return;
    each_node(nodes, [&](std::uint32_t node) { turned_away_.erase(node); });
  }

 private:
  std::map<std::string, FenceRecord> gone_;
  std::set<std::string> left_;  ///< keys of rows in `gone_`
  std::set<std::uint32_t> changed_;
  std::map<std::uint32_t, Epoch> turned_away_;
};

}  // namespace dmm
