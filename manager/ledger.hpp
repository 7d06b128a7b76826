// What a manager must find again after a restart: records, each under the name of its table and a key, and the changes
// to them that a step decided. Nothing that was decided in or after the step leaves before the shell has kept its
// changes (docs/reliability.md). A record is a plain value; a change writes all of it again.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dmm {

/// What a change must survive before anything decided after it leaves.
enum class Grade : std::uint8_t {
  committed,  ///< the end of the process
  synced,     ///< the end of the host: for what no other party could tell again
};

/// A row of a ledger: `table` names its kind, `columns` its elements in the order of `fields`, `key()` tells it from
/// the others of its kind. Columns are only ever added, at the end: a row that an earlier version wrote lacks them, and
/// they have their defaults. So do structs inside a row grow.
template <class R>
concept LedgerRow = requires(const R& record, R& loaded) {
  { R::table } -> std::convertible_to<std::string_view>;
  { record.key() } -> std::same_as<std::string>;
  R::columns.size();
  R::fields(loaded);
};

/// Changes of one step to the records of one manager; Record is a variant of rows.
template <class Record>
struct LedgerChanges {
  struct Change {
    Record record;  ///< erased: only its key counts
    bool erased = false;
  };
  std::vector<Change> list;
  Grade grade = Grade::committed;  ///< of all of them together
  bool wanted = false;             ///< set by the shell if it keeps the changes; else none need be made

  void put(Record record, Grade at = Grade::committed) { add({std::move(record), false}, at); }
  void erase(Record record, Grade at = Grade::committed) { add({std::move(record), true}, at); }
  bool empty() const { return list.empty(); }
  void clear() {
    list.clear();
    grade = Grade::committed;
  }

 private:
  void add(Change change, Grade at) {
    if (!wanted) return;
    list.push_back(std::move(change));
    grade = std::max(grade, at);
  }
};

}  // namespace dmm
