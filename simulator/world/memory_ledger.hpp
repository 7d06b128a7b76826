// The ledger of a simulated manager, as found after a crash. A crash of the process keeps all commits. A crash of the
// host goes back to the last synced change, which made all changes before it durable too.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "manager/ledger.hpp"
#include "simulator/world/same_records.hpp"

namespace dmm {

template <class Record>
class MemoryLedger {
 public:
  /// Writes the decisions of a step as one commit.
  void apply(const LedgerChanges<Record>& changes) {
    Batch before;
    for (const auto& change : changes.list) {
      const Key key = key_of(change.record);
      const auto row = rows_.find(key);
      before.emplace_back(key, row == rows_.end() ? std::nullopt : std::optional<Record>(row->second));
      if (change.erased)
        rows_.erase(key);
      else
        rows_.insert_or_assign(key, change.record);
    }
    if (changes.grade == Grade::synced)
      unsynced_.clear();
    else if (!before.empty())
      unsynced_.push_back(std::move(before));
    if (unsynced_.size() > unsynced_max) unsynced_.pop_front();
  }
  /// Number of commits that a crash of the host may undo.
  std::size_t unsynced() const { return unsynced_.size(); }
  /// The host crashed: of the unsynced commits, only the first `kept` had reached the disk.
  void lose_unsynced(std::size_t kept) {
    for (; unsynced_.size() > kept; unsynced_.pop_back())
      for (auto& [key, record] : unsynced_.back() | std::views::reverse)
        if (record)
          rows_.insert_or_assign(key, std::move(*record));
        else
          rows_.erase(key);
    unsynced_.clear();
  }
  /// The records as a restarted manager reads them.
  std::vector<Record> rows() const {
    std::vector<Record> rows;
    for (const auto& [key, record] : rows_) rows.push_back(record);
    return rows;
  }
  std::size_t size() const { return rows_.size(); }
  /// The row in the place of this record; nullptr if there is none.
  const Record* find(const Record& record) const {
    const auto row = rows_.find(key_of(record));
    return row == rows_.end() ? nullptr : &row->second;
  }
  /// How the ledger differs from what the manager would write now; empty if it doesn't.
  std::string difference(const std::vector<Record>& wanted) const {
    for (const Record& record : wanted) {
      const auto row = rows_.find(key_of(record));
      if (row == rows_.end()) return "its ledger lacks " + name_of(record);
      if (!same(row->second, record)) return "its ledger has another " + name_of(record);
    }
    if (wanted.size() == rows_.size()) return {};
    std::map<Key, bool> known;
    for (const Record& record : wanted) known[key_of(record)] = true;
    for (const auto& [key, record] : rows_)
      if (!known.contains(key)) return "its ledger still has " + name_of(record);
    return "two of its records have one key";
  }

 private:
  using Key = std::pair<std::size_t, std::string>;  ///< which table, and the key in it
  using Batch = std::vector<std::pair<Key, std::optional<Record>>>;
  /// Older commits count as synced: an operating system writes back by itself after a while.
  static constexpr std::size_t unsynced_max = 500;

  static Key key_of(const Record& record) {
    return {record.index(), std::visit([](const auto& row) { return row.key(); }, record)};
  }
  static std::string name_of(const Record& record) {
    return std::visit([](const auto& row) { return std::string(row.table) + " " + row.key(); }, record);
  }

  std::map<Key, Record> rows_;
  std::deque<Batch> unsynced_;  ///< for each unsynced commit: its records as they were before
};

/// The record type of a manager's ledger.
template <class Changes>
struct RecordOfChanges;
template <class Record>
struct RecordOfChanges<LedgerChanges<Record>> {
  using type = Record;
};
template <class Manager>
using RecordOf = typename RecordOfChanges<decltype(Manager::Effects::ledger)>::type;
template <class Manager>
using LedgerOf = MemoryLedger<RecordOf<Manager>>;

}  // namespace dmm
