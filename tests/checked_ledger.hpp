// The ledger of a manager on a stage: takes the changes of each step, and checks that its rows are then the records of
// the manager. Knows what remains after the end of the process, and after the end of the host.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <variant>
#include <vector>

#include "simulator/world/memory_ledger.hpp"

namespace dmm {

template <class Manager>
class CheckedLedger {
 public:
  using Record = RecordOf<Manager>;

  /// `every`: one step in this many has a full comparison, which walks all rows.
  explicit CheckedLedger(std::uint64_t every = 1) : every_(every) {}

  /// Takes the changes of a step, and checks that nothing is missing.
  void take(LedgerChanges<Record>& changes, const Manager& manager) {
    committed_.apply(changes);
    if (changes.grade == Grade::synced) synced_ = committed_;
    changes.clear();
    if (++steps_ % every_ == 0) compare(manager);
  }
  void compare(const Manager& manager) const { REQUIRE(committed_.difference(manager.records()) == ""); }

  std::vector<Record> after_the_process() const { return committed_.rows(); }
  /// Changes that were only committed are lost, and the ledger goes on without them.
  std::vector<Record> after_the_host() {
    committed_ = synced_;
    return committed_.rows();
  }
  /// The row of this kind that would be there after the end of the host; none if there is none.
  template <class Row>
  const Row* synced(const Row& with_its_key) const {
    const Record* record = synced_.find(with_its_key);
    return record ? &std::get<Row>(*record) : nullptr;
  }

 private:
  MemoryLedger<Record> committed_, synced_;
  std::uint64_t every_ = 1;
  std::uint64_t steps_ = 0;
};

}  // namespace dmm
