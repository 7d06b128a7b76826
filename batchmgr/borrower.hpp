// The borrowing side of a batch manager: which nodes of other sites it has, what it ordered of them, and what it
// orders next (borrowing.hpp is the policy). A borrowed node is a job of DMM, and once it has joined a node of the
// batch system: what the two say is older than the orders given since, and is read so. The names of nodes
// take turns among the owners.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/borrowing.hpp"

namespace dmm {

/// A borrowed node as people see it.
struct GuestStanding {
  std::string name;
  std::string state;     ///< "asked for", "joining", "idle", "local job", "leaving"
  std::string job = {};  ///< of DMM, that has it
};

class Borrower {
 public:
  /// What this part looks at beside its own state.
  struct Site {
    const BatchSettings& settings;
    const BatchSystem& system;
  };
  enum class Kind : std::uint8_t { attach, evict, cancel };
  /// One thing to be done.
  struct Order {
    Kind kind = Kind::attach;
    std::string subject;  ///< the node's name; of `cancel`, the job's number
    Command command;
  };

  /// Asks the job manager for the jobs that are borrowed nodes.
  static Command question(const BatchSettings& settings);
  /// What came of the question. Why the job manager can't be asked, where that is news; else empty.
  WhyNot take_answer(const Site& site, const CommandEnded& ended);
  /// Takes those nodes out of a snapshot that were forgotten since the look at them began.
  void correct(Instant look_began, Snapshot& snapshot);
  /// What follows from a snapshot. `waiting_since`: when local jobs began to wait; `never`: none does.
  std::vector<Order> decide(const Site& site, Instant now, const Snapshot& snapshot, Instant waiting_since);
  /// An order was carried out.
  void done(Instant now, Kind kind, const std::string& subject);

  std::vector<GuestStanding> standings(const Snapshot& snapshot) const;
  /// Why the job manager can't be asked; empty: it can, or needn't be.
  const std::string& fault() const { return fault_; }

 private:
  std::vector<GuestJob> guests_;  ///< as the job manager said last
  bool are_guests_news_ = false;  ///< nothing was ordered by them yet
  std::string fault_;
  BorrowingPast past_;
  /// No node joins before: where one was lost, it would be taken for the lost one, and its job be ended.
  Instant attach_from_;
  std::map<std::string, std::size_t> passed_over_;  ///< by name of a node: owners that gave none under it
  std::map<std::string, Instant> ordered_;          ///< when a borrowed node or its job was last told something
  std::map<std::string, Instant> evicted_;  ///< when a borrowed node was last forgotten by the batch system
};

}  // namespace dmm
