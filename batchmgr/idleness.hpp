// How long nodes of a batch system are likely to stay free of local jobs, by how long they did so before. A node
// that a pilot holds is free of local jobs, too. A spell of freedom is likely to go on for as long as half of the
// past spells did that reached its age.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchmgr/records.hpp"
#include "batchmgr/snapshot.hpp"
#include "manager/ledger.hpp"

namespace dmm {

class Idleness {
 public:
  /// Takes in a look at the batch system. Spells that are over are written to the ledger; those that go on aren't.
  void observe(Instant now, const Snapshot& snapshot, LedgerChanges<BatchRecord>& ledger);
  /// The rows of a ledger, before any look.
  void restore(std::vector<BatchRecord> rows);
  std::vector<BatchRecord> records() const;
  /// How much longer a node is likely to stay free of local jobs. Nothing: it isn't free, or too little is known.
  std::optional<Duration> likely(Instant now, const std::string& node) const;

 private:
  void add(Duration spell);

  std::map<std::string, Instant> free_since_;
  std::uint64_t first_ = 1;       ///< the number of the first of `spells_`
  std::deque<Duration> spells_;   ///< the latest last
  std::vector<Duration> sorted_;  ///< the same
};

}  // namespace dmm
